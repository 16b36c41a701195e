// Makes `.patched/rquickjs-sys`: the engine crate from the registry with `patches/quickjs-ng.patch` applied.
// Cargo verifies the download against `patches/fetch/Cargo.lock`. Does nothing when the result is up to date.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const manifest = path.join(root, 'patches/fetch/Cargo.toml')
const patch = path.join(root, 'patches/quickjs-ng.patch')
const target = path.join(root, '.patched/rquickjs-sys')
const stampFile = path.join(root, '.patched/stamp')

const inputs = [
  patch,
  manifest,
  path.join(root, 'patches/fetch/Cargo.lock'),
  fileURLToPath(import.meta.url),
]
const hash = createHash('sha256')
for (const file of inputs) hash.update(fs.readFileSync(file))
const stamp = hash.digest('hex')

const current = fs.existsSync(stampFile) ? fs.readFileSync(stampFile, 'utf8') : ''
if (current === stamp && fs.existsSync(target)) process.exit(0)

function run(command, args, cwd = root) {
  try {
    return execFileSync(command, args, {
      cwd,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  } catch (error) {
    const reason =
      error.code === 'ENOENT'
        ? `\`${command}\` was not found on PATH`
        : `\`${command}\` ended with ${error.status ?? error.signal}`
    console.error(
      `patch-engine: ${reason}. Building the engine needs Rust (https://rustup.rs) and git.`,
    )
    process.exit(1)
  }
}

const metadata = JSON.parse(
  run('cargo', ['metadata', '--locked', '--format-version', '1', '--manifest-path', manifest]),
)
const source = metadata.packages.find((p) => p.name === 'rquickjs-sys')
if (!source) {
  console.error('patch-engine: cargo did not list rquickjs-sys')
  process.exit(1)
}

fs.rmSync(path.dirname(target), { recursive: true, force: true })
fs.cpSync(path.dirname(source.manifest_path), target, { recursive: true })
// GIT_CEILING_DIRECTORIES keeps `git apply` from taking the repository around the folder as its base.
execFileSync('git', ['apply', '--whitespace=nowarn', '-p1', patch], {
  cwd: target,
  stdio: 'inherit',
  env: { ...process.env, GIT_CEILING_DIRECTORIES: path.dirname(target) },
})
// The crate's build script watches no C file, so cargo must see the patched folder as newer than its last build.
const buildScript = path.join(target, 'build.rs')
fs.utimesSync(buildScript, new Date(), new Date())
fs.writeFileSync(stampFile, stamp)
console.log(`patch-engine: rquickjs-sys ${source.version} patched`)
