// Engines of other languages: what they can reach, what the host does for them, and what it does when they misbehave.
import { describe, expect, test } from 'vitest'
import { createCodeMode, type CodeModeEngine, type EngineHost, type EngineSession } from '../ts/index.ts'
import { completed, echo, failed, make, sleep, untilAborted } from './helpers.ts'

type Result = Awaited<ReturnType<EngineSession['execute']>>

/** An engine whose programs are functions of the test. */
function engineOf(execute: (host: EngineHost, code: string) => unknown, close: () => Promise<void> = async () => {}) {
  const hosts: EngineHost[] = []
  const engine: CodeModeEngine = {
    language: 'Test',
    instructions: ({ toolNames }) => `write ${toolNames.join('+')}`,
    openSession(host) {
      hosts.push(host)
      return { execute: async (code) => execute(host, code) as Promise<Result>, close }
    },
  }
  return { engine, hosts }
}
const done = (result: unknown) => ({ status: 'completed', result }) as Result

describe('what an engine can reach', () => {
  test('the allowed tools through the gate, and nothing else', async () => {
    const { engine, hosts } = engineOf(async (host) => {
      const tries = ['echo', 'hidden', 'denied', 'toString', '__proto__'].map((name) =>
        host.callTool(name, {}).then(
          () => 'called',
          (error: Error) => `${error.name}: ${error.message}`,
        ),
      )
      return done(await Promise.all(tries))
    })
    let ran = 0
    const spy = { execute: () => void ran++ }
    const codeMode = make({
      engine,
      tools: { echo, hidden: spy, denied: spy },
      except: ['hidden'],
      permissions: [{ tool: 'denied', action: 'deny', reason: 'no' }],
    })
    expect(completed(await codeMode.run('x')).result).toEqual([
      'called',
      'TypeError: There is no tool "hidden"',
      'ToolError: no',
      'TypeError: There is no tool "toString"',
      'TypeError: There is no tool "__proto__"',
    ])
    expect(ran).toBe(0)
    expect(Object.keys(hosts[0] ?? {}).toSorted()).toEqual(['abortSignal', 'callTool', 'limits', 'log', 'text', 'tools'])
    expect(hosts[0]?.tools.map(({ name }) => name)).toEqual(['echo', 'denied'])
    expect(Object.isFrozen(hosts[0]) && Object.isFrozen(hosts[0]?.limits)).toBe(true)
  })

  test('limits with every default, a session of its own for each program', async () => {
    const { engine, hosts } = engineOf(() => done(1))
    const codeMode = make({ engine, tools: {}, limits: { timeoutMs: 5_000 } })
    await codeMode.run('x')
    await codeMode.run('x', { limits: { maxToolCalls: 3 } })
    expect(hosts.map(({ limits }) => limits)).toMatchObject([
      { timeoutMs: 5_000, cpuTimeoutMs: 5_000, toolTimeoutMs: 5_000, maxToolCalls: 50, memoryLimitBytes: 67_108_864 },
      { maxToolCalls: 3 },
    ])
  })

  test('after the end of its program, nothing', async () => {
    let late: EngineHost | undefined
    const { engine } = engineOf((host) => {
      late = host
      return done(null)
    })
    let ran = 0
    const codeMode = make({ engine, tools: { spy: { execute: () => void ran++ } } })
    const outcome = completed(await codeMode.run('x'))
    expect(late?.abortSignal.aborted).toBe(true)
    await expect(late?.callTool('spy', {})).rejects.toMatchObject({ name: 'StopError' })
    late?.log('too late')
    await sleep(5)
    expect([ran, outcome.logs, outcome.toolCalls]).toEqual([0, [], 0])
  })

  test('its words stand in the descriptions for the model', () => {
    const { engine } = engineOf(() => done(1))
    const codeMode = make({ engine, tools: { echo, other: echo } })
    expect(codeMode.tool.description).toMatch(/^Runs one Test program[^]*write echo\+other/)
    expect(codeMode.signatures).toContain('echo(')
    expect(() => make({ engine: { ...engine, instructions: () => 5 as never }, tools: {} })).toThrow(
      'Expected `engine.instructions(catalog)` to be a string',
    )
  })
})

