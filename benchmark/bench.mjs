// `npm run bench`: every measurement in a process of its own, baseline and package in turn within each round, medians over
// rounds, and the ratio of the two taken inside a round. Options: --rounds 3, --only trivial,sequential, --json file.
import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { measureLateness, printLateness } from './lateness.mjs'
import { median, round } from './lib/measure.mjs'
import { compute } from './lib/programs.mjs'
import { measurePreparation, printPreparation } from './preparation.mjs'

const child = path.join(path.dirname(fileURLToPath(import.meta.url)), 'child.mjs')
const drivers = { base: 'quickjs-emscripten', ours: 'codemode-native' }
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
    json: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const only = values.only?.split(',')
const hasTaskset = process.platform === 'linux' && fs.existsSync('/usr/bin/taskset')

/** `figure` is the one compared; `oursOnly`: the baseline cannot hold that many, or has no such thing. */
const measurements = [
  { name: 'trivial', title: '`return 1+1`, warm', workload: 'trivial', figure: 'us', unit: 'µs' },
  {
    name: 'fresh',
    title: '`return i+1`, each text new',
    workload: 'fresh',
    figure: 'us',
    unit: 'µs',
  },
  {
    name: 'sequential',
    title: 'sequential tool call, quiet',
    workload: 'sequential',
    figure: 'us',
    unit: 'µs',
  },
  {
    name: 'pinned',
    title: 'sequential tool call, one core',
    workload: 'sequential',
    figure: 'us',
    unit: 'µs',
    pinned: true,
  },
  {
    name: 'loaded',
    title: 'sequential tool call, loaded',
    workload: 'sequential',
    figure: 'us',
    unit: 'µs',
    loaded: true,
  },
  { name: 'fanOut', title: 'fan-out of 1,000 calls', workload: 'fanOut', figure: 'ms', unit: 'ms' },
  ...Object.keys(compute).map((item) => ({
    name: item,
    title: `compute: ${item}`,
    workload: 'compute',
    options: { item },
    figure: 'ms',
    unit: 'ms',
  })),
  {
    name: 'hogs',
    title: 'event loop p99 under four 500 ms programs',
    workload: 'hogs',
    figure: 'p99Ms',
    unit: 'ms',
  },
  {
    name: 'waiting',
    title: 'memory of a waiting program, 1,000 held',
    workload: 'waiting',
    figure: 'kbEach',
    unit: 'KB',
  },
  {
    name: 'waiting10k',
    title: 'memory of a waiting program, 10,000 held',
    workload: 'waiting',
    options: { count: 10_000 },
    figure: 'kbEach',
    unit: 'KB',
    oursOnly: true,
  },
  ...[
    { name: 'trivial', title: '`return 1+1`, warm', figure: 'us', unit: 'µs' },
    { name: 'sequential', title: 'sequential tool call, quiet', figure: 'us', unit: 'µs' },
    { name: 'fanOut', title: 'fan-out of 1,000 calls', figure: 'ms', unit: 'ms' },
  ].map((measurement) => ({
    ...measurement,
    name: `process-${measurement.name}`,
    title: `${measurement.title}, process isolation`,
    workload: measurement.name,
    ours: 'codemode-native-process',
  })),
  {
    name: 'process-waiting',
    title: 'private memory of a waiting process, 500 held',
    workload: 'waitingProcesses',
    figure: 'kbEach',
    unit: 'KB',
    ours: 'codemode-native-process',
    oursOnly: true,
  },
  {
    name: 'check',
    title: '`check` of 50 lines of TypeScript',
    workload: 'check',
    figure: 'us',
    unit: 'µs',
    oursOnly: true,
  },
  {
    name: 'start',
    title: 'process start to first result',
    workload: 'start',
    figure: 'sinceProcessStartMs',
    unit: 'ms',
  },
  {
    name: 'create',
    title: 'creation with 500 real tools',
    workload: 'create',
    figure: 'ms',
    unit: 'ms',
    oursOnly: true,
  },
  {
    name: 'search',
    title: 'search among 10,000 tools',
    workload: 'search',
    figure: 'ms',
    unit: 'ms',
    oursOnly: true,
  },
]

function measure(driver, { workload, options = {}, pinned }) {
  const args = ['--expose-gc', child, driver, workload, JSON.stringify(options)]
  const [command, all] = pinned
    ? ['taskset', ['-c', '0', process.execPath, ...args]]
    : [process.execPath, args]
  return JSON.parse(execFileSync(command, all, { encoding: 'utf8', timeout: 120_000 }))
}

/** Keeps every core busy with a process of its own until the returned function is called. */
function startLoad() {
  const busy = Array.from({ length: os.availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' }),
  )
  return () => busy.forEach((process) => process.kill('SIGKILL'))
}

function measureRound(measurement) {
  const stop = measurement.loaded ? startLoad() : () => {}
  try {
    const base = measurement.oursOnly ? undefined : measure(drivers.base, measurement)
    return { base, ours: measure(measurement.ours ?? drivers.ours, measurement) }
  } finally {
    stop()
  }
}

const chosen = measurements.filter(
  ({ name, pinned, ours }) =>
    (!only || only.includes(name)) &&
    (!pinned || hasTaskset) &&
    (!ours || process.platform === 'linux'),
)
const results = new Map(chosen.map(({ name }) => [name, []]))
for (let i = 0; i < rounds; i++) {
  for (const measurement of chosen) {
    if (i > 0 && measurement.name === 'waiting10k') continue
    process.stderr.write(`round ${i + 1}/${rounds}: ${measurement.title}\n`)
    results.get(measurement.name).push(measureRound(measurement))
  }
}

const cpu = os.cpus()[0]?.model.trim() || 'unknown CPU'
console.log(
  `${new Date().toISOString().slice(0, 10)}, ${os.cpus().length} x ${cpu}, ${os.type()} ${os.release()}, Node ${process.versions.node}`,
)
console.log(
  `medians of ${rounds} rounds; ratio = baseline / codemode-native, median of the ratios within a round\n`,
)
console.log('| measurement | quickjs-emscripten 0.32 | codemode-native | ratio |')
console.log('|---|---:|---:|---:|')
for (const { name, title, figure, unit, oursOnly } of chosen) {
  const pairs = results.get(name)
  const ours = `${round(median(pairs.map((pair) => pair.ours[figure])), 2)} ${unit}`
  if (oursOnly) {
    console.log(`| ${title} | | ${ours} | |`)
    continue
  }
  const base = `${round(median(pairs.map((pair) => pair.base[figure])), 2)} ${unit}`
  const ratio = round(median(pairs.map((pair) => pair.base[figure] / pair.ours[figure])), 2)
  console.log(`| ${title} | ${base} | ${ours} | ${ratio} |`)
}

let preparation
if (!only || only.includes('preparation')) {
  console.log('')
  preparation = measurePreparation()
  printPreparation(preparation)
}

let lateness
if (!only || only.includes('lateness')) {
  console.log('')
  lateness = await measureLateness()
  printLateness(lateness)
}
if (values.json) {
  fs.writeFileSync(
    values.json,
    JSON.stringify({ results: Object.fromEntries(results), preparation, lateness }, null, 2),
  )
}
