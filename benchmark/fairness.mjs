// What one instance's computing programs cost another instance's short ones: the same machine, the same pool of threads.
//   node benchmark/fairness.mjs [hogs] [seconds]
import { createCodeMode } from '../dist/index.js'
import { median, quantile, round, sleep } from './lib/measure.mjs'

const hogs = Number(process.argv[2] ?? 32)
const seconds = Number(process.argv[3] ?? 5)
/** A program of about this long is a hog; as soon as one ends the next begins. */
const hogMs = 300

const echo = { execute: async (input) => input }
const greedy = createCodeMode({ tools: { echo }, limits: { timeoutMs: hogMs } })
const modest = createCodeMode({ tools: { echo } })
const programs = {
  'return 1+1': 'return 1+1',
  'three calls':
    'let sum = 0; for (let i = 0; i < 3; i++) sum += (await tools.echo({ i })).i; return sum',
}

async function measure(code) {
  const times = []
  const until = performance.now() + seconds * 1_000
  while (performance.now() < until) {
    const started = performance.now()
    const { status } = await modest.run(code)
    if (status !== 'completed') throw new Error(`a short program ended as ${status}`)
    times.push(performance.now() - started)
    await sleep(2)
  }
  return times
}

const line = (name, times) =>
  console.log(
    name.padEnd(36),
    [median(times), quantile(times, 0.99), Math.max(...times)].map((ms) => round(ms)).join('  '),
  )

console.log('ms of a short program'.padEnd(36), 'median  p99  max')
for (const [name, code] of Object.entries(programs)) line(`${name}, alone`, await measure(code))
let greedyRuns = 0
let going = true
const greed = Array.from({ length: hogs }, async () => {
  while (going) {
    await greedy.run('for (;;);')
    greedyRuns++
  }
})
for (const [name, code] of Object.entries(programs))
  line(`${name}, beside ${hogs} endless loops`, await measure(code))
going = false
await Promise.all(greed)
console.log(`${greedyRuns} endless loops ended at their limit of ${hogMs} ms meanwhile`)
await Promise.all([greedy.close(), modest.close()])
