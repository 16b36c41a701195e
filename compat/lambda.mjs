// As AWS Lambda runs a function: the traced files alone, a read-only file system but for /tmp, one core, frozen between calls. Linux only.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline'
import { nodeFileTrace } from '@vercel/nft'
import { here, makeApp, report } from './app.mjs'

const app = makeApp()
fs.cpSync(path.join(here, 'lambda'), app, { recursive: true })
const task = path.join(path.dirname(app), 'task')
const { fileList } = await nodeFileTrace([path.join(app, 'runtime.mjs')], { base: app })
for (const file of fileList)
  fs.cpSync(path.join(app, file), path.join(task, file), { recursive: true })
fs.writeFileSync(path.join(task, 'empty.mjs'), 'process.stdout.write("{}\\n")')

// In a mount namespace of its own: the function at /mnt, a small empty /tmp, the rest of the disk read-only.
const mounts = `set -e
mount --make-rprivate /
mount --bind "$1" /mnt
mount -t tmpfs -o size=512m,mode=1777 tmpfs /tmp
mount -o remount,ro,bind /mnt
mount -o remount,ro,bind /
cd /mnt
shift
exec "$@"`
const user =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
const oneCore = spawnSync('taskset', ['--version']).status === 0 ? ['taskset', '-c', '0'] : []
const namespaces = [
  ['unshare', '-m'],
  ['unshare', '-rm'],
]
const namespace = namespaces.find(
  ([file, ...args]) => spawnSync(file, [...args, 'mount', '--make-rprivate', '/']).status === 0,
)

if (!namespace) spawnSync('chmod', ['-R', 'a-w', task])
process.on('exit', () => spawnSync('chmod', ['-R', 'u+w', task]))

/** A process of the service: `ask` gives the answer to one event. */
function start(file = 'runtime.mjs', env = {}) {
  const node = [...oneCore, process.execPath, file]
  const command = namespace
    ? [...namespace, 'sh', '-c', mounts, 'sh', task, ...user, ...node]
    : node
  const child = spawn(command[0], command.slice(1), {
    cwd: task,
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let complaints = ''
  child.stderr.on('data', (text) => (complaints += text))
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    let timer
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within 20 s ${complaints}`)), 20_000)
    })
    const line = await Promise.race([lines.next(), late])
    clearTimeout(timer)
    if (line.done) throw new Error(`it ended: ${complaints.slice(0, 1_000)}`)
    return JSON.parse(line.value)
  }
  const ask = (event) => (child.stdin.write(`${JSON.stringify(event)}\n`), next())
  return { child, next, ask, end: () => child.kill('SIGKILL') }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const nine = { code: 'return await tools.add({ a: 4, b: 5 })' }
const expectAnswer = (answer, expected) => {
  if (JSON.stringify(answer) !== JSON.stringify(expected))
    throw new Error(`it said ${JSON.stringify(answer)}`)
}
const isNine = (answer) => expectAnswer(answer, { status: 'completed', result: 9 })

async function inProcess(test, env) {
  const service = start('runtime.mjs', env)
  try {
    return await test(service)
  } finally {
    service.end()
  }
}

async function places({ ask }) {
  const found = await ask({ probe: true })
  expectAnswer([found.task, found.temporary], [namespace ? 'EROFS' : 'EACCES', 'written'])
  const how = namespace
    ? 'the whole disk'
    : 'the folder of the function alone, by chmod: no namespaces here'
  return `read-only: ${how}; core ${found.cores}; ${found.rssMiB} MiB resident`
}

async function frozenBetween({ child, ask }) {
  for (let i = 0; i < 3; i++) {
    isNine(await ask(nine))
    child.kill('SIGSTOP')
    await pause(1_500)
    child.kill('SIGCONT')
  }
  isNine(await ask(nine))
}

async function frozenMidway({ child, ask }) {
  isNine(await ask(nine))
  const answer = ask({ code: 'return await tools.slow()' })
  await pause(150)
  child.kill('SIGSTOP')
  await pause(1_500)
  child.kill('SIGCONT')
  const { status, error } = await answer
  // Its tool is as late as its limit: which of the two timers the thawed process sees first is not said.
  if (error !== 'timeout' && status !== 'completed') throw new Error(`${status} ${error}`)
  isNine(await ask(nine))
  return error ?? status
}

async function timed(work) {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** Medians of nine processes each; in between them nothing is kept. */
async function coldStart(env) {
  const rounds = []
  for (let i = 0; i < 9; i++) {
    const nothing = start('empty.mjs', env)
    const empty = await timed(() => nothing.next())
    nothing.end()
    const service = start('runtime.mjs', env)
    const first = await timed(async () => isNine(await service.ask(nine)))
    const next = await timed(async () => isNine(await service.ask(nine)))
    const { initMs } = await service.ask({ probe: true })
    service.end()
    rounds.push({ empty, first, next, initMs })
  }
  const median = (key) =>
    rounds
      .map((round) => round[key])
      .toSorted((a, b) => a - b)[4]
      .toFixed(1)
  return `first answer ${median('first')} ms (an empty program ${median('empty')} ms; import and createCodeMode ${median('initMs')} ms), next one ${median('next')} ms`
}

const cases = {
  'read-only but /tmp': (env) => inProcess(places, env),
  'frozen between calls': (env) => inProcess(frozenBetween, env),
  'frozen half-way': (env) => inProcess(frozenMidway, env),
  'cold start': coldStart,
}
const rows = []
for (const isolation of ['thread', 'process']) {
  for (const [title, test] of Object.entries(cases)) {
    let cell
    try {
      const found = await test({ ISOLATION: isolation })
      cell = `ok ${found ?? ''}`.trim()
    } catch (error) {
      cell = 'FAILED'
      console.error(`${isolation}, ${title}: ${error.message}`)
    }
    rows.push({ name: `${isolation}, ${title}`, cells: { result: cell } })
  }
}
report(rows, ['result'])
