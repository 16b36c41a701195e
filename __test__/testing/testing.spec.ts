import fs from 'node:fs'
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Json, Outcome } from '../../ts/index.ts'
import { expectNoSideEffects, fakeClock, mockTool, mockTools, recordRun, replayTools, type Recording } from '../../ts/testing/index.ts'
import { completed, failed, make, objectOf, resultOf } from '../helpers.ts'

describe('mock tools', () => {
  test('a value, a function, an error, and answers that come first', async () => {
    const tools = mockTools({
      price: { usd: 2 },
      double: ({ n }: { n: number }) => n * 2,
      broken: new Error('out of order'),
    })
    tools.price.answerOnce({ usd: 1 }, new Error('not yet'))
    const program = `
      const told = []
      for (let i = 0; i < 3; i++) told.push(await tools.price({ i }).catch((e) => e.message))
      return [told, await tools.double({ n: 4 }), await tools.broken({}).catch((e) => e.message)]`
    expect(await resultOf({ tools }, program)).toEqual([[{ usd: 1 }, 'not yet', { usd: 2 }], 8, 'out of order'])
  })

  test('calls are remembered as they were made, with id and context', async () => {
    const price = mockTool(1)
    await make({ tools: { price } }).run("await tools.price({ b: 1, a: ['x'] })", { toolCallId: 'run', context: { user: 'u' } })
    expect(price.calls).toEqual([{ input: { b: 1, a: ['x'] }, toolCallId: 'run:1', context: { user: 'u' } }])
    price.expectCalledWith({ a: ['x'], b: 1 })
    price.expectCalledTimes(1)
    expect(() => price.expectCalledWith({ a: ['y'] })).toThrow('Expected a call with {"a":["y"]}, got 1: {"a":["x"],"b":1}')
    expect(() => price.expectCalledTimes(2)).toThrow('Expected 2 calls, got 1: {"a":["x"],"b":1}')
    price.reset()
    expect(() => price.expectCalledTimes(1)).toThrow('Expected 1 call, got none')
  })

  test('what the gate refuses does not reach a mock', async () => {
    const price = mockTool(1, { inputSchema: objectOf({ item: { type: 'string' } }) })
    await make({ tools: { price } }).run('await tools.price({ item: 7 })')
    expect(() => price.expectCalledTimes(0)).not.toThrow()
  })
})

describe('record and replay', () => {
  const source = `
    const found = await Promise.all(['a', 'b', 'a'].map((id) => tools.find({ id })))
    const missing = await tools.find({ id: 'z' }).catch((error) => error.message)
    return { found, missing }`

  async function record(): Promise<{ recording: Recording; outcome: Outcome }> {
    let n = 0
    const find = ({ id }: { id: string }) => {
      if (id === 'z') throw new Error('there is no z')
      return { id, n: ++n }
    }
    const outcome = await make({ tools: { find: mockTool(find as never) } }).run(source)
    return { outcome, recording: JSON.parse(JSON.stringify(recordRun(source, outcome))) as Recording }
  }

  test('a replay through JSON gives the same result, without the live tools', async () => {
    const { recording, outcome } = await record()
    const replay = replayTools(recording)
    expect(await resultOf({ tools: replay.tools }, recording.source)).toEqual(completed(outcome).result)
    replay.expectComplete()
    expect(recording.outcome).toEqual({ status: 'completed', result: completed(outcome).result })
  })

  test('another program is told apart: calls that are not recorded, calls that were not made', async () => {
    const { recording } = await record()
    const replay = replayTools(recording)
    const told = await resultOf(
      { tools: replay.tools },
      "return [await tools.find({ id: 'a' }), await tools.find({ id: 'q' }).catch((e) => e.message)]",
    )
    expect(told).toEqual([{ id: 'a', n: 1 }, 'No recorded call of find with {"id":"q"}'])
    expect(() => replay.expectComplete()).toThrow(
      'The run differs from its recording; not made: find({"id":"b"}), find({"id":"a"}), find({"id":"z"}); not recorded: find({"id":"q"})',
    )
  })

  test('definitions bring the schemas back', async () => {
    const { recording } = await record()
    const { tools, unexpected } = replayTools(recording, { find: { inputSchema: objectOf({ id: { type: 'string' } }) } })
    expect(await resultOf({ tools }, 'return await tools.find({ id: 7 }).catch((e) => e.name)')).toBe('ToolError')
    expect(unexpected).toEqual([])
  })

  test('a run with a call that never ended cannot be recorded; what is no recording is refused', async () => {
    const outcome = await make({ tools: { hang: mockTool(() => new Promise(() => {})) }, limits: { timeoutMs: 100, abortGraceMs: 0 } }).run(
      'await tools.hang({})',
    )
    expect(() => recordRun('x', outcome)).toThrow('Cannot record a run whose call of hang has not ended (cancelled)')
    expect(() => replayTools({ version: 2 } as never)).toThrow(new TypeError('Expected `recording` to be a recording of version 1'))
  })
})

