import { describe, expect, test } from 'vitest'
import { completed, echo, failed, make, recorder, sleep } from './helpers.ts'

/** A tool that counts how many calls of it run at one time. */
function gauge(ms = 10) {
  const state = { now: 0, most: 0, order: [] as number[] }
  const execute = async ({ n }: { n: number }) => {
    state.order.push(n)
    state.most = Math.max(state.most, ++state.now)
    await sleep(ms)
    state.now--
    return n
  }
  return { state, execute }
}
const fan = (tool: string, count: number) => `return await Promise.all(Array.from({ length: ${count} }, (_, n) => tools.${tool}({ n })))`
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

describe('toolConcurrency', () => {
  test.each([1, 3, 8])('%i calls run at one time; the others wait in order', async (toolConcurrency) => {
    const { state, execute } = gauge()
    const outcome = completed(await make({ tools: { work: { execute } }, limits: { toolConcurrency } }).run(fan('work', 20)))
    expect(outcome.result).toEqual(upTo(20))
    expect(state.most).toBe(toolConcurrency)
    expect(state.order).toEqual(upTo(20))
  })

  test('a call that fails gives its slot back', async () => {
    const tools = {
      bad: {
        execute: async () => {
          await sleep(1)
          throw new Error('x')
        },
      },
      good: { execute: () => 'good' },
    }
    const code = `await Promise.allSettled([tools.bad(), tools.bad(), tools.bad()]); return await tools.good()`
    expect(completed(await make({ tools, limits: { toolConcurrency: 1 } }).run(code)).result).toBe('good')
  })

  test('a call that timed out gives its slot back although its tool still runs', async () => {
    const tools = { hang: { timeoutMs: 20, execute: () => new Promise(() => {}) }, good: { execute: () => 'good' } }
    const code = `await Promise.allSettled([tools.hang(), tools.hang()]); return await tools.good()`
    expect(completed(await make({ tools, limits: { toolConcurrency: 1 } }).run(code)).result).toBe('good')
  })

  test('each run has its own', async () => {
    const { state, execute } = gauge(30)
    const codeMode = make({ tools: { work: { execute } }, limits: { toolConcurrency: 2 } })
    await Promise.all([codeMode.run(fan('work', 6)), codeMode.run(fan('work', 6)), codeMode.run(fan('work', 6))])
    expect(state.most).toBe(6)
  })

  test('a call that waits for an approval holds no slot', async () => {
    const tools = { pay: { needsApproval: true, execute: () => 'paid' }, look: { execute: () => 'seen' } }
    const codeMode = make({
      tools,
      limits: { toolConcurrency: 1 },
      approve: async () => (await sleep(50), 'approve' as const),
    })
    const code = `const order = []; await Promise.all([tools.pay().then((r) => order.push(r)), tools.look().then((r) => order.push(r))]); return order`
    expect(completed(await codeMode.run(code)).result).toEqual(['seen', 'paid'])
  })
})

describe('maxConcurrency of a tool', () => {
  test('binds that tool; others pass it', async () => {
    const slow = gauge(20)
    const fast = gauge(1)
    const tools = { slow: { maxConcurrency: 2, execute: slow.execute }, fast: { execute: fast.execute } }
    const code = `
      const slow = Array.from({ length: 6 }, (_, n) => tools.slow({ n })), fast = Array.from({ length: 6 }, (_, n) => tools.fast({ n }))
      return [await Promise.all(slow), await Promise.all(fast)]`
    const outcome = completed(await make({ tools }).run(code))
    expect(outcome.result).toEqual([upTo(6), upTo(6)])
    expect(slow.state.most).toBe(2)
    expect(slow.state.order).toEqual(upTo(6))
    expect(fast.state.most).toBeGreaterThan(2)
  })
})

describe('timeoutMs of a tool', () => {
  test('the call fails as a ToolError, its signal is aborted, the run goes on', async () => {
    let signal: AbortSignal | undefined
    const tools = {
      hang: {
        timeoutMs: 50,
        execute: (_input: unknown, context: { abortSignal: AbortSignal }) => ((signal = context.abortSignal), new Promise(() => {})),
      },
    }
    const outcome = completed(await make({ tools }).run(`try { await tools.hang() } catch (e) { return [e.name, e.message] }`))
    expect(outcome.result).toEqual(['ToolError', 'Tool hang took longer than its timeout of 50 ms.'])
    expect(outcome.calls[0]?.status).toBe('error')
    expect((signal?.reason as Error).name).toBe('TimeoutError')
  })

  test('defaults to limits.toolTimeoutMs, and does not count the wait for a slot', async () => {
    const tools = { nap: { execute: () => sleep(60) }, long: { timeoutMs: 2_000, execute: () => sleep(150) } }
    const codeMode = make({ tools, limits: { toolTimeoutMs: 110, toolConcurrency: 1 } })
    completed(await codeMode.run('await Promise.all([tools.nap(), tools.nap(), tools.nap()])'))
    completed(await codeMode.run('await tools.long()'))
    const short = make({ tools, limits: { toolTimeoutMs: 30 } })
    expect(failed(await short.run('await tools.nap()')).error.message).toBe('Tool nap took longer than its timeout of 30 ms.')
  })

  test('bounds an async iterable as a whole', async () => {
    const tools = {
      drip: {
        timeoutMs: 60,
        async *execute() {
          for (let i = 0; ; i++) {
            await sleep(5)
            yield i
          }
        },
      },
    }
    expect(failed(await make({ tools }).run('return await tools.drip()')).error.message).toContain('timeout of 60 ms')
  })

  test('a result that comes after it is dropped', async () => {
    const seen = recorder()
    const tools = { nap: { timeoutMs: 20, execute: async () => (await sleep(60), 'late') }, wait: { execute: () => sleep(100) } }
    const outcome = completed(
      await make({ tools, onEvent: seen.onEvent }).run('await tools.nap().catch(() => {}); await tools.wait(); return 1'),
    )
    expect(outcome.calls.map((call) => call.status)).toEqual(['error', 'done'])
    expect(seen.of('tool.error')).toHaveLength(1)
  })
})

