// Limits of a session: just under passes, just over stops, catching it does not help.
import { expect, test } from 'vitest'
import { echo, make, sleep, untilAborted } from './helpers.ts'

const tools = { echo }

test('maxPrograms: the last one runs, the one after is refused', async () => {
  const session = make({ tools }).openSession({ maxPrograms: 2 })
  expect(await session.exec('return (')).toMatchObject({ status: 'error' })
  expect(await session.exec('return 2')).toMatchObject({ value: 2 })
  await expect(session.exec('return 3')).rejects.toMatchObject({
    code: 'program_limit',
    message: 'The session ran 2 programs, which is its limit (maxPrograms)',
  })
})

test('maxToolCalls counts over the programs of a session, and cannot be caught', async () => {
  const session = make({ tools, limits: { maxToolCalls: 3 } }).openSession()
  const code = 'try { for (let i = 0; i < 2; i++) await tools.echo({}) } catch {} return "caught"'
  expect(await session.exec(code)).toMatchObject({ status: 'completed' })
  expect(await session.exec(code)).toMatchObject({
    status: 'error',
    error: {
      code: 'tool_call_limit',
      message: expect.stringMatching(/^The session made more tool calls than its limit of 3 \(maxToolCalls\)/) as string,
    },
  })
  expect(await session.exec('return "no call"')).toMatchObject({ value: 'no call' })
})

test('a counter that the host shares: calls elsewhere count, the limit is for all of them', async () => {
  let entered = 0
  const spy = { execute: () => void entered++ }
  const codeMode = make({ tools: { spy } })
  const counter = { made: 0 }
  const limits = { maxToolCalls: 5 }
  const [one, two] = [
    codeMode.openSession({ limits, toolCallCounter: counter }),
    codeMode.openSession({ limits, toolCallCounter: counter }),
  ]
  counter.made++ // a call that the model made itself
  expect(await one.exec('await tools.spy(); await tools.spy()')).toMatchObject({ status: 'completed' })
  expect(await two.exec('await tools.spy(); await tools.spy()')).toMatchObject({ status: 'completed' })
  expect(counter.made).toBe(5)
  expect(await one.exec('await tools.spy()')).toMatchObject({ error: { code: 'tool_call_limit' } })
  expect([entered, counter.made]).toEqual([4, 5])
})

test('exec, wait and stop are no tool calls', async () => {
  const session = make({ tools, limits: { maxToolCalls: 1 } }).openSession({ observeMs: 1 })
  for (let i = 0; i < 5; i++) {
    let result = await session.exec('return 1')
    while (result.status === 'still_working') result = await session.wait()
    expect(result.value).toBe(1)
  }
  let result = await session.exec('return await tools.echo({ n: 1 })')
  while (result.status === 'still_working') result = await session.wait()
  expect(result.value).toEqual({ n: 1 })
})

test('output over maxOutputChars ends the program, with what fitted', async () => {
  const session = make({ tools }).openSession({ limits: { maxOutputChars: 10 } })
  expect(await session.exec('console.log("12345"); return 123')).toEqual({ status: 'completed', output: '12345\n', value: 123 })
  const over = await session.exec('try { console.log("12345"); console.log("1234") } catch {} return 1')
  expect(over).toMatchObject({ status: 'error', output: '12345\n', error: { code: 'output_limit' } })
})

test('output comes in chunks of maxChunkChars, that never cut a character in two', async () => {
  const session = make({ tools }).openSession({ maxChunkChars: 7 })
  const code = 'text("abcdef\\u{1f600}ghi"); text("end"); return 1'
  const results = [await session.exec(code)]
  while (results.at(-1)?.status === 'still_working') results.push(await session.wait())
  expect(results.map((result) => result.output)).toEqual(['abcdef', '😀ghi\ne', 'nd\n'])
  expect(results.map((result) => result.status)).toEqual(['still_working', 'still_working', 'completed'])
})

test('a full chunk is told before the time to observe is over', async () => {
  const session = make({ tools: { hold: untilAborted } }).openSession({ maxChunkChars: 4 })
  expect(await session.exec('text("1234"); await tools.hold({})')).toEqual({ status: 'still_working', output: '1234' })
  await session.close()
})

test('the source limit is that of a run', async () => {
  const session = make({ tools }).openSession({ limits: { maxSourceChars: 8 } })
  expect(await session.exec('return 1')).toMatchObject({ status: 'completed' })
  expect(await session.exec('return 12')).toMatchObject({ status: 'error', error: { code: 'source_limit' } })
})

test('the store: just under is kept, just over throws what the program can catch', async () => {
  const session = make({ tools }).openSession({ maxStoreChars: 12 })
  expect(await session.exec('store("k", "123456789"); return load("k")')).toMatchObject({ value: '123456789' })
  const over = await session.exec('try { store("k2", "1") } catch (e) { return e.name + ": " + e.message }')
  expect(over.value).toBe('RangeError: store: the session would keep 17 characters, more than maxStoreChars (12)')
  expect(await session.exec('return load("k")')).toMatchObject({ value: '123456789' })
})

test('wallMs takes the place of timeoutMs, the CPU limit stays that of a run', async () => {
  const session = make({ tools: { sleep: { execute: () => sleep(120) } }, limits: { timeoutMs: 60 } }).openSession({ wallMs: 20_000 })
  expect(await session.exec('await tools.sleep(); return "alive"')).toMatchObject({ value: 'alive' })
  expect(await session.exec('for (;;);')).toMatchObject({ status: 'error', error: { code: 'cpu_timeout' } })
})

test('other limits of the session take the place of the instance’s', async () => {
  const session = make({ tools, limits: { maxToolArgChars: 4 } }).openSession({ limits: { maxToolArgChars: 100 } })
  expect(await session.exec('return await tools.echo({ n: 12345 })')).toMatchObject({ value: { n: 12345 } })
})
