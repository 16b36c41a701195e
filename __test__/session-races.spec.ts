// Two things at once: each race has one winner that is stated in docs/sessions.md, and a test.
import { expect, test } from 'vitest'
import type { ProgramResult, Session } from '../ts/index.ts'
import { make, sleep } from './helpers.ts'

type Context = { abortSignal: AbortSignal }

/** A tool that ends when the test says so, or on abort. */
function gate() {
  const open: ((value: unknown) => void)[] = []
  const seen = { entered: 0, aborted: 0 }
  const hold = {
    execute: (_: unknown, { abortSignal }: Context) =>
      new Promise((resolve, reject) => {
        seen.entered++
        open.push(resolve)
        abortSignal.addEventListener('abort', () => {
          seen.aborted++
          reject(abortSignal.reason as Error)
        })
      }),
  }
  const release = (value: unknown = 1) => open.splice(0).forEach((done) => done(value))
  const codeMode = make({ tools: { hold } })
  const entered = async (count = 1) => {
    while (seen.entered < count) await sleep(2)
  }
  /** A program of `session` that waits for the tool, in which it is by now. */
  const started = async (session: Session) => {
    const before = seen.entered
    expect((await session.exec(waiting)).status).toBe('still_working')
    await entered(before + 1)
  }
  return { codeMode, release, seen, entered, started }
}

const waiting = 'return await tools.hold({})'
const swallow = (promise: Promise<ProgramResult>) => promise.catch((error: unknown) => error)

test('completion against stop: the program that ended first stays completed', async () => {
  const { codeMode, release, started } = gate()
  const session = codeMode.openSession({ observeMs: 10 })
  await started(session)
  release('in time')
  await sleep(60)
  expect(await session.stop()).toEqual({ status: 'completed', output: '', value: 'in time' })
  await expect(session.stop()).rejects.toMatchObject({ code: 'no_program' })
})

test('completion against stop: a reply that is on its way when stop is called comes too late', async () => {
  const { codeMode, release, started } = gate()
  const session = codeMode.openSession({ observeMs: 10 })
  await started(session)
  release('too late')
  expect(await session.stop()).toMatchObject({ status: 'terminated', error: { code: 'stopped' } })
})

test('completion against stop, both as close as they come: one winner, told once', async () => {
  const { codeMode, release } = gate()
  for (let i = 0; i < 100; i++) {
    const session = codeMode.openSession({ observeMs: 1 })
    const first = await session.exec(waiting)
    release(i)
    if (i % 2 === 0) await new Promise((turn) => setImmediate(turn))
    const result = first.status === 'still_working' ? await session.stop() : first
    const ends = { completed: { value: i }, terminated: { error: { code: 'stopped' } } }
    expect(result).toMatchObject(ends[result.status as 'completed' | 'terminated'])
    await expect(session.wait()).rejects.toMatchObject({ code: 'no_program' })
    await session.close()
  }
  expect(codeMode.diagnostics()).toMatchObject({ liveRuns: 0, pendingCalls: 0 })
})

test('stop twice at once: the first one goes on, the second is refused at once', async () => {
  const { codeMode, seen, started } = gate()
  const session = codeMode.openSession({ observeMs: 10 })
  await started(session)
  const first = session.stop()
  const message = 'stop was refused: stop is still in progress, and a session does one thing at a time'
  await expect(session.stop()).rejects.toMatchObject({ name: 'SessionError', code: 'busy', message })
  expect(await first).toMatchObject({ status: 'terminated' })
  expect(seen.aborted).toBe(1)
  await expect(session.stop()).rejects.toMatchObject({ code: 'no_program' })
})

test.each(['exec', 'wait', 'stop'] as const)('%s beside an exec that watches is refused at once, which goes on', async (second) => {
  const { codeMode, release, entered } = gate()
  const session = codeMode.openSession()
  const running = session.exec(waiting)
  await entered()
  const before = performance.now()
  await expect(second === 'exec' ? session.exec('return 1') : session[second]()).rejects.toMatchObject({ code: 'busy' })
  expect(performance.now() - before).toBeLessThan(500)
  release('done')
  expect(await running).toMatchObject({ status: 'completed', value: 'done' })
})

