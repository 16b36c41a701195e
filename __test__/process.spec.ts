// Process isolation as a user sees it. What a locked-down process can do is in crates/worker/tests/probes.rs.
import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createCodeMode, IsolationUnavailableError, type CodeMode } from '../ts/index.ts'
import { completed, echo, failed, make, recorder, sleep } from './helpers.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const required = ['no-new-privs', 'not-dumpable', 'no-capabilities', 'dies-with-parent', 'rlimits', 'landlock-files', 'seccomp']

/** Ids of worker processes below a process, the worker itself first. */
function workersOf(parent: number): number[] {
  const processes = fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8')
        const ppid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
        return stat.includes('.worker)') || stat.includes('(codemode') ? [{ pid: Number(name), ppid }] : []
      } catch {
        return []
      }
    })
  const leaders = processes.filter(({ ppid }) => ppid === parent).map(({ pid }) => pid)
  return [...leaders, ...processes.filter(({ ppid }) => leaders.includes(ppid)).map(({ pid }) => pid)]
}

async function until(what: () => boolean, ms = 5000) {
  const end = Date.now() + ms
  while (!what()) {
    if (Date.now() > end) throw new Error('did not settle')
    await sleep(10)
  }
}

const create = (tools: Parameters<typeof createCodeMode>[0]['tools'] = { echo }): CodeMode => make({ isolation: 'process', tools })

