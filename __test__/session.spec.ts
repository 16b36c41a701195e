import { expect, test } from 'vitest'
import { CodeModeClosedError, type ProgramResult, type SessionOptions } from '../ts/index.ts'
import { echo, make, sleep, untilAborted } from './helpers.ts'

const nothing = { liveRuns: 0, pendingCalls: 0, stuckThreads: 0 }

/** A tool that takes 3 seconds, or until its signal fires. */
function slowTool() {
  const seen = { aborted: 0, done: 0 }
  const execute = (_input: unknown, { abortSignal }: { abortSignal: AbortSignal }) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        seen.done++
        resolve('slept')
      }, 3_000)
      abortSignal.addEventListener('abort', () => {
        seen.aborted++
        clearTimeout(timer)
        reject(abortSignal.reason as Error)
      })
    })
  return { seen, slow: { execute } }
}

const slowProgram = `
  console.log('before')
  text('a', { b: 1 })
  const slept = await tools.slow({})
  console.warn('after', slept)
  return { slept }
`

test('the protocol: exec, several waits, pieces of output that add up, completion', async () => {
  const { slow } = slowTool()
  const codeMode = make({ tools: { slow } })
  await using session = codeMode.openSession({ observeMs: 200 })
  const started = performance.now()
  const results: ProgramResult[] = [await session.exec(slowProgram)]
  expect(results[0]).toEqual({ status: 'still_working', output: 'before\na {"b":1}\n' })
  expect(performance.now() - started).toBeGreaterThan(190)
  while (results.at(-1)?.status === 'still_working') {
    const before = performance.now()
    results.push(await session.wait())
    expect(performance.now() - before).toBeLessThan(1_000)
  }
  expect(performance.now() - started).toBeGreaterThan(2_990)
  expect(results.length).toBeGreaterThan(3)
  expect(results.map((result) => result.output).join('')).toBe('before\na {"b":1}\nwarn: after slept\n')
  expect(results.at(-1)).toEqual({ status: 'completed', output: 'warn: after slept\n', value: { slept: 'slept' } })
  await expect(session.wait()).rejects.toMatchObject({ code: 'no_program' })
})

test('stopped half-way: the signal of its tool fired, nothing is left', async () => {
  const { seen, slow } = slowTool()
  const codeMode = make({ tools: { slow } })
  const session = codeMode.openSession({ observeMs: 200 })
  expect((await session.exec(slowProgram)).status).toBe('still_working')
  expect((await session.wait()).output).toBe('')
  expect(codeMode.diagnostics()).toMatchObject({ liveRuns: 1, pendingCalls: 1 })
  const stopped = await session.stop()
  expect(stopped).toMatchObject({ status: 'terminated', output: '', error: { code: 'stopped' } })
  expect(seen).toEqual({ aborted: 1, done: 0 })
  expect(codeMode.diagnostics()).toMatchObject(nothing)
  await session.close()
})

test('a program that ends in time is told at once, and the next one is fresh', async () => {
  const session = make({ tools: { echo } }).openSession()
  const started = performance.now()
  expect(await session.exec('globalThis.left = 1; return await tools.echo({ n: 1 })')).toEqual({
    status: 'completed',
    output: '',
    value: { n: 1 },
  })
  expect(await session.exec('return typeof left')).toEqual({ status: 'completed', output: '', value: 'undefined' })
  expect(performance.now() - started).toBeLessThan(5_000)
})

test('programs fail as runs do, with the text for the model', async () => {
  const session = make({ tools: { echo } }).openSession()
  const thrown = await session.exec('console.log("so far"); throw new TypeError("no")')
  expect(thrown).toMatchObject({ status: 'error', output: 'so far\n', error: { code: 'script_error', name: 'TypeError', message: 'no' } })
  expect(thrown.error?.modelText).toContain('TypeError: no')
  expect(thrown).not.toHaveProperty('value')
  expect(await session.exec('return (')).toMatchObject({ status: 'error', error: { code: 'syntax_error' } })
  expect(await session.exec('return 1')).toMatchObject({ status: 'completed', value: 1 })
})

