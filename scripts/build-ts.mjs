// Bundles ts/ into dist/, one file per entry of tsdown.config.ts, and rolls the types of the root entry up into the committed index.d.ts.
//   node scripts/build-ts.mjs           does nothing when nothing in ts/ is newer than the output
//   node scripts/build-ts.mjs --check   builds, and fails where the committed index.d.ts differs from what ts/ says
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const at = (name) => path.join(root, name)
const check = process.argv.includes('--check')
const { exports: entries, bin = {} } = JSON.parse(fs.readFileSync(at('package.json'), 'utf8'))
const targets = Object.values(entries).flatMap((entry) =>
  typeof entry === 'string' ? [] : Object.values(entry),
)
const outputs = [...targets, ...Object.values(bin)]
  .filter((file) => /\.(js|d\.ts)$/.test(file))
  .map(at)

const sources = fs
  .readdirSync(at('ts'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
const inputs = [
  ...sources.map((entry) => path.join(entry.parentPath, entry.name)),
  at('tsdown.config.ts'),
  at('tsconfig.json'),
]
const newest = Math.max(...inputs.map((file) => fs.statSync(file).mtimeMs))
if (!check && outputs.every((file) => fs.existsSync(file) && fs.statSync(file).mtimeMs >= newest))
  process.exit(0)

const tsdown = at('node_modules/tsdown/dist/run.mjs')
if (!fs.existsSync(tsdown)) {
  console.error('build-ts: node_modules is missing or not complete; run `npm ci` first')
  process.exit(1)
}
fs.rmSync(at('dist'), { recursive: true, force: true })
// Shown only where it fails: on the oldest supported Node the bundler announces the end of its own support each time.
const built = spawnSync(process.execPath, [tsdown, '--log-level', 'warn'], {
  cwd: root,
  encoding: 'utf8',
})
if (built.status !== 0) {
  console.error(`${built.stdout}${built.stderr}`)
  console.error(`build-ts: tsdown ended with ${built.status ?? built.signal}`)
  process.exit(1)
}

const types = fs.readFileSync(at('dist/index.d.ts'), 'utf8').trimEnd() + '\n'
const committed = fs.existsSync(at('index.d.ts')) ? fs.readFileSync(at('index.d.ts'), 'utf8') : ''
if (check && types !== committed) {
  console.error(
    'build-ts: index.d.ts does not say what ts/ says; run `npm run build:ts` and review the difference',
  )
  process.exit(1)
}
// One copy of the types: the package publishes the one beside package.json.
fs.rmSync(at('dist/index.d.ts'))
// A command has no types.
fs.rmSync(at('dist/cli.d.ts'), { force: true })
fs.writeFileSync(at('index.d.ts'), types)
