// Builds the addon with cargo and copies it to `codemode-native.<platform>.node`, and on Linux the worker of process isolation
// to `codemode-native.<platform>.worker`. Cargo decides what is up to date.
//   node scripts/build-native.mjs [--debug] [--platform linux-x64-gnu]
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { addonFile, hostPlatform, platforms, workerFile } from './platforms.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const { values } = parseArgs({
  options: { debug: { type: 'boolean' }, platform: { type: 'string' } },
})
const debug = values.debug || process.env.CODEMODE_DEBUG === '1'
const platform = values.platform ?? hostPlatform()
if (!platforms[platform])
  fail(`there is no build for ${platform ?? `${process.platform}-${process.arch}`}`)
const output = path.join(root, addonFile(platform))

function fail(sentence) {
  console.error(`build-native: ${sentence}`)
  process.exit(1)
}

function found(command) {
  return !spawnSync(command, ['--version'], { stdio: 'ignore' }).error
}

if (!found('cargo')) {
  if (fs.existsSync(output)) {
    console.log(
      `build-native: cargo was not found; keeping the ${path.basename(output)} that is there`,
    )
    process.exit(0)
  }
  fail(
    'cargo was not found. Building needs Rust 1.88 or newer (https://rustup.rs), git and a C compiler.',
  )
}
if (process.platform !== 'win32' && !['cc', 'gcc', 'clang'].some(found)) {
  fail(
    'no C compiler was found. The engine is C: install gcc or clang (on Debian `build-essential`, on macOS `xcode-select --install`).',
  )
}

run(process.execPath, [path.join(root, 'scripts/patch-engine.mjs')])

const args = ['build', '-p', 'codemode-native', '--message-format=json-render-diagnostics']
args.push(...(debug ? ['--features', 'trace-output'] : ['--release']))
if (process.env.CI) args.push('--locked')
const cargoEnv = { ...process.env }
if (values.platform) args.push('--target', platforms[platform].rust)
if (platforms[platform].libc === 'musl') {
  // A shared library cannot link libc statically, which is the default of this target.
  const name = platforms[platform].rust.toUpperCase().replaceAll('-', '_')
  cargoEnv[`CARGO_TARGET_${name}_RUSTFLAGS`] = '-C target-feature=-crt-static'
}
const messages = run('cargo', args, cargoEnv)

const library = builtFiles(messages, 'cdylib').find((file) => /\.(so|dylib|dll)$/.test(file))
if (!library) fail('cargo did not report a library')
install(library, output)

if (workerFile(platform)) buildWorker()

/** The worker is linked statically: no loader and no shared library is to be found in the sandbox. */
function buildWorker() {
  const flags = ['rustc', '-p', 'codemode-worker', '--bin', 'codemode-worker']
  flags.push('--message-format=json-render-diagnostics', ...(debug ? [] : ['--release']))
  if (process.env.CI) flags.push('--locked')
  if (values.platform) flags.push('--target', platforms[platform].rust)
  const built = run('cargo', [...flags, '--', '-C', 'target-feature=+crt-static'])
  const program = builtFiles(built, 'bin').find((file) => file.endsWith('codemode-worker'))
  if (!program) fail('cargo did not report a worker')
  install(program, path.join(root, workerFile(platform)))
}

function builtFiles(report, kind) {
  const artifact = report
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .findLast(
      (message) => message.reason === 'compiler-artifact' && message.target.kind.includes(kind),
    )
  return artifact?.filenames ?? []
}

/** Copied beside and renamed: a process that has the old file mapped keeps it. */
function install(built, target) {
  if (fs.existsSync(target) && fs.readFileSync(target).equals(fs.readFileSync(built))) return
  const fresh = `${target}.${process.pid}`
  fs.copyFileSync(built, fresh)
  fs.renameSync(fresh, target)
  console.log(
    `build-native: ${path.basename(target)} (${debug ? 'debug' : 'release'}, ${fs.statSync(target).size} bytes)`,
  )
}

function run(command, parameters, env = process.env) {
  const done = spawnSync(command, parameters, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  if (done.error) fail(`${command} did not start: ${done.error.message}`)
  if (done.status !== 0) fail(`${path.basename(command)} ended with ${done.status ?? done.signal}`)
  return done.stdout
}
