// Streamable HTTP: one MCP session per connected client, each with a connection of its own.
import crypto from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { CommandFailure, exitCodes, firstLine } from '../failure.ts'
import type { Connection } from './connection.ts'

export interface HttpOptions {
  readonly host: string
  readonly port: number
  /** Bearer token that every request has to carry. Needed where others than this machine can connect. */
  readonly token: string | undefined
  connect(): Connection
  forget(connection: Connection): void
}

const path = '/mcp'
/** A client that went away without a word holds its session this long, in milliseconds. */
const idleMs = 3_600_000
const maxSessions = 256
const loopback = new Set(['127.0.0.1', '::1', '[::1]', 'localhost'])

interface HttpSession {
  readonly transport: StreamableHTTPServerTransport
  readonly connection: Connection
  lastUsed: number
  open: number
}

/** Listens until `close`. Throws a CommandFailure where the address is taken, or open to others without a token. */
export async function listen(
  options: HttpOptions,
): Promise<{ url: string; close(): Promise<void> }> {
  const { host, port, token } = options
  if (!loopback.has(host) && !token) {
    throw new CommandFailure(
      `--host ${host} lets other machines run your tools: set CODEMODE_MCP_TOKEN, which clients then send as a bearer token`,
    )
  }
  const sessions = new Map<string, HttpSession>()
  const server = http.createServer((request, response) => {
    handle(request, response, sessions, options).catch((error: unknown) => {
      if (!response.headersSent) refuse(response, 500, firstLine(error))
      else response.end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? `port ${port} is taken` : error.message
      reject(new CommandFailure(`cannot listen on ${host}: ${why}`, exitCodes.failed))
    })
    server.listen(port, host, resolve)
  })
  const sweep = setInterval(() => {
    for (const session of sessions.values()) {
      if (session.open === 0 && Date.now() - session.lastUsed > idleMs)
        void session.transport.close()
    }
  }, 60_000).unref()
  const address = server.address() as AddressInfo
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return {
    url: `http://${shown}:${address.port}${path}`,
    async close() {
      clearInterval(sweep)
      await Promise.allSettled([...sessions.values()].map(({ connection }) => connection.close()))
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function handle(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  sessions: Map<string, HttpSession>,
  options: HttpOptions,
): Promise<void> {
  const problem = checkRequest(request, options)
  if (problem) return refuse(response, ...problem)
  const id = request.headers['mcp-session-id']
  const known = typeof id === 'string' ? sessions.get(id) : undefined
  if (id !== undefined && !known) return refuse(response, 404, 'There is no such session')
  if (!known && request.method !== 'POST')
    return refuse(response, 400, 'A session begins with a POST')
  if (!known && sessions.size >= maxSessions) return refuse(response, 503, 'Too many sessions')
  const session = known ?? (await begin(sessions, options))
  session.lastUsed = Date.now()
  session.open++
  response.once('close', () => {
    session.open--
    session.lastUsed = Date.now()
    // A request that began no session leaves nothing behind.
    if (session.transport.sessionId === undefined) void session.connection.close()
  })
  await session.transport.handleRequest(request, response)
}

async function begin(
  sessions: Map<string, HttpSession>,
  { connect, forget }: HttpOptions,
): Promise<HttpSession> {
  const connection = connect()
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, session),
  })
  const session: HttpSession = { transport, connection, lastUsed: Date.now(), open: 0 }
  connection.server.onclose = () => {
    if (transport.sessionId !== undefined) sessions.delete(transport.sessionId)
    forget(connection)
    void connection.close()
  }
  await connection.server.connect(transport as Transport)
  return session
}

/** The path, the host and origin (a page in a browser must not reach a local server by a name of its own), and the token. */
function checkRequest(
  { url, headers }: http.IncomingMessage,
  { host, token }: HttpOptions,
): [status: number, message: string] | undefined {
  if (new URL(url ?? '/', 'http://host').pathname !== path) return [404, `MCP is served at ${path}`]
  if (loopback.has(host)) {
    if (!loopback.has(hostname(`http://${headers.host ?? ''}`))) return [403, 'Wrong host']
    const { origin } = headers
    if (origin !== undefined && !loopback.has(hostname(origin))) return [403, 'Wrong origin']
  }
  if (token && !sameText(headers.authorization ?? '', `Bearer ${token}`))
    return [401, 'Wrong token']
  return undefined
}

function hostname(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : ''
}

function sameText(a: string, b: string): boolean {
  const digest = (text: string) => crypto.createHash('sha256').update(text).digest()
  return crypto.timingSafeEqual(digest(a), digest(b))
}

function refuse(response: http.ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }))
}
