import { AsyncLocalStorage } from 'node:async_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { CodeModeClosedError, createCodeMode } from '../ts/index.ts'
import { completed, echo, failed, make, sleep } from './helpers.ts'

const nothing = { liveRuns: 0, pendingCalls: 0, workerThreads: 0, stuckThreads: 0, protections: [], childProcesses: 0 }

test('close() stops what runs, waits for it, and leaves nothing', async () => {
  let aborted = 0
  let entered = 0
  const tools = {
    wait: {
      execute: (_input: unknown, { abortSignal }: { abortSignal: AbortSignal }) =>
        new Promise((_done, fail) => {
          entered++
          abortSignal.addEventListener('abort', () => {
            aborted++
            setTimeout(fail, 50, new Error('closed'))
          })
        }),
    },
  }
  const codeMode = createCodeMode({ tools })
  const runs = Array.from({ length: 5 }, () => codeMode.run('await Promise.all([tools.wait({}), tools.wait({})])'))
  while (entered < 10) await sleep(5)
  expect(codeMode.diagnostics()).toMatchObject({ liveRuns: 5, pendingCalls: 10 })
  await codeMode.close()
  expect(aborted).toBe(10)
  expect(codeMode.diagnostics()).toEqual(nothing)
  for (const outcome of await Promise.all(runs))
    expect(failed(outcome).error).toMatchObject({ code: 'stopped', message: 'The code mode was closed' })
})

test('it is idempotent, also while it closes and when nothing ran', async () => {
  const codeMode = createCodeMode({ tools: { echo } })
  await Promise.all([codeMode.close(), codeMode.close()])
  await codeMode.close()
  expect(codeMode.diagnostics()).toEqual(nothing)
})

test('afterwards runs reject and start throws', async () => {
  const codeMode = createCodeMode({ tools: { echo } })
  completed(await codeMode.run('return 1'))
  await codeMode.close()
  await expect(codeMode.run('return 1')).rejects.toThrow(CodeModeClosedError)
  await expect(codeMode.tool.execute({ code: 'return 1' })).rejects.toThrow('This code mode is closed')
  expect(() => codeMode.start('return 1')).toThrow(CodeModeClosedError)
})

test('it closes at the end of an `await using` block', async () => {
  const codeMode = createCodeMode({ tools: { echo } })
  {
    await using scoped = codeMode
    completed(await scoped.run('return 1'))
  }
  await expect(codeMode.run('return 1')).rejects.toThrow(CodeModeClosedError)
})

test('a tool may close its own instance', async () => {
  const codeMode = createCodeMode({ tools: { bye: { execute: () => void codeMode.close() } } })
  expect(failed(await codeMode.run('await tools.bye({}); return 1')).error.code).toBe('stopped')
  await codeMode.close()
  expect(codeMode.diagnostics()).toEqual(nothing)
})

test('a tool may run a program on its own instance', async () => {
  const codeMode = make({
    tools: {
      echo,
      nested: {
        execute: async ({ depth }: { depth: number }) =>
          completed(await codeMode.run(depth > 0 ? `return await tools.nested({ depth: ${depth - 1} })` : 'return "bottom"')).result,
      },
    },
  })
  expect(completed(await codeMode.run('return await tools.nested({ depth: 4 })')).result).toBe('bottom')
})

test('methods work without their object', async () => {
  const { run, start, close, diagnostics } = createCodeMode({ tools: { echo } })
  completed(await run('return 1'))
  completed(await start('return 1').outcome)
  await close()
  expect(diagnostics()).toEqual(nothing)
})

test('tools run in the async context of their caller', async () => {
  const request = new AsyncLocalStorage<string>()
  const codeMode = make({ tools: { who: { execute: async () => (await sleep(1), request.getStore() ?? 'nobody') } } })
  const of = (name: string) => request.run(name, () => codeMode.run('return [await tools.who(), await tools.who()]'))
  const outcomes = await Promise.all([of('ann'), of('bob')])
  expect(outcomes.map((outcome) => completed(outcome).result)).toEqual([
    ['ann', 'ann'],
    ['bob', 'bob'],
  ])
})

test('an idle instance can be collected, used or not; one with a live run cannot', async () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  let release!: () => void
  const make3 = async () => {
    const unused = createCodeMode({ tools: { echo } })
    const used = createCodeMode({ tools: { echo } })
    completed(await used.run('return await tools.echo({})'))
    const busy = createCodeMode({ tools: { wait: { execute: () => new Promise<void>((done) => (release = done)) } } })
    const outcome = busy.run('await tools.wait({}); return "held"')
    return { refs: [unused, used, busy].map((codeMode) => new WeakRef(codeMode.tool)), outcome }
  }
  const { refs, outcome } = await make3()
  const gone = () => refs.map((ref) => ref.deref() === undefined)
  for (let i = 0; i < 50 && !(gone()[0] && gone()[1]); i++) {
    await sleep(10)
    gc()
  }
  expect(gone()).toEqual([true, true, false])
  release()
  expect(completed(await outcome).result).toBe('held')
})