test('without a program there is nothing to wait for or to stop, and both say so', async () => {
  const session = make({ tools: { echo } }).openSession()
  const nobody = { code: 'no_program', message: 'There is no program to wait for; start one with exec' }
  await expect(session.wait()).rejects.toMatchObject(nobody)
  await session.exec('return 1')
  await expect(session.wait()).rejects.toMatchObject(nobody)
  await expect(session.stop()).rejects.toMatchObject({ code: 'no_program', message: 'There is no program to stop; start one with exec' })
})

test('an end that nobody watched is told by the next wait, before another exec', async () => {
  let release!: (value: string) => void
  const hold = { execute: () => new Promise<string>((done) => (release = done)) }
  const session = make({ tools: { hold } }).openSession({ observeMs: 20 })
  await session.exec('return await tools.hold({})')
  release('late')
  await sleep(60)
  await expect(session.exec('return 2')).rejects.toMatchObject({ code: 'program_active' })
  expect(await session.wait()).toEqual({ status: 'completed', output: '', value: 'late' })
  expect(await session.exec('return 2')).toMatchObject({ value: 2 })
})

test('yield_control shows what there is, long before the time to observe is over', async () => {
  let release!: () => void
  const hold = { execute: () => new Promise<void>((done) => (release = done)) }
  const session = make({ tools: { hold } }).openSession({ observeMs: 20_000 })
  const code = 'console.log(1); yield_control(); console.log(2); await tools.hold({}); return 3'
  const first = await session.exec(code)
  expect(first.status).toBe('still_working')
  const rest = session.wait()
  await sleep(20)
  release()
  const second = await rest
  expect(first.output + second.output).toBe('1\n2\n')
  expect(second).toMatchObject({ status: 'completed', value: 3 })
})

test('a program that computes without waiting is watched all the same', async () => {
  const session = make({ tools: { echo } }).openSession({ observeMs: 200, limits: { maxOutputChars: 1_000_000 } })
  const code = 'let n = 0; for (;;) if (++n % 100_000 === 0) console.log(n)'
  const results = [await session.exec(code)]
  // On a busy machine the program may not have begun at the first look.
  for (let i = 0; i < 50 && results.at(-1)?.output === ''; i++) results.push(await session.wait())
  expect(results.map((result) => result.status)).toEqual(results.map(() => 'still_working'))
  expect(results.at(-1)?.output).toMatch(/^100000\n/)
  expect(await session.stop()).toMatchObject({ status: 'terminated' })
})

test('notes for the model are output too', async () => {
  const fail = { execute: () => Promise.reject(new Error('nobody saw it')) }
  const session = make({ tools: { fail, echo } }).openSession()
  const result = await session.exec('tools.fail({}); await tools.echo({}); await tools.echo({}); return 1')
  expect(result.status).toBe('completed')
  expect(result.output).toMatch(/^note: Call 1 \(fail\) was not awaited and failed: nobody saw it\n$/)
})

test('values are kept for the session and for nobody else', async () => {
  const codeMode = make({ tools: { echo } })
  const [one, other] = [codeMode.openSession(), codeMode.openSession()]
  await one.exec('store("k", { n: 1, __proto__: null, "s": "\\u0000\\ud83d\\ude00" }); store("__proto__", [1]); store("gone", 1)')
  await one.exec('store("gone", undefined)')
  const read = 'return [load("k") ?? null, load("__proto__") ?? null, load("gone") ?? null]'
  expect((await one.exec(read)).value).toEqual([{ n: 1, s: '\u0000\u{1f600}' }, [1], null])
  expect((await other.exec(read)).value).toEqual([null, null, null])
  const outcome = await codeMode.run('return typeof load + typeof store + typeof yield_control')
  expect(outcome).toMatchObject({ result: 'undefinedundefinedundefined' })
})