test('expectNoSideEffects: a read passes, a write is named, a denied write passes', async () => {
  const tools = { look: mockTool(1, { readOnly: true }), write: mockTool(1) }
  expectNoSideEffects(await make({ tools }).run('await tools.look({})'), tools)
  const wrote = await make({ tools }).run("await tools.look({}); await tools.write({ to: 'x' })")
  expect(() => expectNoSideEffects(wrote, tools)).toThrow('Expected no side effects, got 1: write({"to":"x"}) done')
  const list = Object.entries(tools).map(([name, tool]) => ({ ...tool, name }))
  expect(() => expectNoSideEffects(wrote, list)).toThrow('got 1: write')
  const planned = await make({ tools, mode: 'plan' }).run('await tools.write({}).catch(() => {})')
  expectNoSideEffects(planned, tools)
})

describe('fake clock', () => {
  const hang = () => new Promise<Json>(() => {})

  test('the limit of one tool call: a millisecond before it nothing, at it the call fails', async () => {
    using clock = fakeClock()
    const run = make({ tools: { hang: mockTool(hang) }, limits: { toolTimeoutMs: 60_000, timeoutMs: 90_000 } }).start(
      'return await tools.hang({}).catch((e) => e.message)',
    )
    await clock.untilPending()
    let over = false
    void run.outcome.then(() => (over = true))
    await clock.advance(59_999)
    expect([over, clock.now]).toEqual([false, 59_999])
    await clock.advance(1)
    expect(completed(await run.outcome).result).toContain('60000 ms')
  })

  test('the limit of one approval', async () => {
    using clock = fakeClock()
    const run = make({ tools: { write: mockTool(1, { needsApproval: true }) }, approve: () => new Promise(() => {}) }).start(
      'return await tools.write({}).catch((e) => e.message)',
    )
    await clock.untilPending()
    await clock.advance(299_999)
    expect(clock.pending).toBe(1)
    await clock.advance(1)
    expect(completed(await run.outcome).result).toContain('300000 ms')
  })

  const waits = "try { await tools.hang({}) } catch {} return 'caught'"
  /** Ends when it is told to, so that no grace has to pass. */
  const hangs = () =>
    mockTool(
      (_: Json, { abortSignal }) =>
        new Promise<Json>((_resolve, reject) => abortSignal.addEventListener('abort', () => reject(abortSignal.reason as Error))),
    )

  test('the limit of the whole run: just before it nothing, at it the run ends as the engine would end it, caught or not', async () => {
    using clock = fakeClock()
    const run = make({ tools: { hang: hangs() }, limits: { timeoutMs: 3_600_000 } }).start(waits)
    let over = false
    void run.outcome.then(() => (over = true))
    await clock.advance(3_599_999)
    expect(over).toBe(false)
    await clock.advance(1)
    const { error, calls, stats } = failed(await run.outcome)
    expect(error).toMatchObject({
      code: 'timeout',
      name: 'TimeoutError',
      message: 'the program did not end within timeoutMs (3600000 ms). Still running: hang (call 1)',
    })
    expect(error.modelText).toMatch(/^TimeoutError: the program did not end/)
    expect(calls.map(({ status }) => status)).toEqual(['cancelled'])
    expect(stats.wallMs).toBeLessThan(5_000)
  })

  test('the limit of a run is the same text by the fake clock and by the real one', async () => {
    const real = failed(await make({ tools: { hang: hangs() }, limits: { timeoutMs: 50 } }).run(waits)).error
    using clock = fakeClock()
    const run = make({ tools: { hang: hangs() }, limits: { timeoutMs: 50 } }).start(waits)
    await clock.advance(50)
    expect(failed(await run.outcome).error).toEqual(real)
  })

  test('the clock of a run stands while somebody is asked', async () => {
    using clock = fakeClock()
    let answer: (decision: 'approve') => void = () => {}
    const run = make({
      tools: { write: mockTool(1, { needsApproval: true }), hang: hangs() },
      approve: () => new Promise((resolve) => (answer = resolve)),
      limits: { timeoutMs: 100_000 },
    }).start('await tools.write({}); await tools.hang({})')
    await clock.untilPending()
    await clock.advance(250_000)
    answer('approve')
    await clock.advance(99_999)
    let over = false
    void run.outcome.then(() => (over = true))
    await clock.advance(0)
    expect(over).toBe(false)
    await clock.advance(1)
    expect(failed(await run.outcome).error.code).toBe('timeout')
  })

  test('the life of a program of a session', async () => {
    using clock = fakeClock()
    const session = make({ tools: { hang: hangs() } }).openSession({ wallMs: 7_200_000, observeMs: 86_400_000 })
    const watched = session.exec(waits)
    await clock.advance(7_200_000)
    expect(await watched).toMatchObject({ status: 'error', error: { code: 'timeout' } })
    await session.close()
  })

  test('a run that began before the clock, or computes without end, is kept in real time', async () => {
    const before = make({ tools: { hang: hangs() }, limits: { timeoutMs: 300 } }).start(waits)
    using clock = fakeClock()
    const loop = make({ tools: {}, limits: { timeoutMs: 100 } }).run('for (;;) {}')
    expect(failed(await loop).error.code).toMatch(/timeout$/)
    await clock.advance(200)
    expect(failed(await before.outcome).error.code).toBe('timeout')
    expect(clock.pending).toBe(0)
  })

  test('timers fire in the order of their time, those that they set too; misuse is refused; the real ones come back', async () => {
    const real = globalThis.setTimeout
    const clock = fakeClock()
    expect(() => fakeClock()).toThrow('A fake clock is installed already')
    const told: string[] = []
    setTimeout(() => told.push('b'), 20)
    setTimeout(() => (told.push('a'), setTimeout(() => told.push('c'), 15)), 10)
    clearTimeout(setTimeout(() => told.push('never'), 5))
    await clock.advance(24)
    expect(told).toEqual(['a', 'b'])
    await clock.advance(1)
    expect(told).toEqual(['a', 'b', 'c'])
    await expect(clock.advance(-1)).rejects.toThrow(new RangeError('Expected `ms` to be at least 0, got `-1`'))
    clock.restore()
    expect(globalThis.setTimeout).toBe(real)
  })
})

