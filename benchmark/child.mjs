// One driver, one measurement, one process: `node --expose-gc child.mjs <driver> <workload> [json options]` prints JSON.
import { now } from './lib/measure.mjs'
import { workloads } from './lib/workloads.mjs'

const [driver, workload, options = '{}'] = process.argv.slice(2)
const { open, create } = await import(`./drivers/${driver}.mjs`)
const importedMs = now() - performanceOrigin()
const result = await workloads[workload](open, { ...JSON.parse(options), importedMs, create })
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0))

/** When this process began, on the clock of `now()`. */
function performanceOrigin() {
  return now() - performance.now()
}
