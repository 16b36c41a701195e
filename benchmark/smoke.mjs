// `npm run bench:smoke`: fails where the package has become three times slower than it was, measured against the baseline in this very
// job. A machine may be busy: what fails is measured again, and fails only where it does so three times.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const bench = path.join(path.dirname(fileURLToPath(import.meta.url)), 'bench.mjs')
const attempts = 3
const allowed = 3

/** How many times faster than quickjs-emscripten each was when it was last written down; see RESULTS.md. */
const recorded = {
  trivial: { ratio: 13.3, figure: 'us' },
  sequential: { ratio: 1.8, figure: 'us' },
  fanOut: { ratio: 1.7, figure: 'ms' },
  fib: { ratio: 2.3, figure: 'ms' },
  json: { ratio: 1.6, figure: 'ms' },
}

function measure(names) {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'bench-smoke-')), 'figures.json')
  const args = [bench, '--rounds', '1', '--only', names.join(','), '--json', file]
  execFileSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'ignore'] })
  const { results } = JSON.parse(fs.readFileSync(file, 'utf8'))
  fs.rmSync(path.dirname(file), { recursive: true })
  return results
}

let open = Object.keys(recorded)
for (let attempt = 1; attempt <= attempts && open.length > 0; attempt++) {
  const results = measure(open)
  open = open.filter((name) => {
    const { ratio, figure } = recorded[name]
    const [{ base, ours }] = results[name]
    return !(base[figure] / ours[figure] >= ratio / allowed)
  })
}
if (open.length > 0) {
  const list = open.map((name) => `${name} (recorded ratio ${recorded[name].ratio})`).join(', ')
  console.error(`bench:smoke: more than ${allowed} times slower than recorded: ${list}`)
  process.exit(1)
}
console.log(`bench:smoke: nothing is ${allowed} times slower than recorded`)
