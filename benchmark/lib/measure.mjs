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