test('expiry against wait: the life ends while somebody watches, and waiting never extends it', async () => {
  const { codeMode, seen } = gate()
  const session = codeMode.openSession({ observeMs: 40, wallMs: 300 })
  const begun = performance.now()
  let result = await session.exec(waiting)
  while (result.status === 'still_working') result = await session.wait()
  expect(result).toMatchObject({ status: 'error', error: { code: 'timeout' } })
  expect(performance.now() - begun).toBeLessThan(2_000)
  expect(seen.aborted).toBe(1)
})

test('expiry without anybody watching: ended, cleaned up, and told by the next wait', async () => {
  const { codeMode, seen, started } = gate()
  const session = codeMode.openSession({ observeMs: 10, wallMs: 100 })
  await started(session)
  await sleep(500)
  expect(seen.aborted).toBe(1)
  expect(codeMode.diagnostics()).toMatchObject({ liveRuns: 0, pendingCalls: 0 })
  expect(await session.wait()).toMatchObject({ status: 'error', error: { code: 'timeout' } })
  expect(await session.exec('return 1')).toMatchObject({ value: 1 })
})

test('close during exec: exec tells the end, close waits for the tools', async () => {
  const { codeMode, seen, entered } = gate()
  const session = codeMode.openSession()
  const running = session.exec(`console.log('so far'); ${waiting}`)
  await entered()
  const closing = session.close()
  expect(await running).toMatchObject({
    status: 'terminated',
    output: 'so far\n',
    error: { code: 'stopped', message: 'The session was closed' },
  })
  await closing
  expect(seen.aborted).toBe(1)
  for (const refused of [session.exec('return 1'), session.wait(), session.stop()])
    await expect(refused).rejects.toMatchObject({ code: 'closed', message: 'The session is closed' })
  expect(codeMode.diagnostics()).toMatchObject({ liveRuns: 0, pendingCalls: 0 })
})

test('close during stop: stop tells the end', async () => {
  const { codeMode, started } = gate()
  const session = codeMode.openSession({ observeMs: 10 })
  await started(session)
  const [stopped] = await Promise.all([session.stop(), session.close()])
  expect(stopped).toMatchObject({ status: 'terminated' })
})

test('close against completion: a program that ended first stays completed', async () => {
  const { codeMode } = gate()
  const session = codeMode.openSession()
  const running = session.exec('return 1')
  await running
  await session.close()
  expect(await running).toMatchObject({ status: 'completed' })
})

test('close twice is one close', async () => {
  const { codeMode, started } = gate()
  const session = codeMode.openSession({ observeMs: 10 })
  await started(session)
  const [first, second] = [session.close(), session.close()]
  expect(second).toBe(first)
  await first
  expect(session.close()).toBe(first)
})

test('the owner aborts: the session is closed, what it ran is terminated', async () => {
  const { codeMode, seen, entered } = gate()
  const owner = new AbortController()
  const session = codeMode.openSession({ abortSignal: owner.signal })
  const running = session.exec(waiting)
  await entered()
  owner.abort(new Error('the user left'))
  expect(await running).toMatchObject({ status: 'terminated', error: { code: 'aborted', message: 'The run was aborted: the user left' } })
  expect(seen.aborted).toBe(1)
  await expect(session.exec('return 1')).rejects.toMatchObject({
    code: 'closed',
    message: "The session is closed: its owner's signal was aborted",
  })
  await session.close()
})

test('the owner aborts while nobody watches, or before the first exec', async () => {
  const { codeMode, seen, started } = gate()
  const owner = new AbortController()
  const session = codeMode.openSession({ abortSignal: owner.signal, observeMs: 10 })
  await started(session)
  owner.abort()
  await session.close()
  expect(seen.aborted).toBe(1)
  expect(codeMode.diagnostics()).toMatchObject({ liveRuns: 0, pendingCalls: 0 })
  const late = codeMode.openSession({ abortSignal: owner.signal })
  await expect(late.exec('return 1')).rejects.toMatchObject({ code: 'closed' })
})