describe.runIf(process.platform === 'linux')('process isolation', () => {
  test('a run, its calls and its events are those of a thread', async () => {
    const outcomes = []
    for (const isolation of ['thread', 'process'] as const) {
      const seen = recorder()
      const codeMode = make({ isolation, tools: { echo }, onEvent: seen.onEvent })
      const outcome = completed(
        await codeMode.run("console.log('a'); text('b'); const x = await tools.echo({ 'é\\ud800': [1, null] }); return { x }", {
          toolCallId: 'run',
        }),
      )
      const { logs, text, result, toolCalls, calls } = outcome
      outcomes.push({
        logs,
        text,
        result,
        toolCalls,
        calls: calls.map((call) => ({ ...call, startedMs: 0, durationMs: 0 })),
        types: seen.types(),
      })
    }
    expect(outcomes[1]).toEqual(outcomes[0])
  })

  test('what programs learn of the tools is what they learn in a thread', async () => {
    const tools = {
      get_price: { description: 'The price of one fruit', inputSchema: { type: 'object' }, execute: () => 1 },
      'send-mail': { description: 'Sends a message', execute: () => 'sent' },
    }
    const code = `return [await tools.search('price of a fruit'), await tools.describe('send-mail'), ALL_TOOLS,
      await tools.describe('nope').catch((error) => error.message), await tools.call('send-mail')]`
    for (const dialect of ['native', 'codex', 'cloudflare', 'mastra'] as const) {
      const results = []
      for (const isolation of ['thread', 'process'] as const)
        results.push(completed(await make({ isolation, dialect, tools }).run(code)).result)
      expect(results[1]).toEqual(results[0])
      expect(results[1]).toMatchObject([[{ name: 'get_price' }], { name: 'send-mail' }, { length: 2 }, /no "nope"/, 'sent'])
    }
    const own = { cloudflare: 'codemode.get_price()', mastra: 'external_send_mail()' } as const
    for (const [dialect, call] of Object.entries(own) as ['cloudflare' | 'mastra', string][])
      completed(await make({ isolation: 'process', dialect, tools }).run(`return await ${call}`))
  })

  test('a program may look tools up ten thousand times, and a stop reaches it while it does', async () => {
    const codeMode = make({ isolation: 'process', tools: { echo }, limits: { timeoutMs: 60_000 } })
    const code = `let n = 0; try { for (;; n++) await tools.describe('echo') } catch (error) { return [n, error.name, error.message] }`
    expect(completed(await codeMode.run(code)).result).toEqual([
      10_000,
      'TypeError',
      'a program in a process may look up tools 10000 times',
    ])
    const stopped = await codeMode.run(`for (;;) try { await tools.search('echo') } catch {}`, { limits: { timeoutMs: 100 } })
    expect(failed(stopped).error.code).toBe('timeout')
  })

  test('a session keeps what its programs store, and lets its watcher see what they say', async () => {
    const session = create().openSession()
    const first = await session.exec(`store('k', { a: [1] }); text('said'); yield_control(); await tools.echo({}); return load('k')`)
    expect(first).toEqual({ status: 'still_working', output: 'said\n' })
    expect(await session.wait()).toMatchObject({ status: 'completed', value: { a: [1] } })
    const second = await session.exec(`store('k', undefined); return [load('k') ?? null]`)
    expect(second).toMatchObject({ status: 'completed', value: [null] })
    await session.close()
  })

  test('the report names the protections in force, and nothing in a thread', async () => {
    const { protections, childProcesses } = create().diagnostics()
    expect(protections).toEqual(expect.arrayContaining(required))
    expect(childProcesses).toBeGreaterThan(0)
    expect(make({ isolation: 'thread', tools: {} }).diagnostics()).toMatchObject({ protections: [], childProcesses: 0 })
  })

  test('the program sees neither environment nor files nor processes', async () => {
    const worker = create()
    await worker.run('return 1')
    const pids = workersOf(process.pid)
    expect(pids.length).toBeGreaterThan(1)
    for (const pid of pids) {
      const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8')
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
      expect(status).toMatch(/^Seccomp:\s+2$/m)
      expect(status).toMatch(/^CapEff:\s+0+$/m)
      // Only root may look at the descriptors of a process that is not dumpable.
      if (process.getuid?.() !== 0) continue
      const environment = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
      expect(environment.filter((entry) => !entry.startsWith('TZ='))).toEqual([])
    }
  })

  test('a crash is an outcome of its run, and the instance goes on', async () => {
    const codeMode = create({ echo, never: { execute: () => new Promise(() => {}) } })
    const run = codeMode.start('await tools.never()')
    await until(() => codeMode.diagnostics().pendingCalls === 1)
    const other = codeMode.start('return (await tools.echo({ i: 7 })).i')
    expect(completed(await other.outcome).result).toBe(7)
    // All but the worker itself: the run's process, spare ones, the first of their namespace.
    for (const pid of workersOf(process.pid).slice(1)) {
      try {
        process.kill(pid, 'SIGSEGV')
      } catch {
        // gone already
      }
    }
    const { error } = failed(await run.outcome)
    expect(error.code).toBe('crashed')
    expect(error.message).toContain('SIGSEGV')
    expect(completed(await codeMode.run('return 1')).result).toBe(1)
  })

  test('a worker that is killed takes its runs with it and is replaced', async () => {
    const codeMode = create({ never: { execute: () => new Promise(() => {}) } })
    const run = codeMode.start('await tools.never()')
    await until(() => codeMode.diagnostics().pendingCalls === 1)
    process.kill(workersOf(process.pid)[0] as number, 'SIGKILL')
    expect(failed(await run.outcome).error.code).toBe('crashed')
    expect(completed(await codeMode.run('return 1')).result).toBe(1)
  })

  test('a program that no interrupt reaches is ended soon after its deadline', async () => {
    const codeMode = create({})
    await codeMode.run('return 1')
    const began = Date.now()
    const outcome = await codeMode.run("return 'a'.repeat(4e6).indexOf('a'.repeat(2e6) + 'b')", { limits: { timeoutMs: 300 } })
    expect(failed(outcome).error.code).toBe('timeout')
    expect(Date.now() - began).toBeLessThan(1500)
  })

  test('close() ends every process and gives every descriptor back', async () => {
    const files = () => fs.readdirSync('/proc/self/fd').length
    const warm = createCodeMode({ isolation: 'process', tools: {} })
    await warm.run('return 1')
    await warm.close()
    expect(workersOf(process.pid)).toEqual([])
    const before = files()
    for (let i = 0; i < 3; i++) {
      const codeMode = createCodeMode({ isolation: 'process', tools: { echo } })
      await Promise.all(Array.from({ length: 10 }, () => codeMode.run('return await tools.echo({})')))
      await codeMode.close()
      expect(codeMode.diagnostics()).toMatchObject({ childProcesses: 0, liveRuns: 0, protections: [] })
    }
    expect(workersOf(process.pid)).toEqual([])
    expect(files()).toBeLessThanOrEqual(before + 1)
  })

  test('no process outlives a host that is killed', async () => {
    const program = `
      import { createCodeMode } from ${JSON.stringify(path.join(root, 'dist/index.js'))}
      const codeMode = createCodeMode({ isolation: 'process', tools: { never: { execute: () => new Promise(() => {}) } } })
      for (let i = 0; i < 5; i++) void codeMode.run(i % 2 ? 'await tools.never()' : 'for (;;);')
      setTimeout(() => process.stdout.write('on'), 300)
      setInterval(() => {}, 1000)`
    for (let round = 0; round < 3; round++) {
      const host = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
      await new Promise((done) => host.stdout.once('data', done))
      const pids = workersOf(host.pid as number)
      expect(pids.length).toBeGreaterThan(3)
      host.kill('SIGKILL')
      await until(() => pids.every((pid) => !alive(pid)))
    }
  }, 60_000)

  test('a run that is live keeps the host alive, an idle instance does not', () => {
    const program = (body: string) => `
      import { createCodeMode } from ${JSON.stringify(path.join(root, 'dist/index.js'))}
      const codeMode = createCodeMode({ isolation: 'process', tools: { slow: { execute: () => new Promise((done) => setTimeout(done, 100).unref()) } } })
      ${body}`
    const run = (body: string) =>
      execFileSync(process.execPath, ['--input-type=module', '-e', program(body)], { encoding: 'utf8', timeout: 20_000 })
    expect(run("console.log('idle')")).toBe('idle\n')
    expect(run("void codeMode.run('let x = 0; for (let i = 0; i < 1e6; i++) x++; return x').then((o) => console.log(o.result))")).toBe(
      '1000000\n',
    )
    expect(run("void codeMode.run('for (;;);'); setTimeout(() => process.exit(0), 200)")).toBe('')
  })
})

