// MCP servers for the tests: one in memory that the test scripts, and the real ones over stdio.
import { createRequire } from 'node:module'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema, type CallToolResult, type Tool } from '@modelcontextprotocol/sdk/types.js'
import { afterEach } from 'vitest'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.allSettled(open.splice(0).map((thing) => thing.close()))
})

export interface ServedTool {
  readonly tool: Tool
  readonly call: (input: Record<string, unknown>, extra: { signal: AbortSignal; progress: (n: number) => Promise<void> }) => unknown
}

export const served = (name: string, result: CallToolResult, more: Partial<Tool> = {}): ServedTool => ({
  tool: { name, inputSchema: { type: 'object' }, ...more },
  call: () => result,
})

/** A client of a server in this process, whose list can be changed and is given in pages of `pageSize`. */
export async function serve(tools: readonly ServedTool[], pageSize = 100) {
  let current = tools
  let listings = 0
  const server = new Server({ name: 'test', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } })
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    listings++
    const from = Number(params?.cursor ?? 0)
    const page = current.slice(from, from + pageSize).map(({ tool }) => tool)
    return { tools: page, ...(from + pageSize < current.length ? { nextCursor: String(from + pageSize) } : {}) }
  })
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const found = current.find(({ tool }) => tool.name === params.name)
    if (!found) throw new Error(`no tool ${params.name}`)
    const token = params._meta?.progressToken
    const progress = async (n: number) => {
      if (token !== undefined)
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken: token, progress: n, total: 2, message: `step ${n}` },
        })
    }
    return (await found.call(params.arguments ?? {}, { signal: extra.signal, progress })) as CallToolResult
  })
  const [theirs, ours] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'test', version: '1.0.0' })
  await Promise.all([server.connect(theirs), client.connect(ours)])
  open.push(client, server)
  return {
    client,
    listings: () => listings,
    async change(next: readonly ServedTool[]) {
      current = next
      await server.sendToolListChanged()
    },
  }
}

const require = createRequire(import.meta.url)
const scripts = {
  everything: 'dist/index.js',
  filesystem: 'dist/index.js',
  memory: 'dist/index.js',
}

/** The file of a real server, for `node FILE`. */
export const serverFile = (name: keyof typeof scripts) =>
  path.join(path.dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`)), scripts[name])

export async function connectReal(name: keyof typeof scripts, args: string[] = [], env: Record<string, string> = {}) {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [serverFile(name), ...args],
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stderr: 'ignore',
    }),
  )
  open.push(client)
  return client
}

export function temporaryFolder(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'codemode-mcp-')))
  open.push({ close: async () => fs.rmSync(folder, { recursive: true, force: true }) })
  return folder
}
