// Run ids nobody can guess: an approval or an event that names one cannot be meant for another run.
import { randomFillSync } from 'node:crypto'

const bytesPerId = 16
// One call into the generator makes 256 ids: it costs more than everything else in an id.
const pool = Buffer.alloc(bytesPerId * 256)
let used = pool.length

export function freshRunId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  return `run_${pool.toString('hex', used, (used += bytesPerId))}`
}