test.each(['exec', 'wait'] as const)('the surrounding call of %s aborts: its program is terminated, the session goes on', async (name) => {
  const { codeMode, seen, entered, started } = gate()
  const session = codeMode.openSession({ observeMs: name === 'exec' ? 10_000 : 10 })
  const call = new AbortController()
  if (name === 'wait') await started(session)
  const running = name === 'wait' ? session.wait({ abortSignal: call.signal }) : session.exec(waiting, { abortSignal: call.signal })
  await entered()
  call.abort()
  expect(await running).toMatchObject({ status: 'terminated', error: { code: 'aborted' } })
  expect(seen.aborted).toBe(1)
  expect(await session.exec('return 1')).toMatchObject({ value: 1 })
})

test('a surrounding call that was aborted before runs nothing', async () => {
  const { codeMode, seen } = gate()
  const session = codeMode.openSession()
  const result = await session.exec(waiting, { abortSignal: AbortSignal.abort() })
  expect(result).toMatchObject({ status: 'terminated', error: { code: 'aborted' } })
  expect(seen.entered).toBe(0)
})

test('a surrounding call that aborts after its exec returned changes nothing', async () => {
  const { codeMode, release } = gate()
  const session = codeMode.openSession({ observeMs: 10 })
  const call = new AbortController()
  await session.exec(waiting, { abortSignal: call.signal })
  call.abort()
  release('still here')
  expect(await session.wait()).toMatchObject({ status: expect.stringMatching(/completed|still_working/) as string })
})

// ---------------------------------------------------------------- cleanup that does not end

/** A tool that heeds no signal, and a program that is in it. */
function stubbornTool() {
  let entered = false
  const execute = () => new Promise(() => (entered = true))
  const start = async (session: Session) => {
    await session.exec('await tools.stubborn({})')
    while (!entered) await sleep(2)
  }
  return { codeMode: make({ tools: { stubborn: { execute } } }), start }
}

test('cleanup in time: a tool that settles just before cleanupMs is awaited', async () => {
  const late = {
    execute: (_: unknown, { abortSignal }: Context) =>
      new Promise((_done, fail) => abortSignal.addEventListener('abort', () => setTimeout(fail, 150, new Error('late')))),
  }
  const session = make({ tools: { late } }).openSession({ observeMs: 10, cleanupMs: 3_000 })
  await session.exec('await tools.late({})')
  const before = performance.now()
  await session.close()
  expect(performance.now() - before).toBeGreaterThan(140)
})

test('cleanup too late: close rejects, and so does every later operation', async () => {
  const { codeMode, start } = stubbornTool()
  const session = codeMode.openSession({ observeMs: 10, cleanupMs: 100 })
  await start(session)
  const failure = { name: 'SessionError', code: 'cleanup_failed' }
  await expect(session.close()).rejects.toMatchObject(failure)
  await expect(session.close()).rejects.toMatchObject(failure)
  for (const refused of [session.exec('return 1'), session.wait(), session.stop()]) await expect(refused).rejects.toMatchObject(failure)
  await sleep(200)
  expect(codeMode.diagnostics()).toMatchObject({ liveRuns: 0, pendingCalls: 0 })
})

test('a stop whose tool does not settle poisons the session', async () => {
  const { codeMode, start } = stubbornTool()
  const session = codeMode.openSession({ observeMs: 10, cleanupMs: 100 })
  await start(session)
  expect(await session.stop()).toMatchObject({ status: 'terminated' })
  const message = "The session's cleanup did not end within 100 ms (cleanupMs): stubborn still works; the session cannot be used further"
  await expect(session.exec('return 1')).rejects.toMatchObject({ code: 'cleanup_failed', message })
  await expect(session.close()).rejects.toMatchObject({ code: 'cleanup_failed', message })
})

test('an aborted owner whose cleanup fails rejects nothing that nobody awaits', async () => {
  const owner = new AbortController()
  const { codeMode, start } = stubbornTool()
  const session = codeMode.openSession({ observeMs: 10, cleanupMs: 50, abortSignal: owner.signal })
  await start(session)
  owner.abort()
  await sleep(200)
  expect(await swallow(session.wait())).toMatchObject({ code: 'cleanup_failed' })
  await expect(session.close()).rejects.toMatchObject({ code: 'cleanup_failed' })
})

test('the code mode closes all the same', async () => {
  const { codeMode, start } = stubbornTool()
  const session = codeMode.openSession({ observeMs: 10, cleanupMs: 50 })
  await start(session)
  await codeMode.close()
  expect(codeMode.diagnostics().liveRuns).toBe(0)
})
