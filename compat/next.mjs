// Next.js: builds the example in `next/` with both of its bundlers, and runs what file tracing put together from a folder of its own.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { here, makeApp, report } from './app.mjs'

// Below this folder, because Next.js has to find its own packages above the application.
const app = fs.mkdtempSync(path.join(here, '.next-'))
const alone = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'codemode-next-')))
process.on('exit', () => {
  for (const folder of [app, alone]) fs.rmSync(folder, { recursive: true, force: true })
})
fs.cpSync(makeApp(), app, { recursive: true })
fs.cpSync(path.join(here, 'next'), app, { recursive: true })

function build(flags, env = {}) {
  fs.rmSync(path.join(app, '.next'), { recursive: true, force: true })
  const next = path.join(here, 'node_modules/next/dist/bin/next')
  const { status, stdout, stderr } = spawnSync(process.execPath, [next, 'build', ...flags], {
    cwd: app,
    encoding: 'utf8',
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NO_COLOR: '1', ...env },
  })
  return { status, text: stdout + stderr }
}

/** The folder of `server.js`, moved to where no other package is in reach. */
function takeAway() {
  const target = fs.mkdtempSync(path.join(alone, 'standalone-'))
  fs.cpSync(path.join(app, '.next/standalone'), target, {
    recursive: true,
    verbatimSymlinks: true,
  })
  return path.join(target, path.basename(app))
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** Starts the server on a free port, asks it, and ends it: it has to go by itself. */
async function serve(folder, isolation) {
  const port = await freePort()
  const child = spawn(process.execPath, ['server.js'], {
    cwd: folder,
    env: { ...process.env, ISOLATION: isolation, PORT: String(port), HOSTNAME: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    await new Promise((resolve, reject) => {
      child.stderr.on('data', (text) => (said += text))
      child.stdout.on('data', (text) => /Ready/.test((said += text)) && resolve())
      void ended.then((code) => reject(new Error(`ended with ${code}: ${said.slice(0, 1_000)}`)))
    })
    await ask(`http://127.0.0.1:${port}`)
  } catch (error) {
    throw new Error(`${isolation}: ${error.message}\n${said.slice(-1_000)}`, { cause: error })
  } finally {
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(late)
  }
  if (child.signalCode === 'SIGKILL') throw new Error(`${isolation}: it did not end on SIGTERM`)
}

async function ask(url) {
  const post = async (code) =>
    JSON.stringify(await (await fetch(`${url}/api/run`, { method: 'POST', body: code })).json())
  const answers = [
    await post('return await tools.add({ a: 4, b: 5 })'),
    // Of the two clocks either may be the first.
    (await post('for (;;) {}')).replace('cpu_timeout', 'timeout'),
    await post('return 1'),
    // React puts a comment between the text and the number.
    /The answer is (?:<!-- -->)?42/.test(await (await fetch(url)).text()),
  ]
  const expected = [
    '{"status":"completed","result":9}',
    '{"status":"failed","error":"timeout"}',
    '{"status":"completed","result":1}',
    true,
  ]
  if (JSON.stringify(answers) !== JSON.stringify(expected)) throw new Error(`it said ${answers}`)
}

async function built(...flags) {
  const { status, text } = build(flags)
  if (status !== 0) throw new Error(text.slice(-2_000))
  const folder = takeAway()
  await serve(folder, 'thread')
  if (process.platform === 'linux') await serve(folder, 'process')
}

const cases = {
  'Next.js, Turbopack: standalone output alone': () => built(),
  'Next.js, webpack: standalone output alone': () => built('--webpack'),
  async 'Next.js without the setting fails at build time, and names the package'() {
    const { status, text } = build([], { BUNDLED: '1' })
    if (status === 0 || !text.includes('codemode-native')) throw new Error(text.slice(-2_000))
  },
}

const rows = []
for (const [title, test] of Object.entries(cases)) {
  let cell = 'ok'
  try {
    await test()
  } catch (error) {
    cell = 'FAILED'
    console.error(`${title}: ${error.message}`)
  }
  rows.push({ name: title, cells: { result: cell } })
}
report(rows, ['result'])
