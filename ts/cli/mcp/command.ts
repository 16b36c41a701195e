// `mcp`: code mode over the MCP servers of a file, as an MCP server.
import type { CodeModeOptions } from '../../index.ts'
import { NotAvailableError } from '../../index.ts'
import { CommandFailure, exitCodes, firstLine } from '../failure.ts'
import { standardOutput } from '../output.ts'
import { readLimits, type LimitOptions } from '../setup.ts'
import { connectServers, importSdk, type ConnectedServers, type NeedsApproval } from './servers.ts'

interface ServeCommandOptions extends LimitOptions {
  readonly config: string
  readonly http?: number | true
  readonly host: string
  readonly sessions?: boolean
  readonly approve: NeedsApproval
  readonly mode?: 'default' | 'plan' | 'bypass'
  readonly name: string
}

const defaultPort = 3_000

export async function serveCommand(options: ServeCommandOptions): Promise<void> {
  // The file first: what is wrong with it is told where the SDK is missing, too.
  const servers = await connectServers(options.config, options.approve)
  const { Connection } = await importSdk(() => import('./connection.ts'))
  const made: Omit<CodeModeOptions, 'tools' | 'approve'> = {
    name: options.name,
    limits: readLimits(options),
    ...(options.mode ? { mode: options.mode } : {}),
  }
  const connections = new Set<InstanceType<typeof Connection>>()
  const connect = () => {
    const connection = new Connection({
      options: made,
      sessions: options.sessions ?? false,
      tools: () => servers.tools,
    })
    connections.add(connection)
    return connection
  }
  servers.onChange = () => {
    for (const connection of connections) void connection.toolsChanged().catch(report)
  }
  try {
    // Wrong options are told at once, not to the first client.
    const trial = connect()
    connections.delete(trial)
    await trial.close()
    const stop =
      options.http === undefined
        ? await serveStdio(connect())
        : await serveOverHttp(options, options.http === true ? defaultPort : options.http, {
            connect,
            forget: (connection) => void connections.delete(connection),
          })
    await untilEnded(stop, servers)
  } catch (error) {
    await servers.close()
    throw NotAvailableError.isInstance(error)
      ? new CommandFailure(error.message, exitCodes.failed)
      : error
  }
}

type Connected = InstanceType<(typeof import('./connection.ts'))['Connection']>

/** What stops serving, and the promise that the other side ended it. */
interface Serving {
  readonly ended: Promise<void>
  readonly close: () => Promise<void>
}

async function serveStdio(connection: Connected): Promise<Serving> {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve)
    connection.server.onclose = resolve
  })
  await connection.server.connect(new StdioServerTransport())
  return { ended, close: () => connection.close() }
}

async function serveOverHttp(
  { host }: ServeCommandOptions,
  port: number,
  connections: { connect(): Connected; forget(connection: Connected): void },
): Promise<Serving> {
  const { listen } = await import('./http.ts')
  const token = process.env['CODEMODE_MCP_TOKEN']
  const { url, close } = await listen({ host, port, token, ...connections })
  standardOutput().note(`codemode-native: serving MCP at ${url}`)
  return { ended: new Promise(() => {}), close }
}

async function untilEnded({ ended, close }: Serving, servers: ConnectedServers): Promise<void> {
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  await Promise.race([ended, signalled])
  await close()
  await servers.close()
  // A client may keep standard input open after it closed the session.
  process.stdin.destroy()
}

function report(error: unknown): void {
  standardOutput().note(`codemode-native: ${firstLine(error)}`)
}
