// Runs every example in a process of its own; fails when one does. `demo.mjs` is the sum of two others.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = path.dirname(fileURLToPath(import.meta.url))
const shared = ['run-all.mjs', 'report.mjs', 'demo.mjs']
const examples = fs
  .readdirSync(folder)
  .filter((file) => file.endsWith('.mjs') && !shared.includes(file))
  .concat('engine-python/demo.mjs')

const failed = []
for (const file of examples) {
  console.log(`\nexamples: ${file}`)
  const { status } = spawnSync(process.execPath, [path.join(folder, file)], {
    stdio: 'inherit',
    timeout: 60_000,
  })
  if (status !== 0) failed.push(file)
}
console.log(
  failed.length > 0
    ? `\nexamples: failed: ${failed.join(', ')}`
    : `\nexamples: ${examples.length} ran`,
)
process.exit(failed.length > 0 ? 1 : 0)
