// Runs every attack under a limit of 100 ms and tells how late its end came.
//   node benchmark/lateness.mjs [--process] [name or family ...]
import { pathToFileURL } from 'node:url'
import { createCodeMode } from '../dist/index.js'
import { attacks } from './attacks.mjs'
import { median, now, quantile, round, sleep } from './lib/measure.mjs'

export const timeoutMs = 100
/** How long a thread that outlived its run may take before it is reported as lost. */
const patienceMs = 20_000

function featuresOf(source) {
  const features = []
  if (/\b(Uint8Array|Float64Array|ArrayBuffer)\b/.test(source)) features.push('typedArrays')
  if (/\b(WeakRef|FinalizationRegistry)\b/.test(source)) features.push('weakRefs')
  return features
}

async function attack(family, name, source, isolation) {
  const codeMode = createCodeMode({
    isolation,
    tools: {},
    features: featuresOf(source),
    limits: { timeoutMs, memoryLimitBytes: 64 << 20 },
  })
  const start = now()
  const outcome = await codeMode.run(source)
  const settledMs = now() - start
  while (codeMode.diagnostics().stuckThreads > 0 && now() - start < patienceMs) await sleep(1)
  const freedMs = now() - start
  const lost = codeMode.diagnostics().stuckThreads > 0
  await codeMode.close()
  const end = outcome.status === 'completed' ? 'completed' : outcome.error.code
  const late = (ms) => Math.max(0, round(ms - timeoutMs, 1))
  return { family, name, end, lateMs: late(settledMs), threadLateMs: late(freedMs), lost }
}

/** Figures over all attacks whose name or family is wanted (all by default). */
export async function measureLateness(wanted = [], isolation = 'thread') {
  const rows = []
  for (const [family, programs] of Object.entries(attacks)) {
    for (const [name, source] of Object.entries(programs)) {
      if (wanted.length > 0 && !wanted.includes(name) && !wanted.includes(family)) continue
      rows.push(await attack(family, name, source, isolation))
    }
  }
  const timeouts = rows.filter((row) => row.end === 'timeout' || row.end === 'cpu_timeout')
  const late = timeouts.map((row) => row.lateMs)
  return {
    programs: rows.length,
    ends: Object.fromEntries(count(rows)),
    timeouts: timeouts.length,
    medianMs: median(late),
    p95Ms: quantile(late, 0.95),
    worst: rows.toSorted((a, b) => b.lateMs - a.lateMs).slice(0, 5),
    over500: rows.filter((row) => row.lateMs > 500),
    threadOver500: rows.filter((row) => row.threadLateMs > 500),
    lost: rows.filter((row) => row.lost),
    rows,
  }
}

function count(rows) {
  const ends = new Map()
  for (const { end } of rows) ends.set(end, (ends.get(end) ?? 0) + 1)
  return ends
}

const line = (row) =>
  `${row.family}/${row.name}`.padEnd(36) +
  `${row.end.padEnd(18)} settled ${String(row.lateMs).padStart(7)} ms late, thread ${String(row.threadLateMs).padStart(7)} ms`

export function printLateness(figures) {
  const { programs, timeouts, medianMs, p95Ms, ends } = figures
  console.log(`${programs} programs at ${timeoutMs} ms: ${JSON.stringify(ends)}`)
  console.log(`late among the ${timeouts} timeouts: median ${medianMs} ms, p95 ${p95Ms} ms`)
  console.log('worst five:')
  for (const row of figures.worst) console.log(`  ${line(row)}`)
  for (const key of ['over500', 'threadOver500', 'lost']) {
    console.log(`${key}: ${figures[key].length === 0 ? 'none' : ''}`)
    for (const row of figures[key]) console.log(`  ${line(row)}`)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const wanted = process.argv.slice(2).filter((word) => word !== '--process')
  const isolation = process.argv.includes('--process') ? 'process' : 'thread'
  const figures = await measureLateness(wanted, isolation)
  if (wanted.length > 0) for (const row of figures.rows) console.log(line(row))
  printLateness(figures)
}