describe('maxToolCalls', () => {
  const tools = { make: { execute: ({ n }: { n: number }) => `made ${n}` } }

  test.each([
    ['in a row', 'for (let n = 1; n <= 6; n++) await tools.make({ n })'],
    ['at once', 'await Promise.all([1, 2, 3, 4, 5, 6].map((n) => tools.make({ n })))'],
    ['caught', 'for (let n = 1; n <= 6; n++) try { await tools.make({ n }) } catch {} return 1'],
    ['settled', 'await Promise.allSettled([1, 2, 3, 4, 5, 6].map((n) => tools.make({ n }))); return 1'],
  ])('the call over it is not made and ends the run: %s', async (_how, code) => {
    const outcome = failed(await make({ tools, limits: { maxToolCalls: 5 } }).run(code))
    expect(outcome.error.code).toBe('tool_call_limit')
    expect(outcome.error.message).toMatch(/5.*The first calls: make, make, make, make, make$/)
    expect(outcome.toolCalls).toBe(5)
    expect(outcome.calls).toHaveLength(5)
  })

  test('as many as allowed pass', async () => {
    expect(completed(await make({ tools, limits: { maxToolCalls: 5 } }).run(fan('make', 5))).toolCalls).toBe(5)
  })

  test('a thousand calls that answer at once neither recurse nor lose one', async () => {
    const codeMode = make({ tools, limits: { maxToolCalls: 20_000, maxOutputChars: 1_000_000, toolConcurrency: 2 } })
    const outcome = completed(
      await codeMode.run(
        'let sum = 0; for (const r of await Promise.all(Array.from({ length: 20000 }, (_, n) => tools.make({ n })))) sum += r.length; return sum',
      ),
    )
    expect(outcome.calls.every((call) => call.status === 'done')).toBe(true)
    expect(outcome.toolCalls).toBe(20_000)
  })
})

test('a timeout names the limit and the calls still running', async () => {
  const tools = { quick: { execute: () => 1 }, slow_report: { execute: () => new Promise(() => {}) } }
  const outcome = failed(
    await make({ tools, limits: { timeoutMs: 500, abortGraceMs: 20 } }).run(
      'await tools.quick(); return await tools.slow_report({ id: 3 })',
    ),
  )
  expect(outcome.error.code).toBe('timeout')
  expect(outcome.error.message).toMatch(/500.*Still running: slow_report \(call 2\)$/)
  expect(outcome.calls[1]).toMatchObject({
    status: 'cancelled',
    error: 'Abandoned: the call was aborted and did not settle within 20 ms (abortGraceMs).',
  })
})

test('programs awaited one after the other without an end let timers and immediates come', async () => {
  const codeMode = make({ tools: { echo } })
  for (const code of ['return 1', 'await tools.echo({}); return 1']) {
    let turns = 0
    let going = true
    const turn = () => {
      turns++
      if (going) setImmediate(turn)
    }
    setImmediate(turn)
    for (let i = 0; i < 300; i++) completed(await codeMode.run(code))
    going = false
    expect(turns).toBeGreaterThan(10)
  }
})

test('a program that goes on on another thread while its first calls wait to be delivered loses none of them', async () => {
  const codeMode = make({ tools: { echo }, limits: { maxToolCalls: 100 } })
  const code = `for (let i = 0; i < 40; i++) tools.echo({ i }).catch(() => {})
    let x = 0
    for (let i = 0; i < 20000; i++) x += i
    return x`
  for (let round = 0; round < 100; round++) {
    await new Promise<void>((done) => setTimeout(done, 0))
    const running = codeMode.run(code)
    // The host is busy: the end of the program comes before the loop turns.
    const until = performance.now() + 4
    while (performance.now() < until);
    const outcome = completed(await running)
    expect(outcome.toolCalls).toBe(40)
    expect(outcome.calls.map(({ input }) => (input as { i: number }).i)).toEqual(Array.from({ length: 40 }, (_, i) => i))
  }
})