describe('what the host does for an engine', () => {
  test('arguments: JSON only, bounded, copied', async () => {
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    const { engine } = engineOf(async (host) => {
      const names = [cycle, 1n, () => {}, { long: 'x'.repeat(200) }].map((input) =>
        host.callTool('echo', input as never).then(
          () => 'called',
          (error: Error) => error.name,
        ),
      )
      return done(await Promise.all(names))
    })
    const outcome = completed(await make({ engine, tools: { echo }, limits: { maxToolArgChars: 100 } }).run('x'))
    expect(outcome.result).toEqual(['TypeError', 'TypeError', 'TypeError', 'RangeError'])
    expect(outcome.toolCalls).toBe(0)
  })

  test('a result that is no JSON is not_serializable', async () => {
    for (const value of [1n, () => {}, new Uint8Array(3)]) {
      const { engine } = engineOf(() => done(value))
      expect(failed(await make({ engine, tools: {} }).run('x')).error.code).toBe('not_serializable')
    }
    const { engine } = engineOf(() => done(undefined))
    expect(completed(await make({ engine, tools: {} }).run('x')).result).toBeNull()
  })

  test('output: just under passes, just over ends the run', async () => {
    const { engine } = engineOf((host, code) => {
      host.log('12345')
      return done(code)
    })
    const codeMode = make({ engine, tools: {}, limits: { maxOutputChars: 10 } })
    expect(completed(await codeMode.run('ab')).logs).toEqual(['12345'])
    expect(failed(await codeMode.run('abc')).error.code).toBe('output_limit')
  })

  test('the wall clock, which stands during an approval', async () => {
    const { engine } = engineOf(async (host) => done(await host.callTool('echo', { n: 1 })))
    const approve = () => sleep(400).then(() => 'approve' as const)
    const codeMode = make({ engine, tools: { echo: { ...echo, needsApproval: true } }, approve, limits: { timeoutMs: 250 } })
    expect(completed(await codeMode.run('x')).result).toEqual({ n: 1 })
    const { engine: waiting } = engineOf(async (host) => done(await host.callTool('hold', {})))
    const outcome = failed(await make({ engine: waiting, tools: { hold: untilAborted }, limits: { timeoutMs: 60 } }).run('x'))
    expect(outcome.error).toMatchObject({ code: 'timeout', message: expect.stringContaining('Still running: hold (call 1)') as string })
    expect(outcome.calls[0]?.status).toBe('cancelled')
  })

  test('numbers of calls, in one turn too, and the order of what is said', async () => {
    const { engine } = engineOf(async (host) => {
      host.log('a')
      const calls = [1, 2, 3].map((n) => host.callTool('echo', { n }))
      host.text('b')
      host.log('c')
      return done(await Promise.all(calls))
    })
    const seen: string[] = []
    const codeMode = make({
      engine,
      tools: { echo },
      onEvent: (event) =>
        void (event.type === 'run.log' ? seen.push(event.line) : event.type === 'tool.start' && seen.push(event.toolCallId)),
    })
    const outcome = completed(await codeMode.run('x', { toolCallId: 'id' }))
    expect([outcome.result, outcome.text]).toEqual([[{ n: 1 }, { n: 2 }, { n: 3 }], ['b']])
    expect(seen).toEqual(['a', 'id:1', 'id:2', 'id:3', 'c'])
  })

  test('values of a session, and their limit', async () => {
    const { engine } = engineOf((host, code) => {
      if (code === 'store') host.session?.store('k', { n: 1 })
      if (code === 'remove') host.session?.store('k', undefined)
      if (code === 'large') host.session?.store('k', 'x'.repeat(100))
      return done(host.session?.values.get('k') ?? null)
    })
    const session = make({ engine, tools: {} }).openSession({ maxStoreChars: 20 })
    const values = []
    for (const code of ['read', 'store', 'read', 'remove', 'read']) values.push((await session.exec(code)).value)
    expect(values).toEqual([null, { n: 1 }, { n: 1 }, null, null])
    expect((await session.exec('large')).error?.message).toContain('maxStoreChars (20)')
  })
})

