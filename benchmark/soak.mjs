// `npm run soak`: many mixed runs on one instance; the process must not grow and nothing may be left over.
// SOAK_RUNS (default 100000), SOAK_WARM_UP (default a tenth of it), SOAK_GROWTH_MB (default 32).
import { createCodeMode } from '../dist/index.js'
import { now, residentKb, round } from './lib/measure.mjs'

const total = Number(process.env.SOAK_RUNS ?? 100_000)
const warmUp = Number(process.env.SOAK_WARM_UP ?? total / 10)
const allowedMb = Number(process.env.SOAK_GROWTH_MB ?? 32)
const inFlight = 16

const codeMode = createCodeMode({
  tools: {
    echo: { inputSchema: { type: 'object' }, execute: async (input) => input },
    fail: {
      inputSchema: { type: 'object' },
      execute: () => Promise.reject(new Error('no such item')),
    },
    wait: {
      inputSchema: { type: 'object' },
      execute: (_, { abortSignal }) =>
        new Promise((resolve, reject) => {
          const timer = setTimeout(resolve, 10_000)
          abortSignal.addEventListener('abort', () => {
            clearTimeout(timer)
            reject(abortSignal.reason)
          })
        }),
    },
  },
})

/** Kinds of runs: how often in a thousand, the program, its options, and the end it must have. */
const kinds = [
  { name: 'ok', share: 500, source: 'return [1, 2, 3].map((x) => x * 2)' },
  {
    name: 'calls',
    share: 250,
    source: 'const a = await Promise.all([1, 2, 3].map((i) => tools.echo({ i }))); return a.length',
  },
  { name: 'throw', share: 100, source: "throw new TypeError('on purpose')", end: 'script_error' },
  { name: 'tool error', share: 90, source: 'return await tools.fail({})', end: 'script_error' },
  {
    name: 'abort',
    share: 40,
    source: 'return await tools.wait({})',
    end: 'aborted',
    options: abortSoon,
  },
  {
    name: 'memory',
    share: 15,
    source: "const kept = []; for (let i = 0; ; i++) kept.push('x'.repeat(1000) + i)",
    end: 'memory_limit',
    options: () => ({ limits: { memoryLimitBytes: 2 << 20 } }),
  },
  {
    name: 'timeout',
    share: 5,
    source: 'for (;;) {}',
    end: 'timeout',
    options: () => ({ limits: { timeoutMs: 20 } }),
  },
]

function abortSoon() {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 1)
  return { abortSignal: controller.signal }
}

/** The kind of run number `index`: a fixed mix, the kinds spread evenly. */
function kindOf(index) {
  let place = (index * 617) % 1000
  for (const kind of kinds) {
    if (place < kind.share) return kind
    place -= kind.share
  }
  throw new Error('the shares do not add up to 1000')
}

const counts = new Map(kinds.map(({ name }) => [name, 0]))
const wrong = new Map()

async function one(index) {
  const { name, source, end = 'completed', options } = kindOf(index)
  const outcome = await codeMode.run(source, options?.())
  const actual = outcome.status === 'completed' ? 'completed' : outcome.error.code
  counts.set(name, counts.get(name) + 1)
  if (actual === end) return
  // One message of each kind of surprise, and how often it came.
  const key = `${name} ended as ${actual}`
  const seen = wrong.get(key) ?? { times: 0, message: outcome.error?.message }
  wrong.set(key, { ...seen, times: seen.times + 1 })
}

async function runMany(from, to) {
  let next = from
  const lane = async () => {
    while (next < to) await one(next++)
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  globalThis.gc?.()
  return residentKb() / 1024
}

const start = now()
const before = await runMany(0, warmUp)
console.log(`warm-up: ${warmUp} runs, ${round(before, 1)} MB resident`)
let after = before
const steps = 9
for (let step = 0; step < steps; step++) {
  const from = warmUp + Math.floor(((total - warmUp) * step) / steps)
  const to = warmUp + Math.floor(((total - warmUp) * (step + 1)) / steps)
  after = await runMany(from, to)
  console.log(`${to} runs, ${round(after, 1)} MB resident`)
}

const live = codeMode.diagnostics()
await codeMode.close()
const closed = codeMode.diagnostics()
console.log(
  `runs: ${JSON.stringify(Object.fromEntries(counts))}, ${round((now() - start) / 1000, 1)} s`,
)
console.log(`growth after warm-up: ${round(after - before, 1)} MB (allowed ${allowedMb})`)
console.log(`before close: ${JSON.stringify(live)}`)
console.log(`after close:  ${JSON.stringify(closed)}`)

const problems = [...wrong].map(
  ([what, { times, message }]) => `${times} times ${what}: ${message}`,
)
if (after - before > allowedMb) problems.push('the process grew more than is allowed')
if (live.liveRuns + live.pendingCalls + live.stuckThreads > 0)
  problems.push('something was left over before close')
if (
  closed.liveRuns +
    closed.pendingCalls +
    closed.workerThreads +
    closed.stuckThreads +
    closed.childProcesses >
  0
) {
  problems.push('something was left over after close')
}
for (const problem of problems) console.error(`soak: ${problem}`)
process.exit(problems.length > 0 ? 1 : 0)
