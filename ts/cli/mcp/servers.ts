// Upstream MCP servers: reads an `mcpServers` file, connects to each, and gives their tools.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Tool } from '../../index.ts'
import type { McpTools } from '../../adapters/mcp/index.ts'
import { CommandFailure, exitCodes, firstLine } from '../failure.ts'
import { readJson } from '../files.ts'
import { LastWords } from './last-words.ts'

export const needsApprovalChoices = ['destructive', 'writes', 'all', 'none'] as const
export type NeedsApproval = (typeof needsApprovalChoices)[number]

/** One entry of `mcpServers`: a command to start, or a URL. */
type ServerEntry =
  | {
      readonly command: string
      readonly args: string[]
      readonly env: Record<string, string>
      readonly cwd?: string
    }
  | { readonly url: URL; readonly headers: Record<string, string>; readonly sse: boolean }

export interface ConnectedServers {
  readonly tools: Record<string, Tool>
  /** Told after a server changed its tools and they were read again. */
  onChange: ((tools: Record<string, Tool>) => void) | undefined
  close(): Promise<void>
}

/** How long one server may take to start and to answer, in milliseconds. */
const connectTimeoutMs = 30_000

/** Reads the file and connects to all servers at once. Throws a CommandFailure that names the file or the server. */
export async function connectServers(
  file: string,
  needsApproval: NeedsApproval = 'destructive',
): Promise<ConnectedServers> {
  const entries = readServers(file, readJson(file))
  const { connectMcpTools } = await importSdk(() => import('../../adapters/mcp/index.ts'))
  const clients: Record<string, Client> = {}
  const close = async () => {
    await Promise.allSettled(Object.values(clients).map((client) => client.close()))
  }
  let mcp: McpTools
  const connected: { onChange: ConnectedServers['onChange'] } = { onChange: undefined }
  try {
    const connecting = [...entries].map(async ([name, entry]) => {
      clients[name] = await connect(name, entry)
    })
    await Promise.all(connecting)
    // In the order of the file, whichever answered first: what the model reads is then the same each time.
    const ordered = Object.fromEntries([...entries.keys()].map((name) => [name, clients[name]!]))
    mcp = await connectMcpTools(ordered, {
      progress: true,
      ...(needsApproval === 'none' ? {} : { needsApproval }),
      onChange: (tools) => connected.onChange?.(tools),
    })
  } catch (error) {
    await close()
    throw error instanceof CommandFailure
      ? error
      : new CommandFailure(firstLine(error), exitCodes.failed)
  }
  return Object.defineProperties(connected as ConnectedServers, {
    tools: { get: () => mcp.tools },
    close: { value: close },
  })
}

/** The SDK is an optional peer: where it is missing, the command to run is the message. */
export async function importSdk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new CommandFailure(
      'MCP needs the package @modelcontextprotocol/sdk beside this one: npm install @modelcontextprotocol/sdk, or npx -p codemode-native -p @modelcontextprotocol/sdk codemode-native ...',
    )
  }
}

// ---------------------------------------------------------------- the file

function readServers(file: string, json: unknown): Map<string, ServerEntry> {
  const servers = (json as { mcpServers?: unknown } | null)?.mcpServers
  if (typeof servers !== 'object' || servers === null || Array.isArray(servers))
    throw new CommandFailure(`${file} has no object \`mcpServers\``)
  const read = new Map<string, ServerEntry>()
  for (const [name, entry] of Object.entries(servers)) {
    const at = `${file}: mcpServers.${name}`
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
      throw new CommandFailure(`${at}: a name is 1 to 64 letters, digits, \`_\` and \`-\``)
    if (typeof entry !== 'object' || entry === null) throw new CommandFailure(`${at} is no object`)
    if ((entry as { disabled?: unknown }).disabled === true) continue
    read.set(name, readEntry(at, entry as Record<string, unknown>))
  }
  if (read.size === 0) throw new CommandFailure(`${file} names no server`)
  return read
}

function readEntry(at: string, entry: Record<string, unknown>): ServerEntry {
  const { command, args = [], env = {}, cwd, url, headers = {}, type } = entry
  if (typeof url === 'string') {
    const expanded = expand(at, url)
    if (!URL.canParse(expanded)) throw new CommandFailure(`${at}.url is no URL: ${expanded}`)
    return {
      url: new URL(expanded),
      headers: readTexts(`${at}.headers`, headers),
      sse: type === 'sse',
    }
  }
  if (typeof command !== 'string' || command === '')
    throw new CommandFailure(`${at} needs a \`command\` or a \`url\``)
  if (!Array.isArray(args) || args.some((arg) => typeof arg !== 'string'))
    throw new CommandFailure(`${at}.args is no list of strings`)
  return {
    command: expand(at, command),
    args: args.map((arg: string) => expand(at, arg)),
    env: readTexts(`${at}.env`, env),
    ...(typeof cwd === 'string' ? { cwd: expand(at, cwd) } : {}),
  }
}

function readTexts(at: string, texts: unknown): Record<string, string> {
  if (typeof texts !== 'object' || texts === null) throw new CommandFailure(`${at} is no object`)
  return Object.fromEntries(
    Object.entries(texts).map(([key, value]) => {
      if (typeof value !== 'string') throw new CommandFailure(`${at}.${key} is no string`)
      return [key, expand(`${at}.${key}`, value)]
    }),
  )
}

/** `${NAME}` and `${NAME:-default}` from the environment; one that is not set is a fault, not an empty string. */
function expand(at: string, text: string): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
    const value = process.env[name] ?? fallback
    if (value === undefined) throw new CommandFailure(`${at}: $${name} is not set`)
    return value
  })
}

// ---------------------------------------------------------------- connecting

async function connect(name: string, entry: ServerEntry): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const client = new Client({ name: 'codemode-native', version: '1' })
  const said = new LastWords()
  try {
    await client.connect(await transportOf(entry, said), { timeout: connectTimeoutMs })
    return client
  } catch (error) {
    await client.close().catch(() => {})
    throw new CommandFailure(
      `MCP server ${name} did not start: ${describe(entry, error)}${said.shown()}`,
      exitCodes.failed,
    )
  } finally {
    said.enough()
  }
}

function describe(entry: ServerEntry, error: unknown): string {
  if ('command' in entry && (error as NodeJS.ErrnoException).code === 'ENOENT')
    return `there is no command ${entry.command}`
  return firstLine(error)
}

async function transportOf(entry: ServerEntry, said: LastWords): Promise<Transport> {
  if ('command' in entry) {
    const { StdioClientTransport, getDefaultEnvironment } =
      await import('@modelcontextprotocol/sdk/client/stdio.js')
    const transport = new StdioClientTransport({
      ...entry,
      env: { ...getDefaultEnvironment(), ...entry.env },
      stderr: 'pipe',
    })
    said.listen(transport.stderr)
    return transport
  }
  const options = { requestInit: { headers: entry.headers } }
  if (entry.sse) {
    const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js')
    return new SSEClientTransport(entry.url, options)
  }
  const { StreamableHTTPClientTransport } =
    await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
  return new StreamableHTTPClientTransport(entry.url, options) as Transport
}
