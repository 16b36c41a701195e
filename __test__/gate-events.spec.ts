import { describe, expect, test } from 'vitest'
import type { CodeModeEvent } from '../ts/index.ts'
import { completed, echo, failed, make, recorder, sleep } from './helpers.ts'

describe('events of a run', () => {
  test('are exactly those of the contract, in order', async () => {
    const seen = recorder()
    const codeMode = make({ tools: { echo }, onEvent: seen.onEvent })
    const code = `console.log('hi'); return await tools.echo({ a: 1 })`
    const outcome = await codeMode.run(code, { toolCallId: 'rc' })
    const call = { toolCallId: 'rc:1', parentToolCallId: 'rc', toolName: 'echo' }
    expect(seen.events).toEqual([
      { type: 'run.start', toolCallId: 'rc', code },
      { type: 'run.log', toolCallId: 'rc', line: 'hi' },
      { type: 'tool.start', ...call, input: { a: 1 } },
      { type: 'permission.decision', ...call, action: 'allow', reason: 'no rule matches' },
      { type: 'tool.done', ...call, result: { a: 1 }, durationMs: expect.any(Number) as number },
      { type: 'run.done', toolCallId: 'rc', outcome },
    ])
  })

  test('ids count the calls in the order in which the script made them', async () => {
    const seen = recorder()
    const codeMode = make({ tools: { echo, slow: { execute: () => sleep(20) } }, onEvent: seen.onEvent })
    await codeMode.run('await Promise.all([tools.slow({}), tools.echo({}), tools.slow({})])', { toolCallId: 'rc' })
    expect(seen.of('tool.start').map((event) => `${event.toolCallId} ${event.toolName}`)).toEqual(['rc:1 slow', 'rc:2 echo', 'rc:3 slow'])
  })

  test('a default run id is fresh each time and cannot be guessed', async () => {
    const seen = recorder()
    const codeMode = make({ tools: {}, onEvent: seen.onEvent })
    await Promise.all(Array.from({ length: 300 }, () => codeMode.run('return 1')))
    const ids = new Set(seen.of('run.start').map((event) => event.toolCallId))
    expect(ids.size).toBe(300)
    for (const id of ids) expect(id).toMatch(/^run_[0-9a-f]{32}$/)
  })

  test('every item of an async iterable is a partial; the last one is the result', async () => {
    const seen = recorder()
    const tools = {
      count: {
        async *execute() {
          for (const n of [1, 2, 3]) yield { n }
        },
      },
      later: {
        execute: async () =>
          (async function* () {
            yield 'a'
            yield 'b'
          })(),
      },
      none: { async *execute() {} },
    }
    const codeMode = make({ tools, onEvent: seen.onEvent })
    const outcome = completed(await codeMode.run('return [await tools.count(), await tools.later(), (await tools.none()) ?? null]'))
    expect(outcome.result).toEqual([{ n: 3 }, 'b', null])
    expect(seen.of('tool.partial').map((event) => event.partial)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, 'a', 'b'])
  })

  test('an iterable that throws fails the call', async () => {
    const tools = {
      count: {
        async *execute() {
          yield 1
          throw new Error('out of numbers')
        },
      },
    }
    expect(failed(await make({ tools }).run('return await tools.count()')).error.message).toContain('out of numbers')
  })

  test('the listener of the run and that of the instance both hear everything', async () => {
    const one = recorder()
    const two = recorder()
    const codeMode = make({ tools: { echo }, onEvent: one.onEvent })
    await codeMode.run('await tools.echo({})', { onEvent: two.onEvent })
    await codeMode.run('return 1')
    expect(two.types().filter((type) => type !== 'run.log')).toEqual([
      'run.start',
      'tool.start',
      'permission.decision',
      'tool.done',
      'run.done',
    ])
    expect(one.events.slice(0, two.events.length)).toEqual(two.events)
    expect(one.of('run.done')).toHaveLength(2)
    expect(two.of('run.done')).toHaveLength(1)
  })
})

