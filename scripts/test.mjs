// `npm test`: builds what is missing, runs cargo's and Vitest's tests, and ends with one line of counts over both.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'codemode-test-'))
const report = path.join(scratch, 'vitest.json')
const node = (file, ...args) => run(process.execPath, [path.join(root, file), ...args])

/** Runs with the output shown and kept. Resolves `{ ok, output }`. */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
      process.stdout.write(chunk)
    })
    child.on('error', (error) => resolve({ ok: false, output: String(error) }))
    child.on('close', (code) => resolve({ ok: code === 0, output }))
  })
}

function cargoCounts(output) {
  const counts = { passed: 0, failed: 0 }
  for (const [, passed, failed] of output.matchAll(
    /^test result: .*? (\d+) passed; (\d+) failed/gm,
  )) {
    counts.passed += Number(passed)
    counts.failed += Number(failed)
  }
  return counts
}

function vitestCounts() {
  if (!fs.existsSync(report)) return { passed: 0, failed: 0 }
  const { numPassedTests, numFailedTests } = JSON.parse(fs.readFileSync(report, 'utf8'))
  return { passed: numPassedTests, failed: numFailedTests }
}

for (const script of ['scripts/build-native.mjs', 'scripts/build-ts.mjs']) {
  if (!(await node(script)).ok) process.exit(1)
}
const rust = await run('cargo', ['test', '--workspace', '--no-fail-fast'])
const js = await node(
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile=${report}`,
)
const counts = [cargoCounts(rust.output), vitestCounts()]
fs.rmSync(scratch, { recursive: true })

// A suite that crashed or did not start has no failed test to count: it counts as one.
for (const [i, { ok }] of [rust, js].entries()) {
  if (!ok && counts[i].failed === 0) counts[i].failed = 1
}
const passed = counts[0].passed + counts[1].passed
const failed = counts[0].failed + counts[1].failed
console.log(`${passed} passed, ${failed} failed`)
process.exit(rust.ok && js.ok ? 0 : 1)
