// Many agents in one process: each runs a program of some tool calls, thinks for a while, and goes on. What they feel of each other.
//   node benchmark/agents.mjs [agents] [seconds] [thread|process]
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createCodeMode } from '../dist/index.js'
import { median, quantile, round, sleep } from './lib/measure.mjs'

const agents = Number(process.argv[2] ?? 500)
const seconds = Number(process.argv[3] ?? 10)
const isolation = process.argv[4] ?? 'thread'
const calls = 5
const toolMs = 200
const thinkMs = 4_000

const program = `
  const found = []
  for (let page = 0; page < ${calls}; page++) {
    const { rows } = await tools.list({ page })
    found.push(...rows.filter((row) => row.price > 50).map(({ id }) => id))
  }
  return found.length`
const rows = Array.from({ length: 20 }, (_, id) => ({ id, name: `item ${id}`, price: id * 5 }))
const list = { execute: async () => (await sleep(toolMs), { rows }) }

const codeMode = createCodeMode({ tools: { list }, isolation })
await codeMode.run('return 1')
const loop = monitorEventLoopDelay({ resolution: 1 })
const late = []
const outcomes = {}
const until = performance.now() + seconds * 1_000
const cpuBefore = process.cpuUsage()
const loopBefore = performance.eventLoopUtilization()
let atEnd
setTimeout(() => {
  const cpu = process.cpuUsage(cpuBefore)
  atEnd = {
    cpuMs: (cpu.user + cpu.system) / 1_000,
    busy: performance.eventLoopUtilization(loopBefore).utilization,
    rss: process.memoryUsage.rss(),
  }
}, seconds * 1_000)

async function agent() {
  await sleep(Math.random() * thinkMs)
  while (performance.now() < until) {
    const started = performance.now()
    const outcome = await codeMode.run(program)
    // What ends later is no part of the rate.
    if (performance.now() > until) return
    const key = outcome.status === 'completed' ? 'completed' : outcome.error.code
    outcomes[key] = (outcomes[key] ?? 0) + 1
    late.push(performance.now() - started - calls * toolMs)
    await sleep(thinkMs * (0.5 + Math.random()))
  }
}

loop.enable()
let mostLive = 0
const watch = setInterval(
  () => (mostLive = Math.max(mostLive, codeMode.diagnostics().liveRuns)),
  100,
)
await Promise.all(Array.from({ length: agents }, agent))
clearInterval(watch)
loop.disable()
const programs = late.length
console.log(
  [
    `${agents} agents, ${isolation} isolation, ${seconds} s: a program of ${calls} calls of ${toolMs} ms, then ${thinkMs} ms of thought`,
    `outcomes                          ${JSON.stringify(outcomes)}`,
    `programs a second                 ${round(programs / seconds, 1)}`,
    `live at one time, most            ${mostLive}`,
    `CPU of the process a program      ${round(atEnd.cpuMs / programs)} ms`,
    `JavaScript thread busy            ${round(atEnd.busy * 100, 0)} %`,
    `later than the tools, median, p99 ${round(median(late))}, ${round(quantile(late, 0.99))} ms`,
    `event loop delay, p99             ${round(loop.percentile(99) / 1e6)} ms`,
    `resident memory                   ${round(atEnd.rss / 2 ** 20, 0)} MiB`,
  ].join('\n'),
)
await codeMode.close()
