import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { completed, echo, failed, make, recorder, sleep } from './helpers.ts'

/** A tool that runs until its signal is aborted, then fails after `lateMs`. */
function endless(lateMs = 0) {
  const signals: AbortSignal[] = []
  const tools = {
    wait: {
      execute: (_input: unknown, { abortSignal }: { abortSignal: AbortSignal }) =>
        new Promise((_done, fail) => {
          signals.push(abortSignal)
          abortSignal.addEventListener('abort', () => setTimeout(fail, lateMs, new Error('stopped late')))
        }),
    },
  }
  return { signals, tools }
}

describe('the abort signal of a caller', () => {
  test.each<[string, unknown, string]>([
    ['no reason', undefined, 'The run was aborted'],
    ['a text', 'user left', 'The run was aborted: user left'],
    ['an Error', new Error('user left'), 'The run was aborted: user left'],
    ['an object', { secret: 1 }, 'The run was aborted'],
  ])('aborted before with %s: nothing runs', async (_name, reason, message) => {
    let entered = 0
    const seen = recorder()
    const codeMode = make({ tools: { touch: { execute: () => entered++ } }, onEvent: seen.onEvent })
    const outcome = failed(await codeMode.run('await tools.touch()', { abortSignal: AbortSignal.abort(reason) }))
    expect(outcome.error).toMatchObject({ code: 'aborted', name: 'AbortError', message })
    expect(outcome).toMatchObject({ toolCalls: 0, calls: [], logs: [] })
    expect(entered).toBe(0)
    expect(seen.types()).toEqual(['run.start', 'run.done'])
    expect(codeMode.diagnostics()).toMatchObject({ liveRuns: 0, pendingCalls: 0 })
  })

  test('aborted during: calls are aborted at once, and awaited', async () => {
    const { signals, tools } = endless(200)
    const caller = new AbortController()
    const codeMode = make({ tools })
    const run = codeMode.run('return await tools.wait({})', { abortSignal: caller.signal })
    while (signals.length === 0) await sleep(5)
    const started = performance.now()
    caller.abort('enough')
    expect(signals[0]?.aborted).toBe(true)
    const outcome = failed(await run)
    expect(performance.now() - started).toBeGreaterThanOrEqual(190)
    expect(outcome.error).toMatchObject({ code: 'aborted', message: 'The run was aborted: enough' })
    expect(outcome.calls[0]).toMatchObject({
      status: 'cancelled',
      error: 'The run ended before this call did; it then failed: stopped late',
    })
  })

  test('catching does not help', async () => {
    const { signals, tools } = endless()
    const caller = new AbortController()
    const run = make({ tools: { ...tools, echo } }).run('try { await tools.wait({}) } catch {} return await tools.echo({})', {
      abortSignal: caller.signal,
    })
    while (signals.length === 0) await sleep(5)
    caller.abort()
    expect(failed(await run).error.code).toBe('aborted')
  })

  test('a script that computes is stopped', async () => {
    const caller = new AbortController()
    const run = make({ tools: {}, limits: { timeoutMs: 20_000 } }).run('for (;;);', { abortSignal: caller.signal })
    await sleep(50)
    caller.abort()
    expect(failed(await run).error.code).toBe('aborted')
  })

  test('many runs share one listener, and none is left behind', async () => {
    const { signals, tools } = endless()
    const warnings: Error[] = []
    const listen = (warning: Error) => warnings.push(warning)
    process.on('warning', listen)
    const caller = new AbortController()
    const codeMode = make({ tools })
    const runs = Array.from({ length: 40 }, () => codeMode.run('await tools.wait({})', { abortSignal: caller.signal }))
    while (signals.length < 40) await sleep(5)
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
    caller.abort()
    for (const outcome of await Promise.all(runs)) expect(failed(outcome).error.code).toBe('aborted')
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
    completed(await codeMode.run('return 1', { abortSignal: new AbortController().signal }))
    process.off('warning', listen)
    expect(warnings).toEqual([])
  })

  test('a run that ended leaves the signal alone', async () => {
    const caller = new AbortController()
    completed(await make({ tools: {} }).run('return 1', { abortSignal: caller.signal }))
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
    caller.abort()
  })
})

describe('stop()', () => {
  test('ends the run as stopped, once', async () => {
    const { signals, tools } = endless()
    const run = make({ tools }).start('await tools.wait({})')
    while (signals.length === 0) await sleep(5)
    const [first, second] = await Promise.all([run.stop('changed my mind'), run.stop('again')])
    expect(failed(first).error).toMatchObject({ code: 'stopped', message: 'The run was stopped: changed my mind' })
    expect(second).toBe(first)
    expect(await run.outcome).toBe(first)
  })

  test('a run that completed first stays completed', async () => {
    const run = make({ tools: {} }).start('return 1')
    await run.outcome
    expect(completed(await run.stop()).result).toBe(1)
  })

  test('called at once it stops a run that has hardly begun', async () => {
    const run = make({ tools: { echo } }).start('for (;;) await tools.echo({})')
    expect(failed(await run.stop()).error.code).toBe('stopped')
  })

  test('from inside a tool it ends the run of that tool', async () => {
    const tools = { quit: { execute: () => void run.stop('from a tool') } }
    const run = make({ tools }).start('await tools.quit({}); return 1')
    const outcome = failed(await run.outcome)
    expect(outcome.error.code).toBe('stopped')
    expect(outcome.calls[0]?.status).toBe('cancelled')
  })
})

describe('the abort signal of a call', () => {
  test('is aborted when the script ends without it, and stays quiet when the call ends first', async () => {
    const seen: AbortSignal[] = []
    const tools = {
      quick: { execute: (_input: unknown, { abortSignal }: { abortSignal: AbortSignal }) => void seen.push(abortSignal) },
      left: {
        execute: (_input: unknown, { abortSignal }: { abortSignal: AbortSignal }) =>
          new Promise((done) => {
            seen.push(abortSignal)
            abortSignal.addEventListener('abort', done)
          }),
      },
    }
    completed(await make({ tools }).run('await tools.quick({}); tools.left({}); return 1'))
    expect(seen.map((signal) => signal.aborted)).toEqual([false, true])
  })

  test('is aborted already where it is looked at too late', async () => {
    let late: AbortSignal | undefined
    const tools = {
      left: {
        execute: async (_input: unknown, context: { abortSignal: AbortSignal }) => (await sleep(100), void (late = context.abortSignal)),
      },
    }
    completed(await make({ tools }).run('tools.left({}); return 1'))
    expect(late?.aborted).toBe(true)
    expect((late?.reason as Error).name).toBe('AbortError')
  })
})
