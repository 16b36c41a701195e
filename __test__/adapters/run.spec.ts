import * as peer from 'run'
import { describe, expect, test } from 'vitest'
import * as native from '../../ts/adapters/run/index.ts'

type Api = typeof native

/** Host functions against one of the two packages: each has its own RunError and its own context. */
const functionsFor = (api: Api) => ({
  tools: {
    add: (a: number, b: number) => a + b,
    join: (separator: string, ...parts: string[]) => parts.join(separator),
    nothing: () => undefined,
    fail: () => {
      throw new Error('a secret')
    },
    allowed: () => {
      throw new api.RunError('not today', 'SHOP_CLOSED')
    },
    context: () => {
      const { hostFunctionName, requestIndex, abortSignal } = api.getHostFunctionContext()
      return { hostFunctionName, requestIndex, aborted: abortSignal.aborted }
    },
  },
  users: { find: async ({ id }: { id: string }) => ({ id, tags: ['a', null, 1.5, { deep: [true] }] }) },
})

/** What a run gives, without what the two packages word in their own way. */
async function answer(api: Api, source: string, limits: native.RunLimits = {}) {
  try {
    const { status, value } = await api.run({ source, hostFunctions: functionsFor(api), limits })
    // Theirs is undefined where ours is null: an outcome is JSON.
    return { status, value: value ?? null }
  } catch (error) {
    const { name, code } = error as native.RunError
    return { name, code }
  }
}

describe('the same program gives the same answer in both packages', () => {
  test.each([
    'return await tools.add(40, 2)',
    "return await tools.join('-', 'a', 'b', 'c')",
    "return await users.find({ id: 'u1' })",
    'return await Promise.all([tools.add(1, 2), tools.add(3, 4)])',
    'return [await tools.nothing() === undefined, typeof tools.nope, typeof globalThis.nope]',
    'const n: number = 41; return n + 1',
    'return undefined',
    '1 + 1; return',
    'return await tools.fail().catch((e) => [e.name, e.message, e.code])',
    'return await tools.allowed().catch((e) => [e.name, e.message, e.code])',
    'return await tools.nope().catch((e) => [e.name, e.message, e.code])',
    'await tools.add(0, 0); return await tools.context()',
    'throw new TypeError("boo")',
    'return 1 +',
    'return () => 1',
  ])('%s', async (source) => {
    const [theirs, ours] = await Promise.all([answer(peer as unknown as Api, source), answer(native, source)])
    expect(ours).toEqual(theirs)
  })

  test.each([
    ['for (;;) {}', { timeoutMs: 300 }],
    ['for (let i = 0; i < 5; i++) await tools.add(i, i)', { maxBridgeRequests: 3 }],
    ['return 1', { maxSourceBytes: 3 }],
  ])('%s with %j', async (source, limits) => {
    const [theirs, ours] = await Promise.all([answer(peer as unknown as Api, source, limits), answer(native, source, limits)])
    expect(ours).toEqual(theirs)
  })

  test('aborting', async () => {
    const wait = (api: Api) =>
      api
        .run({
          source: 'await tools.hang()',
          hostFunctions: { tools: { hang: () => new Promise(() => {}) } },
          abortSignal: AbortSignal.timeout(100),
        })
        .catch((error: native.RunError) => [error.name, error.code])
    expect(await wait(native)).toEqual(await wait(peer as unknown as Api))
  })

  test('limits that are no positive integers', async () => {
    const wrong = (api: Api) =>
      api.run({ source: 'return 1', limits: { timeoutMs: -1 } }).catch((error: Error) => [error.name, error.message])
    expect(await wrong(native)).toEqual(await wrong(peer as unknown as Api))
  })
})

describe('what does not map is refused', () => {
  test.each([
    [{ moduleLoader: { load: () => '' } }, 'moduleLoader'],
    [{ sourceType: 'module' }, 'sourceType'],
    [{ continuation: 'x' }, 'continuation'],
    [{ resolutions: [] }, 'resolutions'],
  ])('%j', async (more, name) => {
    await expect(native.run({ source: 'return 1', ...more } as never)).rejects.toThrow(name)
  })

  test('interrupt, a sync host function, a group that is no identifier', async () => {
    const interrupt = () => native.getHostFunctionContext().interrupt({})
    await expect(native.run({ source: 'await tools.pause()', hostFunctions: { tools: { pause: interrupt } } })).rejects.toMatchObject({
      code: 'RUN_USER_SOURCE_ERROR',
      message: 'Host function failed.',
    })
    expect(() => native.createRunner({ syncHostFunctions: {} } as never)).toThrow('syncHostFunctions')
    await expect(native.run({ source: 'return 1', hostFunctions: { 'a b': {} } })).rejects.toThrow('Invalid host function namespace: a b')
    expect(() => native.getHostFunctionContext()).toThrow('outside of a host function')
  })

  test('a memory bomb ends the run, whatever the program catches', async () => {
    const source = "try { const a = []; for (;;) a.push('x'.repeat(100_000) + a.length) } catch {} return 'lived'"
    await expect(native.run({ source, limits: { memoryLimitBytes: 4_194_304 } })).rejects.toMatchObject({ code: 'RUN_USER_SOURCE_ERROR' })
  })

  test('a call that nobody waits for', async () => {
    const hostFunctions = { tools: { slow: () => new Promise((done) => setTimeout(done, 500)) } }
    await expect(native.run({ source: 'tools.slow(); return 1', hostFunctions })).rejects.toMatchObject({
      code: 'RUN_DETACHED_BRIDGE_REQUEST',
    })
  })
})