describe('an engine that misbehaves', () => {
  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('bug')
      },
    ],
    ['resolves nothing', () => undefined],
    ['throws something else', () => Promise.reject('bug')],
  ])('%s: the run fails as internal, the next one is fine', async (_name, broken) => {
    const { engine } = engineOf((_host, code) => (code === 'broken' ? broken() : done(1)))
    const codeMode = make({ engine, tools: {} })
    const { error } = failed(await codeMode.run('broken'))
    expect(error.code).toBe('internal')
    expect(error.message).toMatch(/^the engine Test failed: /)
    expect(completed(await codeMode.run('x')).result).toBe(1)
  })

  test('its openSession throws: as well', async () => {
    const codeMode = make({
      tools: {},
      engine: {
        language: 'Test',
        instructions: () => '',
        openSession: () => {
          throw new Error('no interpreter')
        },
      },
    })
    expect(failed(await codeMode.run('x')).error).toMatchObject({
      code: 'internal',
      message: 'the engine Test failed: Error: no interpreter',
    })
  })

  test('malformed failures become ordinary ones', async () => {
    const { engine } = engineOf(() => ({ status: 'failed', error: { code: 'nonsense', line: -1, message: 5 } }))
    expect(failed(await make({ engine, tools: {} }).run('x')).error).toMatchObject({
      code: 'script_error',
      name: 'Error',
      message: 'the program failed',
    })
    const { engine: none } = engineOf(() => ({ status: 'failed' }))
    expect(failed(await make({ engine: none, tools: {} }).run('x')).error.code).toBe('script_error')
  })

  test('one that heeds no signal is given up, counted while it runs, and its late end changes nothing', async () => {
    let end!: (result: Result) => void
    const { engine } = engineOf(() => new Promise<Result>((resolve) => (end = resolve)))
    const codeMode = make({ engine, tools: {} })
    const run = codeMode.start('x')
    await sleep(5)
    const begun = performance.now()
    const outcome = failed(await run.stop())
    expect(outcome.error.code).toBe('stopped')
    expect(performance.now() - begun).toBeGreaterThan(200)
    expect(codeMode.diagnostics()).toMatchObject({ liveRuns: 0, stuckThreads: 1 })
    end(done('late'))
    await sleep(20)
    expect(codeMode.diagnostics().stuckThreads).toBe(0)
  })

  test('one that swallows the stop of its program cannot make it a success', async () => {
    const { engine } = engineOf(async (host) => {
      for (let i = 0; i < 5; i++) await host.callTool('echo', {}).catch(() => {})
      return done('swallowed')
    })
    expect(failed(await make({ engine, tools: { echo }, limits: { maxToolCalls: 2 } }).run('x')).error.code).toBe('tool_call_limit')
  })

  test('one that does not close poisons the session', async () => {
    const { engine } = engineOf(
      () => done(1),
      () => Promise.reject(new Error('still open')),
    )
    const session = make({ engine, tools: {} }).openSession()
    expect(await session.exec('x')).toMatchObject({ status: 'completed' })
    const refused = {
      code: 'cleanup_failed',
      message: expect.stringContaining("the engine's session did not close: Error: still open") as string,
    }
    await expect(session.exec('x')).rejects.toMatchObject(refused)
    await expect(session.close()).rejects.toMatchObject(refused)
  })

  test('one that closes too slowly does too, and a run does not wait for it longer than abortGraceMs', async () => {
    const { engine } = engineOf(
      () => done(1),
      () => new Promise(() => {}),
    )
    const codeMode = make({ engine, tools: {}, limits: { abortGraceMs: 50 } })
    completed(await codeMode.run('x'))
    const session = codeMode.openSession({ cleanupMs: 50 })
    await session.exec('x')
    await expect(session.close()).rejects.toMatchObject({ code: 'cleanup_failed' })
  })
})

test('closing the code mode stops programs of an engine', async () => {
  const { engine } = engineOf(async (host) => done(await host.callTool('hold', {})))
  const codeMode = createCodeMode({ engine, tools: { hold: untilAborted } })
  const running = codeMode.run('x')
  await sleep(5)
  await codeMode.close()
  expect(failed(await running).error.code).toBe('stopped')
  expect(codeMode.diagnostics()).toMatchObject({ liveRuns: 0, pendingCalls: 0, workerThreads: 0, stuckThreads: 0 })
})
