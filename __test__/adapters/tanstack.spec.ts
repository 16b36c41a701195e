import { toolDefinition } from '@tanstack/ai'
import { createCodeMode } from '@tanstack/ai-code-mode'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createNativeIsolateDriver } from '../../ts/adapters/tanstack.ts'
import { sleep } from '../helpers.ts'

interface Result {
  success: boolean
  result?: unknown
  logs?: string[]
  error?: { message: string; name?: string }
}

const price = toolDefinition({
  name: 'get_price',
  description: 'The price of one fruit',
  inputSchema: z.object({ item: z.string() }),
  outputSchema: z.object({ usd: z.number() }),
}).server(async ({ item }) => {
  await sleep(5)
  if (item === 'rock') throw new Error('a rock is no fruit')
  return { usd: item.length }
})

function codeMode(options = {}, driver = createNativeIsolateDriver()) {
  const events: { name: string; value: unknown }[] = []
  const { tool } = createCodeMode({ driver, tools: [price] as never, ...options })
  const execute = tool.execute as (input: { typescriptCode: string }, context: object) => Promise<Result>
  return {
    events,
    run: (typescriptCode: string) =>
      execute({ typescriptCode }, { emitCustomEvent: (name: string, value: unknown) => void events.push({ name, value }) }),
  }
}

describe("TanStack's createCodeMode over the native driver", () => {
  test('TypeScript, external functions in parallel, logs with their levels', async () => {
    const { run, events } = codeMode()
    const program = `
      interface Price { usd: number }
      const prices: Price[] = await Promise.all(['fig', 'pear'].map((item) => external_get_price({ item })))
      console.log('got', prices.length)
      console.warn('careful')
      console.error('bad')
      return prices.map((price) => price.usd)`
    expect(await run(program)).toEqual({ success: true, result: [3, 4], logs: ['got 2', 'WARN: careful', 'ERROR: bad'] })
    expect(events.map((event) => event.name)).toEqual(
      expect.arrayContaining(['code_mode:execution_started', 'code_mode:external_call', 'code_mode:external_result', 'code_mode:console']),
    )
  })

  test.each([
    ["await external_get_price({ item: 'rock' })", /a rock is no fruit/],
    ['throw new RangeError("too far")', /too far/],
    ['return 1 +', /./],
    ['return require("fs")', /require/],
    ['return await fetch("http://x")', /fetch/],
  ])('%s is an error result, not a throw', async (program, message) => {
    const { success, error } = await codeMode().run(program)
    expect(success).toBe(false)
    expect(error?.message).toMatch(message)
  })

  test('timeout and memory limit of the package are kept, and cannot be caught', async () => {
    const begun = performance.now()
    const slow = await codeMode({ timeout: 200 }).run('try { for (;;) {} } catch {} return 1')
    expect(slow).toMatchObject({ success: false })
    expect(performance.now() - begun).toBeLessThan(5_000)
    const big = await codeMode({ memoryLimit: 4 }).run(
      "try { const a = []; for (;;) a.push('x'.repeat(1e5) + a.length) } catch {} return 1",
    )
    expect(big.error?.message).toMatch(/memory/i)
    expect((await codeMode({ memoryLimit: 8 }).run("return 'x'.repeat(1e5).length")).result).toBe(100_000)
  })

  test('nothing is left from one program to the next', async () => {
    const { run } = codeMode()
    await run('globalThis.left = 1; return 1')
    expect(await run('return typeof left')).toMatchObject({ result: 'undefined' })
  })

  test('the contract of a driver: contexts run more than once, then dispose', async () => {
    const context = await createNativeIsolateDriver().createContext({
      bindings: {
        'external_a-b': { name: 'a-b', description: '', inputSchema: {}, execute: async (input) => ({ got: input }) },
      },
    })
    expect(await context.execute("return await globalThis['external_a-b']([1])")).toEqual({ success: true, value: { got: [1] }, logs: [] })
    expect(await context.execute('throw new TypeError("no")')).toMatchObject({
      success: false,
      error: { name: 'TypeError', message: 'no' },
    })
    await context.dispose()
    expect(await context.execute('return 1')).toMatchObject({
      success: false,
      error: { name: 'DisposedError', message: 'The context has been disposed' },
    })
  })

  test('a Markdown fence around the program is taken off', async () => {
    const context = await createNativeIsolateDriver().createContext({ bindings: {} })
    expect(await context.execute('```ts\nconst n: number = 1\nreturn n + 1\n```')).toMatchObject({ value: 2 })
    await context.dispose()
  })
})
