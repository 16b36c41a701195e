// Runs the built command, as a shell would.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
export const cli = path.join(root, 'dist/cli.js')
export const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'codemode-cli-')))

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

export function write(name: string, text: string): string {
  const file = path.join(folder, name)
  fs.writeFileSync(file, text)
  return file
}

export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export function run(...args: string[]): Ended {
  return runWith({}, ...args)
}

export function runWith(options: { input?: string; env?: Record<string, string> }, ...args: string[]): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
    ...(options.input === undefined ? {} : { input: options.input }),
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '', ...options.env },
  })
  return { status, stdout, stderr }
}

/** A command that keeps running; `line` waits for text on standard error. */
export function start(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [cli, ...args], { cwd: folder, env: { ...process.env, ...env } })
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (told += chunk))
  return {
    child,
    line(pattern: RegExp): Promise<RegExpExecArray> {
      return new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(told)
          if (match) resolve(match)
        }
        child.stderr.on('data', look)
        child.once('exit', (code) => reject(new Error(`ended with ${code}: ${told}`)))
        look()
      })
    },
    ended: new Promise<number | null>((resolve) => child.once('exit', resolve)),
  }
}

export const tools = `export default {
  get_price: {
    description: 'The price of one fruit in USD',
    inputSchema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
    readOnly: true,
    async execute({ item }) {
      if (item === 'rock') throw new Error('a rock is no fruit')
      return { usd: { apple: 1.5, pear: 0.75 }[item] ?? 0 }
    },
  },
  buy: { needsApproval: true, execute: ({ item }, { context }) => ({ bought: item, context }) },
}`