test('what a stopped program stored before is kept', async () => {
  const session = make({ tools: { hold: untilAborted } }).openSession({ observeMs: 50 })
  await session.exec('store("k", 1); await tools.hold({}); store("k", 2)')
  await session.stop()
  expect((await session.exec('return load("k")')).value).toBe(1)
})

test('tools get the context, ids that count within the program, and events name them', async () => {
  const events: unknown[] = []
  const seen: unknown[] = []
  const spy = {
    execute: (_: unknown, { toolCallId, context }: { toolCallId: string; context: unknown }) => void seen.push([toolCallId, context]),
  }
  const codeMode = make({ tools: { spy } })
  const session = codeMode.openSession({ context: 'ann', onEvent: (event) => events.push(event) })
  await session.exec('await tools.spy({}); await tools.spy({})', { toolCallId: 'call_7' })
  expect(seen).toEqual([
    ['call_7:1', 'ann'],
    ['call_7:2', 'ann'],
  ])
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool.start', toolName: 'spy', parentToolCallId: 'call_7' }))
  expect(events.filter((event) => /exec|wait|stop/.test((event as { toolName?: string }).toolName ?? ''))).toEqual([])
})

test('methods work without their object', async () => {
  const { exec, wait, close } = make({ tools: { echo } }).openSession()
  expect(await exec('return 1')).toMatchObject({ value: 1 })
  await expect(wait()).rejects.toMatchObject({ code: 'no_program' })
  await close()
})

test('a session closes with its code mode, and none opens after it', async () => {
  const codeMode = make({ tools: { hold: untilAborted } })
  const session = codeMode.openSession({ observeMs: 50 })
  await session.exec('await tools.hold({})')
  await codeMode.close()
  await expect(session.wait()).rejects.toMatchObject({ code: 'closed' })
  expect(codeMode.diagnostics()).toMatchObject({ ...nothing, workerThreads: 0 })
  expect(() => codeMode.openSession()).toThrow(CodeModeClosedError)
})

test.each<[SessionOptions, string]>([
  [{ observeMs: -1 }, 'Expected `options.observeMs` to be an integer from 0 to 2147483647, got `-1` (number)'],
  [{ wallMs: 0 }, 'Expected `options.wallMs` to be an integer from 1 to 2147483647, got `0` (number)'],
  [{ maxPrograms: 1.5 }, 'Expected `options.maxPrograms` to be an integer from 1 to 2147483647, got `1.5` (number)'],
  [{ cleanupMs: '5' as never }, 'Expected `options.cleanupMs` to be an integer from 1 to 2147483647, got `"5"` (string)'],
  [{ observe: 1 } as never, 'Unknown option `options.observe`. Known here: observeMs, wallMs,'],
  [{ limits: { maxToolCalls: -1 } }, 'Expected `options.limits.maxToolCalls` to be an integer from 0 to 2147483647, got `-1` (number)'],
  [{ abortSignal: {} as never }, 'Expected `options.abortSignal` to be an AbortSignal, got an object'],
  [{ toolCallCounter: {} as never }, 'Expected `options.toolCallCounter.made` to be an integer from 0 to 2147483647, got `undefined`'],
  [5 as never, 'Expected `options` to be an object, got `5` (number)'],
])('wrong options are refused with their path and value: %j', (options, message) => {
  expect(() => make({ tools: { echo } }).openSession(options)).toThrow(message)
})

test('wrong arguments of an operation are refused, the session goes on', async () => {
  const session = make({ tools: { echo } }).openSession()
  await expect(session.exec(5 as never)).rejects.toThrow('Expected `code` to be a string, got `5` (number)')
  await expect(session.exec('return 1', { abortSignal: 1 as never })).rejects.toThrow('Expected `options.abortSignal` to be an AbortSignal')
  expect(await session.exec('return 1')).toMatchObject({ value: 1 })
})
