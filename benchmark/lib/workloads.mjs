// What is measured. Each takes a driver's `open` and options, and gives flat figures.
import fs from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import {
  median,
  now,
  privateKbOfWorkers,
  proportionalKb,
  quantile,
  round,
  sleep,
} from './measure.mjs'
import { compute, fanOut, gate, sequential, spin, trivial } from './programs.mjs'
import { manyTools } from './tools.mjs'

const echo = async (input) => input

function expect(actual, wanted) {
  if (actual !== wanted) throw new Error(`wrong result: ${actual}, not ${wanted}`)
}

async function timed(action) {
  const start = now()
  await action()
  return now() - start
}

/** A tool that holds every call until all are let go. */
function holding() {
  let arrived = 0
  let release
  const released = new Promise((resolve) => (release = resolve))
  return {
    async gate() {
      arrived++
      await released
      return 1
    },
    arrived: () => arrived,
    async until(count) {
      while (arrived < count) await sleep(1)
    },
    release,
  }
}

/** Real definitions, many times over: `execute` is never called. */
const defined = (count) => manyTools(count).map((tool) => ({ ...tool, execute: echo }))

export const workloads = {
  /** A code mode made of this many real tools, its description read: schemas parsed, types printed, words indexed. */
  async create(open, { tools: count = 500, times = 11, create }) {
    const tools = defined(count)
    const took = []
    for (let i = 0; i < times; i++) {
      const start = now()
      const codeMode = create(tools)
      expect(codeMode.tool.description.length > 0, true)
      took.push(now() - start)
      await codeMode.close()
    }
    return { ms: round(median(took)), firstMs: round(took[0]), maxMs: round(Math.max(...took)) }
  },

  /** One search of a program among this many tools. */
  async search(open, { tools: count = 10_000, searches = 200, create }) {
    const codeMode = create(defined(count), { limits: { timeoutMs: 60_000 } })
    const outcome = await codeMode.run(`
      const words = ALL_TOOLS.filter((_, i) => i % ${Math.floor(count / searches)} === 0).slice(0, ${searches})
        .map(({ name, description }) => name.split(/_+|-/).slice(1).join(' ') + ' ' + description.split(' ').slice(0, 6).join(' '))
      let found = 0
      for (const query of words) found += (await tools.search(query, { limit: 5 })).length
      return [found, words.length]
    `)
    await codeMode.close()
    expect(outcome.status, 'completed')
    expect(outcome.result[1], searches)
    return { ms: round(outcome.stats.cpuMs / searches) }
  },

  /** Process start to the first result, and its parts. */
  async start(open, { importedMs }) {
    const opened = await timed(async () => {
      const { run } = await open({ echo })
      expect(await run(trivial), 2)
    })
    return {
      sinceProcessStartMs: round(performance.now()),
      importMs: round(importedMs),
      firstRunMs: round(opened),
    }
  },

  /** `return 1+1`, warm, one after the other. */
  async trivial(open, { count = 500 }) {
    const { run } = await open({ echo })
    for (let i = 0; i < 20; i++) await run(trivial)
    const times = []
    for (let i = 0; i < count; i++)
      times.push(await timed(async () => expect(await run(trivial), 2)))
    return { us: round(median(times) * 1000, 1), p99Us: round(quantile(times, 0.99) * 1000, 1) }
  },

  /** The same, each text a new one: nothing of an earlier run helps. */
  async fresh(open, { count = 500 }) {
    const { run } = await open({ echo })
    for (let i = 0; i < 20; i++) await run(`return ${i}-1`)
    const times = []
    for (let i = 0; i < count; i++)
      times.push(await timed(async () => expect(await run(`return ${i}+1`), i + 1)))
    return { us: round(median(times) * 1000, 1), p99Us: round(quantile(times, 0.99) * 1000, 1) }
  },

  /** Diagnostics of a program of fifty lines, on the JavaScript thread. */
  async check(open, { count = 500 }) {
    const { check } = await open({ get_price: echo, search_items: echo })
    const source = fs.readFileSync(new URL('./fifty-lines.ts.txt', import.meta.url), 'utf8')
    expect(check(source).ok, true)
    const times = []
    for (let i = 0; i < count; i++) times.push(await timed(() => check(source)))
    return { us: round(median(times) * 1000, 1), p99Us: round(quantile(times, 0.99) * 1000, 1) }
  },

  /** 1,000 calls one after the other in one program; time between the first and the last as the tool sees it. */
  async sequential(open, { calls = 1000, runs = 5 }) {
    let first
    let last
    const { run } = await open({
      async echo(input) {
        last = now()
        first ??= last
        return input
      },
    })
    const perCall = []
    for (let i = 0; i <= runs; i++) {
      first = undefined
      expect(await run(sequential(calls)), (calls * (calls - 1)) / 2)
      if (i > 0) perCall.push(((last - first) / (calls - 1)) * 1000)
    }
    return { us: round(median(perCall), 2) }
  },

  /** 1,000 calls at once; the tool answers one event loop turn later. */
  async fanOut(open, { calls = 1000, runs = 5 }) {
    const { run } = await open({
      async echo(input) {
        await new Promise(setImmediate)
        return input
      },
    })
    const times = []
    for (let i = 0; i <= runs; i++) {
      const time = await timed(async () => expect(await run(fanOut(calls)), calls))
      if (i > 0) times.push(time)
    }
    return { ms: round(median(times)) }
  },

  /** One compute item; the median of three. */
  async compute(open, { item }) {
    const { run } = await open({ echo })
    const times = []
    for (let i = 0; i < 3; i++)
      times.push(await timed(() => run(compute[item], { memoryLimitBytes: 256 << 20 })))
    return { ms: round(median(times)) }
  },

  /** Four programs of about 500 ms at once: how long the event loop of the host was held up. */
  async hogs(open, { hogs = 4, targetMs = 500 }) {
    const { run } = await open({ echo })
    let count = 200_000
    for (let i = 0; i < 3; i++)
      count = Math.round((count * targetMs) / (await timed(() => run(spin(count)))))
    const loop = monitorEventLoopDelay({ resolution: 1 })
    loop.enable()
    await sleep(20)
    loop.reset()
    // The first delay after a reset has no predecessor and is not counted.
    await sleep(30)
    const wall = await timed(() =>
      Promise.all(Array.from({ length: hogs }, () => run(spin(count)))),
    )
    await sleep(5)
    loop.disable()
    return {
      p99Ms: round(loop.percentile(99) / 1e6),
      maxMs: round(loop.max / 1e6),
      wallMs: round(wall),
    }
  },

  /** Programs that all wait for one tool at the same time: memory of each, and time to begin and to end them all. */
  async waiting(open, { count = 1000 }) {
    const held = holding()
    const { run } = await open({ gate: held.gate })
    await run(trivial)
    globalThis.gc?.()
    const before = proportionalKb()
    const runs = []
    const starting = await timed(async () => {
      for (let i = 0; i < count; i++) runs.push(run(gate, { timeoutMs: 60_000 }))
      await held.until(count)
    })
    const kb = proportionalKb() - before
    const ending = await timed(async () => {
      held.release()
      for (const value of await Promise.all(runs)) expect(value, 1)
    })
    return {
      held: held.arrived(),
      kbEach: round(kb / count, 1),
      startMs: round(starting),
      endMs: round(ending),
    }
  },

  /** Programs in processes that all wait for one tool: private memory of each process. */
  async waitingProcesses(open, { count = 500 }) {
    const held = holding()
    const { run } = await open({ gate: held.gate })
    const runs = Array.from({ length: count }, () => run(gate, { timeoutMs: 60_000 }))
    await held.until(count)
    const kb = privateKbOfWorkers()
    held.release()
    for (const value of await Promise.all(runs)) expect(value, 1)
    return { held: held.arrived(), processes: kb.length, kbEach: round(median(kb), 1) }
  },
}
