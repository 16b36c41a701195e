// Builds the engine with AddressSanitizer on the stable toolchain and runs programs through it: every attack of
// `benchmark/attacks.mjs` (and of --cases FILE), then each again with allocations failing one at a time.
//   node scripts/asan.mjs [--inject 30] [--cases FILE.json]... [--no-asan]
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { attacks } from '../benchmark/attacks.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const { values } = parseArgs({
  options: {
    inject: { type: 'string', default: '30' },
    cases: { type: 'string', multiple: true, default: [] },
    'no-asan': { type: 'boolean', default: false },
  },
})

/** Attacks are statements that may end in an expression; a case file has bodies and marks to expand. */
function programs() {
  const list = []
  for (const [family, members] of Object.entries(attacks)) {
    for (const [name, code] of Object.entries(members)) {
      const features = ['typedArrays', 'weakRefs']
      list.push({ id: `${family}/${name}`, code, features, timeoutMs: 100 })
    }
  }
  for (const file of values.cases) {
    for (const entry of JSON.parse(fs.readFileSync(file, 'utf8'))) {
      let { code } = entry
      for (const [mark, [text, times]] of Object.entries(entry.expand ?? {})) {
        code = code.replaceAll(mark, text.repeat(times))
      }
      const { features } = entry.options ?? {}
      list.push({ id: entry.id, code, features, timeoutMs: 300, ...entry.limits })
    }
  }
  return list
}

const target = 'x86_64-unknown-linux-gnu'
const env = { ...process.env }
const cargo = [
  'build',
  '-p',
  'codemode-engine',
  '--example',
  'corpus',
  '--features',
  'fault-injection',
]
let runEnv = env
if (!values['no-asan']) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    console.error('asan: this recipe is for linux x64; use --no-asan elsewhere')
    process.exit(1)
  }
  const library = execFileSync('gcc', ['-print-file-name=libasan.so'], { encoding: 'utf8' }).trim()
  const flags = '-fsanitize=address -fno-omit-frame-pointer -g1'
  Object.assign(env, {
    [`CFLAGS_${target.replaceAll('-', '_')}`]: flags,
    RUSTFLAGS: `-C link-arg=-Wl,--no-as-needed -C link-arg=${library}`,
  })
  cargo.push('--target', target, '--target-dir', path.join(root, 'target/asan'))
  runEnv = {
    ...env,
    LD_PRELOAD: library,
    // The runtime's own leaks are not looked for: a heap is dropped whole, without its objects being told.
    ASAN_OPTIONS:
      'detect_leaks=0:abort_on_error=1:allocator_may_return_null=1:detect_stack_use_after_return=0',
  }
}

execFileSync(process.execPath, [path.join(root, 'scripts/patch-engine.mjs')], { stdio: 'inherit' })
execFileSync('cargo', cargo, { cwd: root, env, stdio: 'inherit' })
const folder = values['no-asan'] ? 'target/debug' : `target/asan/${target}/debug`
const binary = path.join(root, folder, 'examples/corpus')

const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'corpus-')), 'programs.jsonl')
const all = programs()
fs.writeFileSync(
  file,
  all
    .map((program) => JSON.stringify({ ...program, code: program.code.toWellFormed() }))
    .join('\n'),
)

// A crash ends the process: note it, and go on behind it.
const crashes = []
const skip = []
let from
let [ran, injected] = [0, 0]
for (;;) {
  const args = [file, '--inject', values.inject, '--skip', skip.join(',')]
  if (from) args.push('--from', from)
  const done = spawnSync(binary, args, { env: runEnv, encoding: 'utf8', maxBuffer: 1 << 28 })
  const begun = [...done.stdout.matchAll(/^BEGIN (\S+) (\d+)$/gm)]
  ran += begun.filter((match) => match[2] === '0').length
  injected += begun.filter((match) => match[2] !== '0').length
  if (done.status === 0) break
  const [, id, at] = begun.at(-1) ?? [undefined, 'start', '0']
  const frames = [...done.stderr.matchAll(/^\s+#\d+ \S+ in (\S+)/gm)]
    .slice(0, 6)
    .map((match) => match[1])
  const report = /ERROR: AddressSanitizer: (.*)/.exec(done.stderr)?.[1] ?? done.stderr.slice(-300)
  crashes.push({ id, at, signal: done.signal, report, frames })
  console.log(
    `CRASH ${id} at allocation ${at}: ${done.signal ?? done.status} ${report}\n  ${frames.join(' < ')}`,
  )
  if (crashes.length > 40) break
  if (at === '0') {
    // The program itself: go on with the next one.
    const next = all[all.findIndex((program) => program.id === id) + 1]
    if (!next) break
    from = next.id
  } else {
    skip.push(`${id}:${at}`)
    from = id
  }
}
fs.rmSync(path.dirname(file), { recursive: true, force: true })
console.log(
  `${all.length} programs, ${ran} runs, ${injected} with a failing allocation, ${crashes.length} crashes`,
)
process.exitCode = crashes.length > 0 ? 1 : 0
