// What the TypeScript layer costs per call when nothing is configured: the same program with the same tool, once through
// the package, once through a bare loop over the addon that only parses, calls, serialises and answers. Interleaved.
//   node benchmark/gate.mjs [rounds]
import binding from '../binding.cjs'
import { createCodeMode } from '../dist/index.js'
import { median, round } from './lib/measure.mjs'

const CALLS = 2_000
const rounds = Number(process.argv[2] ?? 15)
const program = `await Promise.all(Array.from({ length: ${CALLS} }, (_, i) => tools.echo({ i }))); return 1`
const execute = async (input) => input
const inputSchema = { type: 'object' }

const limits = { maxToolCalls: 1e6, toolConcurrency: 1e5, memoryLimitBytes: 256 << 20 }
const gated = createCodeMode({
  tools: { echo: { inputSchema, execute } },
  limits,
  telemetry: false,
})

/** No gate, no records, no events, no outcome: the least a host can do. */
function bare() {
  const waiting = new Map()
  let started = 0
  const native = new binding.NativeCodeMode(
    {
      tools: [{ name: 'echo', inputSchema: JSON.stringify(inputSchema) }],
      limits: {
        ...{
          timeoutMs: 30_000,
          cpuTimeoutMs: 30_000,
          memoryLimitBytes: 256 << 20,
          stackLimitBytes: 1 << 20,
        },
        ...{
          maxToolCalls: 1e6,
          maxOutputChars: 20_000,
          maxSourceChars: 131_072,
          maxToolArgChars: 1e6,
        },
      },
      typedArrays: false,
      weakRefs: false,
    },
    (messages) => {
      for (let i = 0; i < messages.length; i += 3) {
        const message = JSON.parse(messages[i + 2])
        if (messages[i + 1] === 3) waiting.get(messages[i])(message)
        else if (messages[i + 1] === 0) answer(messages[i], message)
      }
    },
  )
  async function answer(run, calls) {
    const results = await Promise.all(calls.map(([, , input]) => execute(input)))
    let replies = ''
    for (const [i, [id]] of calls.entries()) replies += `${id}+${JSON.stringify(results[i])}\n`
    native.settle(run, replies)
  }
  return {
    run: (code) =>
      new Promise((resolve) => {
        waiting.set(++started, resolve)
        native.start(started, code, null)
      }),
    close: () => native.close(),
  }
}

async function cost(run) {
  const before = process.threadCpuUsage?.() ?? process.cpuUsage()
  const began = performance.now()
  await run(program)
  const wall = performance.now() - began
  const used = process.threadCpuUsage?.(before) ?? process.cpuUsage(before)
  return { wall: (wall * 1000) / CALLS, cpu: (used.user + used.system) / CALLS }
}

const plain = bare()
const differences = { wall: [], cpu: [] }
const gatedCosts = []
for (let i = 0; i < 5; i++) await Promise.all([gated.run(program), plain.run(program)])
for (let i = 0; i < rounds; i++) {
  const withGate = await cost(gated.run)
  const without = await cost(plain.run)
  gatedCosts.push(withGate.wall)
  for (const key of ['wall', 'cpu']) differences[key].push(withGate[key] - without[key])
}
await gated.close()
plain.close()
console.log(
  JSON.stringify({
    calls: CALLS,
    rounds,
    usPerCall: round(median(gatedCosts), 2),
    gateWallUs: round(median(differences.wall), 2),
    gateCpuUs: round(median(differences.cpu), 2),
  }),
)
