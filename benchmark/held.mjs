// Runs every attack, at once and behind a tool call, and tells how long it held the event loop of the host.
//   node benchmark/held.mjs
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createCodeMode } from '../dist/index.js'
import { attacks } from './attacks.mjs'
import { median, quantile, round, sleep } from './lib/measure.mjs'

async function heldBy(source) {
  const codeMode = createCodeMode({
    tools: { tick: { execute: async () => 1 } },
    features: ['typedArrays', 'weakRefs'],
    limits: { timeoutMs: 60, memoryLimitBytes: 64 << 20 },
  })
  await codeMode.run('await tools.tick({}); return 1')
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  await sleep(5)
  loop.reset()
  await codeMode.run(source)
  await sleep(3)
  loop.disable()
  await codeMode.close()
  return round(loop.max / 1e6, 2)
}

const rows = []
for (const [family, programs] of Object.entries(attacks)) {
  for (const [name, source] of Object.entries(programs)) {
    rows.push({ name: `${family}/${name}`, ms: await heldBy(source) })
    rows.push({
      name: `${family}/${name}, after a call`,
      ms: await heldBy(`await tools.tick({});\n${source}`),
    })
  }
}
const all = rows.map((row) => row.ms)
console.log(
  `${rows.length} runs; longest delay of the loop in a run: median ${median(all)} ms, p95 ${quantile(all, 0.95)} ms`,
)
for (const row of rows.toSorted((a, b) => b.ms - a.ms).slice(0, 5))
  console.log(`  ${row.name}: ${row.ms} ms`)
