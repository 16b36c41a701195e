// Memory of sessions that are open at one time, each with a program that waits for a tool; and that closing them leaves nothing.
//   node --expose-gc benchmark/sessions.mjs [count]
import { createCodeMode } from '../dist/index.js'

const count = Number(process.argv[2] ?? 1_000)
/** What one session with a waiting program may hold. */
const budget = 300 * 1_024

const rss = async () => {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.()
    await new Promise((done) => setTimeout(done, 50))
  }
  return process.memoryUsage.rss()
}

let entered = 0
const wait = {
  execute: (_input, { abortSignal }) =>
    new Promise((_done, fail) => {
      entered++
      abortSignal.addEventListener('abort', () => fail(abortSignal.reason))
    }),
}
const program = `
  const list = Array.from({ length: 100 }, (_, i) => ({ i }))
  console.log('started')
  await tools.wait({ list })
  return list.length
`

const codeMode = createCodeMode({ tools: { wait } })
// What the first runs bring along is not a session's.
for (let i = 0; i < 20; i++) await codeMode.run('return 1')
const before = await rss()
const sessions = Array.from({ length: count }, () => codeMode.openSession({ observeMs: 1 }))
const results = await Promise.all(sessions.map((session) => session.exec(program)))
while (entered < count) await new Promise((done) => setTimeout(done, 5))
const open = codeMode.diagnostics()
const each = ((await rss()) - before) / count
const begun = performance.now()
await Promise.all(sessions.map((session) => session.close()))
const closing = performance.now() - begun
const left = codeMode.diagnostics()
await codeMode.close()

const stillWorking = results.filter(({ status }) => status === 'still_working').length
console.log(`sessions open at one time   ${count}, of them ${open.liveRuns} with a waiting program`)
console.log(`exec said still_working     ${stillWorking}`)
console.log(
  `memory of each              ${(each / 1_024).toFixed(1)} KB (budget ${budget / 1_024})`,
)
console.log(`closing all of them         ${closing.toFixed(0)} ms`)
console.log(
  `left after that             ${left.liveRuns} runs, ${left.pendingCalls} calls, ${left.stuckThreads} stuck threads`,
)
const clean = left.liveRuns === 0 && left.pendingCalls === 0 && left.stuckThreads === 0
process.exit(each <= budget && open.liveRuns === count && clean ? 0 : 1)
