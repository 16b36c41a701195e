// Clocks, statistics and what /proc says about this process. Times in milliseconds, sizes in kilobytes.
import fs from 'node:fs'

export const now = () => Number(process.hrtime.bigint()) / 1e6
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export const round = (value, digits = 3) => Number(value.toFixed(digits))

export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))]
}

export const median = (values) => quantile(values, 0.5)

function field(file, name) {
  const match = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(fs.readFileSync(file, 'utf8'))
  return match ? Number(match[1]) : Number.NaN
}

export const residentKb = () => process.memoryUsage.rss() / 1024

/** Proportional set size where the system tells it, else the resident size. */
export function proportionalKb() {
  return fs.existsSync('/proc/self/smaps_rollup')
    ? field('/proc/self/smaps_rollup', 'Pss')
    : residentKb()
}

/** Private memory of each process forked by a worker of this process. Needs root: they are not dumpable. */
export function privateKbOfWorkers() {
  const stats = fs.readdirSync('/proc').flatMap((name) => {
    try {
      if (!/^\d+$/.test(name)) return []
      const stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8')
      return [{ pid: name, parent: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] }]
    } catch {
      return []
    }
  })
  const workers = stats.filter(({ parent }) => parent === String(process.pid))
  return workers.flatMap((worker) =>
    stats
      .filter(({ parent }) => parent === worker.pid)
      .map(({ pid }) => `/proc/${pid}/smaps_rollup`)
      .map((file) => field(file, 'Private_Dirty') + field(file, 'Private_Clean')),
  )
}