describe('every inner end comes before the end of the run', () => {
  test.each([
    ['a script that leaves a call behind', `tools.slow({}); return 'done'`, 'completed'],
    ['one that throws', `tools.slow({}); throw new Error('x')`, 'failed'],
    ['one that races', `return await Promise.race([tools.slow({}), tools.echo({})])`, 'completed'],
  ])('%s', async (_name, code, status) => {
    const seen = recorder()
    const tools = {
      echo,
      slow: {
        execute: (_input: unknown, { abortSignal }: { abortSignal: AbortSignal }) =>
          new Promise((_done, fail) => abortSignal.addEventListener('abort', () => setTimeout(fail, 30, new Error('stopped late')))),
      },
    }
    const outcome = await make({ tools, onEvent: seen.onEvent }).run(code)
    expect(outcome.status).toBe(status)
    expect(seen.types().at(-1)).toBe('run.done')
    const ends = seen.events.filter((event) => event.type === 'tool.done' || event.type === 'tool.error')
    expect(ends).toHaveLength(seen.of('tool.start').length)
    expect(outcome.calls.find((call) => call.toolName === 'slow')).toMatchObject({
      status: 'cancelled',
      error: 'The run ended before this call did; it then failed: stopped late',
    })
  })

  test('a call that completes although it was aborted is cancelled all the same, and says so', async () => {
    const tools = { slow: { execute: () => sleep(50) } }
    const outcome = completed(await make({ tools }).run('tools.slow({}); return 1'))
    expect(outcome.calls[0]).toMatchObject({ status: 'cancelled', error: 'The run ended before this call did; its result was dropped.' })
  })

  test('a call that never settles is abandoned after the grace, reported once, and its late end ignored', async () => {
    const seen = recorder()
    let settle!: (value: unknown) => void
    const tools = { never: { execute: () => new Promise((done) => (settle = done)) } }
    const codeMode = make({ tools, limits: { abortGraceMs: 100 }, onEvent: seen.onEvent })
    const started = performance.now()
    completed(await codeMode.run('tools.never({}); return 1'))
    expect(performance.now() - started).toBeGreaterThanOrEqual(95)
    const count = seen.events.length
    settle('late')
    await sleep(20)
    expect(seen.events).toHaveLength(count)
    expect(seen.of('tool.error').map((event) => event.error)).toEqual([
      'Abandoned: the call was aborted and did not settle within 100 ms (abortGraceMs).',
    ])
  })
})

describe('a listener', () => {
  test('that throws or rejects alters nothing and is reported once', async () => {
    const warnings: string[] = []
    const listen = (warning: Error) => warnings.push(warning.message)
    process.on('warning', listen)
    const codeMode = make({
      tools: { echo },
      onEvent(event) {
        if (event.type === 'tool.start') throw new Error('listener broke')
        return Promise.reject(new Error('listener rejected')) as never
      },
    })
    for (let i = 0; i < 3; i++) expect(completed(await codeMode.run('return await tools.echo({ i: 1 })')).result).toEqual({ i: 1 })
    await sleep(20)
    process.off('warning', listen)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(/^an event listener failed: Error: listener (broke|rejected)$/)
  })

  test('cannot change arguments, results or records', async () => {
    const codeMode = make({
      tools: { echo },
      onEvent(event) {
        const loose = event as unknown as { input?: { a?: number }; result?: { a?: number } }
        if (loose.input) loose.input.a = 9
        if (loose.result) loose.result.a = 9
      },
    })
    process.once('warning', () => {})
    const outcome = completed(await codeMode.run('return await tools.echo({ a: 1 })'))
    expect(outcome.result).toEqual({ a: 1 })
    expect(outcome.calls[0]).toMatchObject({ input: { a: 1 }, result: { a: 1 } })
  })
})

describe('the iterator of a started run', () => {
  test('gives the events live and ends after run.done', async () => {
    let release!: () => void
    const tools = { wait: { execute: () => new Promise<void>((done) => (release = done)) } }
    const run = make({ tools }).start('await tools.wait({}); return 1', { toolCallId: 'rc' })
    const types: string[] = []
    for await (const event of run.events) {
      types.push(event.type)
      if (event.type === 'permission.decision') release()
    }
    expect(types.filter((type) => type !== 'run.log')).toEqual(['run.start', 'tool.start', 'permission.decision', 'tool.done', 'run.done'])
    expect(completed(await run.outcome).result).toBe(1)
    expect(run.toolCallId).toBe('rc')
  })

  test('keeps 10,000 unread events, counts the rest, and always keeps run.done', async () => {
    const tools = {
      many: {
        async *execute() {
          for (let i = 0; i < 10_100; i++) yield i
        },
      },
    }
    const run = make({ tools }).start('return await tools.many({})')
    expect(completed(await run.outcome).result).toBe(10_099)
    const events: CodeModeEvent[] = []
    for await (const event of run.events) events.push(event)
    expect(events).toHaveLength(10_001)
    expect(events.at(-1)?.type).toBe('run.done')
    expect(run.events.missed).toBeGreaterThanOrEqual(100)
  })

  test('a reader that leaves early holds nothing back', async () => {
    const run = make({ tools: { echo } }).start('for (let i = 0; i < 5; i++) await tools.echo({}); return 1')
    for await (const event of run.events) {
      expect(event.type).toBe('run.start')
      break
    }
    expect(completed(await run.outcome).result).toBe(1)
  })
})
