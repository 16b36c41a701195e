// Every runtime against the packed tarballs: a run, its limits, and how processes and threads end.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { bin, here, makeApp, report } from './app.mjs'

const own = (name) => path.join(here, 'node_modules', name, 'bin/node')
const runtimes = [
  { name: `Node ${process.versions.node}`, command: [process.execPath] },
  ...['node22', 'node24', 'node26'].map((name) => ({ name, command: [own(name)] })),
  { name: 'Bun', command: [bin('bun'), 'run'] },
  { name: 'Deno', command: [bin('deno'), 'run', '-A', '--node-modules-dir=manual'] },
]

const head = `import { createCodeMode } from 'codemode-native'
const make = (options = {}) => createCodeMode({ tools: { add: { execute: async ({ a, b }) => a + b }, never: { execute: () => new Promise(() => {}) } }, ...options })
const assert = (claim, told) => { if (!claim) { console.error('not so: ' + told); process.exit(3) } }
`

/** Programs: each has to end by itself, with exit code 0 unless it says another. */
const programs = {
  run: `const c = make(); const o = await c.run('const [x, y] = await Promise.all([tools.add({ a: 1, b: 2 }), tools.add({ a: 3, b: 4 })]); const n: number = x * y; return n')
    assert(o.result === 21, JSON.stringify(o)); await c.close()`,
  limits: `const c = make({ limits: { timeoutMs: 300, maxToolCalls: 2, memoryLimitBytes: 4_194_304 } })
    const code = async (source) => (await c.run(source)).error?.code
    assert(/timeout/.test(await code('try { for (;;) {} } catch {}')), 'timeout')
    assert(await code('for (;;) await tools.add({ a: 1, b: 1 })') === 'tool_call_limit', 'calls')
    assert(await code('try { const a = []; for (;;) a.push("x".repeat(1e5) + a.length) } catch {}') === 'memory_limit', 'memory')
    assert((await c.run('return 1')).result === 1, 'after'); await c.close()`,
  abort: `const c = make(); const s = new AbortController(); setTimeout(() => s.abort(), 50)
    const o = await c.run('await tools.never()', { abortSignal: s.signal })
    assert(o.error?.code === 'aborted', JSON.stringify(o)); await c.close()`,
  'exits when idle': `const o = await make().run('return await tools.add({ a: 1, b: 1 })'); assert(o.result === 2, 'result')`,
  'close ends runs': `const c = make(); const r = c.start('for (;;) {}'); setTimeout(() => c.close(), 50)
    const o = await r.outcome; assert(o.error?.code === 'stopped', JSON.stringify(o))`,
  'exit mid-run': `const c = make(); void c.run('for (;;) {}'); setTimeout(() => process.exit(0), 100)`,
  'process isolation': `if (process.platform !== 'linux') process.exit(0)
    const c = make({ isolation: 'process' }); assert(c.diagnostics().protections.includes('seccomp'), 'seccomp')
    const o = await c.run('return await tools.add({ a: 1, b: 1 })'); assert(o.result === 2, JSON.stringify(o))
    const s = c.start('for (;;) {}'); setTimeout(() => s.stop(), 50); assert((await s.outcome).error?.code === 'stopped', 'stop')
    await c.close(); assert(c.diagnostics().childProcesses === 0, 'children')`,
  'worker threads': `import { Worker } from 'node:worker_threads'
    for (let i = 0; i < 10; i++) {
      const w = new Worker(new URL('./worker.mjs', import.meta.url))
      const said = await new Promise((resolve, reject) => { w.once('message', resolve); w.once('error', reject) })
      assert(said === 3, 'worker said ' + said); await w.terminate()
    }`,
  'terminated mid-run': `import { Worker } from 'node:worker_threads'
    for (let i = 0; i < 10; i++) {
      const w = new Worker(new URL('./spinner.mjs', import.meta.url))
      await new Promise((resolve, reject) => { w.once('message', resolve); w.once('error', reject) })
      await w.terminate()
    }`,
}

const app = makeApp()
const write = (file, source) => fs.writeFileSync(path.join(app, file), source)
write(
  'worker.mjs',
  `import { parentPort } from 'node:worker_threads'\n${head}parentPort.postMessage((await make().run('return await tools.add({ a: 1, b: 2 })')).result)`,
)
write(
  'spinner.mjs',
  `import { parentPort } from 'node:worker_threads'\n${head}void make().run('for (;;) {}'); setTimeout(() => parentPort.postMessage(1), 50); setInterval(() => {}, 1000)`,
)
const only = process.argv.slice(2)
const rows = []
for (const { name, command } of runtimes) {
  if (!fs.existsSync(command[0]) || (only.length > 0 && !only.includes(name))) continue
  const cells = {}
  for (const [title, source] of Object.entries(programs)) {
    write('program.mjs', head + source)
    const [file, ...args] = command
    const began = performance.now()
    const { status, signal, stderr } = spawnSync(file, [...args, 'program.mjs'], {
      cwd: app,
      encoding: 'utf8',
      timeout: 60_000,
    })
    const took = Math.round(performance.now() - began)
    cells[title] = status === 0 ? `ok ${took} ms` : `FAILED ${signal ?? status}`
    if (status !== 0)
      console.error(`${name}, ${title}: ${signal ?? status}\n${stderr.slice(0, 2_000)}`)
  }
  const version = spawnSync(command[0], ['--version'], { encoding: 'utf8' })
    .stdout.split('\n')[0]
    .replace(/ \(.*/, '')
  rows.push({
    name: name.startsWith('node')
      ? `Node ${version.slice(1)}`
      : name === 'Bun'
        ? `Bun ${version}`
        : name === 'Deno'
          ? version
          : name,
    cells,
  })
}
report(rows, Object.keys(programs))
