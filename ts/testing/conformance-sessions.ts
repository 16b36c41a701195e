// Cases about sessions: exec, wait, stop, close over the engine in question.
import assert from 'node:assert/strict'
import type { ProgramResult, SessionError } from '../index.ts'
import type { Draft } from './conformance.ts'
import { withCodeMode } from './conformance-tools.ts'

async function refused(operation: Promise<ProgramResult>, code: string): Promise<void> {
  await assert.rejects(operation, (error: SessionError) => error.code === code)
}

export const sessionCases: readonly Draft[] = [
  {
    name: 'session: pieces of output add up, and the end is told once',
    needs: ['holds'],
    async run(setup, code = '') {
      await withCodeMode(setup, {}, async (codeMode, bench) => {
        const session = codeMode.openSession({ observeMs: 60 })
        const results = [await session.exec(code)]
        await bench.held()
        results.push(await session.wait())
        assert.equal(results[0]?.status, 'still_working')
        bench.release('held')
        while (results.at(-1)?.status === 'still_working') results.push(await session.wait())
        assert.equal(results.map(({ output }) => output).join(''), 'before\nafter\n')
        assert.deepEqual([results.at(-1)?.status, results.at(-1)?.value], ['completed', 'held'])
        await refused(session.wait(), 'no_program')
        await session.close()
      })
    },
  },
  {
    name: 'session: stop ends the program and its tools',
    needs: ['holds', 'value'],
    async run(setup, code = '', next = '') {
      await withCodeMode(setup, {}, async (codeMode, bench) => {
        const session = codeMode.openSession({ observeMs: 60 })
        await session.exec(code)
        await bench.held()
        assert.equal((await session.stop()).status, 'terminated')
        assert.equal(bench.aborted, 1)
        await refused(session.stop(), 'no_program')
        let result = await session.exec(next)
        while (result.status === 'still_working') result = await session.wait()
        assert.equal(result.status, 'completed')
        await session.close()
      })
    },
  },
  {
    name: 'session: a program that computes can be stopped',
    needs: ['endless'],
    async run(setup, code = '') {
      await withCodeMode(setup, {}, async (codeMode) => {
        const session = codeMode.openSession({ observeMs: 200 })
        assert.equal((await session.exec(code)).status, 'still_working')
        const begun = performance.now()
        assert.equal((await session.stop()).status, 'terminated')
        assert.ok(performance.now() - begun < 3_000, 'it stops soon')
        await session.close()
      })
    },
  },
  {
    name: 'session: the life of a program ends while nobody watches',
    needs: ['holds'],
    async run(setup, code = '') {
      await withCodeMode(setup, {}, async (codeMode, bench) => {
        const session = codeMode.openSession({ observeMs: 1, wallMs: 1_500 })
        let result = await session.exec(code)
        await bench.held()
        while (result.status === 'still_working') result = await session.wait()
        assert.deepEqual([result.status, result.error?.code], ['error', 'timeout'])
        assert.equal(bench.aborted, 1)
        await session.close()
      })
    },
  },
  {
    name: 'session: close ends what exec watches',
    needs: ['holds'],
    async run(setup, code = '') {
      await withCodeMode(setup, {}, async (codeMode, bench) => {
        const session = codeMode.openSession()
        const running = session.exec(code)
        await bench.held()
        await refused(session.wait(), 'busy')
        await session.close()
        assert.equal((await running).status, 'terminated')
        await refused(session.exec(code), 'closed')
      })
    },
  },
  {
    name: 'session: stored values are for later programs of the session alone',
    needs: ['stores', 'loads'],
    async run(setup, stores = '', loads = '') {
      await withCodeMode(setup, {}, async (codeMode) => {
        const [session, other] = [codeMode.openSession(), codeMode.openSession()]
        assert.equal((await session.exec(stores)).status, 'completed')
        assert.deepEqual((await session.exec(loads)).value, { n: 1 })
        assert.deepEqual((await other.exec(loads)).value, null)
        await Promise.all([session.close(), other.close()])
      })
    },
  },
  {
    name: 'session: yielding shows what there is',
    needs: ['yields'],
    async run(setup, code = '') {
      await withCodeMode(setup, {}, async (codeMode, bench) => {
        const session = codeMode.openSession()
        const first = await session.exec(code)
        assert.deepEqual([first.status, first.output], ['still_working', 'early\n'])
        await bench.held()
        bench.release('late')
        const second = await session.wait()
        assert.deepEqual([second.status, second.value], ['completed', 'late'])
        await session.close()
      })
    },
  },
]