test('the same helpers under node:test, from the built package', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const file = path.join(root, 'dist', `node-test-${process.pid}.test.mjs`)
  fs.writeFileSync(
    file,
    `import assert from 'node:assert'
    import test from 'node:test'
    import { createCodeMode } from 'codemode-native'
    import { expectNoSideEffects, fakeClock, mockTool } from 'codemode-native/testing'
    test('looks and writes nothing', async () => {
      const look = mockTool({ seen: 1 }, { readOnly: true })
      await using codeMode = createCodeMode({ tools: { look } })
      expectNoSideEffects(await codeMode.run('return await tools.look({ at: 1 })'), { look })
      look.expectCalledWith({ at: 1 })
    })
    test('an hour passes at once', async () => {
      const clock = fakeClock()
      const codeMode = createCodeMode({ tools: { hang: mockTool(() => new Promise(() => {})) }, limits: { timeoutMs: 3_600_000 } })
      const run = codeMode.start('await tools.hang({})')
      await clock.advance(3_601_000)
      assert.equal((await run.outcome).error.code, 'timeout')
      clock.restore()
      await codeMode.close()
    })`.replace('await using codeMode', 'const codeMode'),
  )
  try {
    expect(
      execFileSync(process.execPath, ['--test', '--test-reporter=tap', file], {
        encoding: 'utf8',
        env: { ...process.env, NODE_OPTIONS: '' },
      }),
    ).toContain('# pass 2')
  } finally {
    fs.rmSync(file)
  }
})
