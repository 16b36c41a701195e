// What the gate costs per call when nothing is configured: the same program with the same tool, once through the package,
// once through a host without a gate, which answers each call as it settles and keeps the same records. Interleaved.
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

const bareOptions = {
  tools: [{ name: 'echo', inputSchema: JSON.stringify(inputSchema) }],
  limits: {
    timeoutMs: 30_000,
    cpuTimeoutMs: 30_000,
    memoryLimitBytes: 256 << 20,
    stackLimitBytes: 1 << 20,
    maxToolCalls: 1e6,
    maxOutputChars: 20_000,
    maxSourceChars: 131_072,
    maxToolArgChars: 1e6,
  },
  typedArrays: false,
  weakRefs: false,
  budgetTokens: 6_000,
  dialect: 'native',
}

/** A host that does everything for a call but ask whether it may run. */
function bare() {
  const runs = new Map()
  let started = 0
  const native = new binding.NativeCodeMode(bareOptions, (messages) => {
    for (let i = 0; i < messages.length; i += 3) {
      const run = runs.get(messages[i])
      const message = JSON.parse(messages[i + 2])
      if (messages[i + 1] === 3) run.resolve({ result: message.result, calls: run.records })
      else if (messages[i + 1] === 0) for (const call of message) answer(run, call)
    }
  })
  async function answer(run, [id, , input]) {
    const startedAt = performance.now()
    const value = await execute(structuredCloneOfJson(input))
    const text = JSON.stringify(value)
    run.records.push({
      toolCallId: `${run.id}:${id}`,
      toolName: 'echo',
      input,
      status: 'done',
      result: JSON.parse(text),
      durationMs: performance.now() - startedAt,
    })
    if (run.replies === '') process.nextTick(flush, run)
    run.replies += `${id}+${text}\n`
  }
  function flush(run) {
    native.settle(run.number, run.replies, false)
    run.replies = ''
  }
  return {
    run: (code) =>
      new Promise((resolve) => {
        const number = ++started
        runs.set(number, { number, id: `run_${number}`, records: [], replies: '', resolve })
        native.start(number, code, null, false, null)
      }),
    close: () => native.close(),
  }
}

/** What the package does as well, so that a tool cannot change the record of its call. */
function structuredCloneOfJson(value) {
  return value !== null && typeof value === 'object' ? { ...value } : value
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