/** Alive and no zombie of somebody else. */
function alive(pid: number): boolean {
  try {
    return !/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe('process isolation that cannot be had', () => {
  const inStaging = (change: (folder: string) => void, env: Record<string, string> = {}) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'codemode-process-'))
    try {
      for (const name of ['binding.cjs', 'package.json']) fs.copyFileSync(path.join(root, name), path.join(folder, name))
      fs.cpSync(path.join(root, 'dist'), path.join(folder, 'dist'), { recursive: true })
      for (const name of fs.readdirSync(root)) {
        if (/\.(node|worker)$/.test(name)) fs.copyFileSync(path.join(root, name), path.join(folder, name))
      }
      change(folder)
      const program = `
        import { createCodeMode } from ${JSON.stringify(path.join(folder, 'dist/index.js'))}
        try { console.log('made', createCodeMode({ isolation: 'process', tools: {} }).diagnostics().protections.join()) } catch (error) { console.log(error.name + ': ' + error.message) }`
      return execFileSync(process.execPath, ['--input-type=module', '-e', program], {
        encoding: 'utf8',
        env: { ...process.env, ...env },
        timeout: 30_000,
      })
    } finally {
      fs.rmSync(folder, { recursive: true, force: true })
    }
  }
  const workerIn = (folder: string) => path.join(folder, fs.readdirSync(folder).find((name) => name.endsWith('.worker')) as string)

  test.runIf(process.platform === 'linux')('is refused with the reason where the worker is missing', () => {
    const said = inStaging((folder) => fs.rmSync(workerIn(folder)))
    expect(said).toContain('IsolationUnavailableError')
    expect(said).toMatch(/the worker codemode-native\.\S+\.worker is missing/)
  })

  test.runIf(process.platform === 'linux')('is refused with the reason where the worker cannot be started', () => {
    const said = inStaging((folder) => fs.chmodSync(workerIn(folder), 0o644))
    expect(said).toContain('IsolationUnavailableError')
    expect(said).toContain('Permission denied')
  })

  test.runIf(process.platform === 'linux')('is refused where something else stands in the place of the worker', () => {
    const said = inStaging((folder) => {
      fs.writeFileSync(workerIn(folder), '#!/bin/sh\nexit 0\n')
      fs.chmodSync(workerIn(folder), 0o755)
    })
    expect(said).toContain('IsolationUnavailableError')
    expect(said).toContain('ended before it was locked down')
  })

  test.runIf(process.platform === 'linux')('no variable of the environment changes what is in force', () => {
    const names = ['CODEMODE_NATIVE_ISOLATION', 'CODEMODE_NO_SANDBOX', 'CODEMODE_WORKER', 'NAPI_RS_NATIVE_LIBRARY_PATH']
    const said = inStaging(() => {}, Object.fromEntries(names.map((name) => [name, '/none'])))
    expect(said).toBe(inStaging(() => {}))
    for (const protection of required) expect(said).toContain(protection)
  })

  test.skipIf(process.platform === 'linux')('is refused on this system', () => {
    expect(() => createCodeMode({ isolation: 'process', tools: {} })).toThrow(IsolationUnavailableError)
    expect(() => createCodeMode({ isolation: 'process', tools: {} })).toThrow(/only for Linux/)
  })
})
