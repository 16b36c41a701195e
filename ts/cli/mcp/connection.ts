// One connected MCP client: its server, its code mode, and the calls that go from one to the other.
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
  type ServerNotification,
  type ServerRequest,
  type Tool as McpTool,
} from '@modelcontextprotocol/sdk/types.js'
import {
  createCodeMode,
  type CodeMode,
  type CodeModeEvent,
  type CodeModeOptions,
  type Json,
  type JsonSchema,
  type ProgramResult,
  type Session,
  type Tool,
} from '../../index.ts'
import { version } from '../version.ts'
import { askClient, askOverServer } from './approvals.ts'
import { reportProgress } from './progress.ts'

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

export interface ServeOptions {
  /** Options of `createCodeMode` but for the tools. */
  readonly options: Omit<CodeModeOptions, 'tools' | 'approve'>
  /** Tools exec, wait and stop take the place of the one tool. */
  readonly sessions: boolean
  /** The tools as of now. */
  readonly tools: () => Record<string, Tool>
}

const outputSchema = {
  type: 'object' as const,
  properties: {
    result: { description: 'What the program returned' },
    logs: { type: 'array', items: { type: 'string' } },
    toolCalls: { type: 'integer' },
  },
  required: ['result', 'logs', 'toolCalls'],
}

export class Connection {
  readonly server: Server
  readonly #options: ServeOptions
  #codeMode: CodeMode
  #session: Session | undefined
  /** A program of the session runs; its tools stay as they are until it ends. */
  #working = false
  /** Of the exec, wait or stop in progress: who is told what the program does. */
  #watching: ((event: CodeModeEvent) => void) | undefined
  /** The upstream tools are others than those of the code mode. */
  #stale = false

  /** Throws what `createCodeMode` and `openSession` throw. */
  constructor(options: ServeOptions) {
    this.#options = options
    this.server = new Server(
      { name: 'codemode-native', version },
      { capabilities: { tools: { listChanged: true } } },
    )
    this.#codeMode = this.#make()
    if (options.sessions) this.#session = this.#codeMode.openSession()
    this.server.setRequestHandler(ListToolsRequestSchema, () => {
      this.#renew()
      return { tools: this.#list() }
    })
    this.server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
      this.#renew()
      return this.#call(params.name, params.arguments ?? {}, extra)
    })
  }

  /** The upstream tools changed: the client is told, and the next request finds them. */
  async toolsChanged(): Promise<void> {
    this.#stale = true
    if (this.server.transport) await this.server.sendToolListChanged()
  }

  async close(): Promise<void> {
    await this.#session?.close()
    await this.#codeMode.close()
    await this.server.close()
  }

  #make(): CodeMode {
    return createCodeMode({
      ...this.#options.options,
      tools: this.#options.tools(),
      ...(this.#options.sessions ? { onEvent: (event) => this.#watching?.(event) } : {}),
      approve: (call) =>
        call.context === undefined
          ? askOverServer(this.server, call)
          : askClient(call.context as Extra, this.server.getClientCapabilities(), call),
    })
  }

  /** Takes the changed tools over. Programs that run keep the code mode they have, which closes after the last of them. */
  #renew(): void {
    if (!this.#stale || this.#working || this.#watching) return
    this.#stale = false
    const [codeMode, session] = [this.#codeMode, this.#session]
    this.#codeMode = this.#make()
    if (session) this.#session = this.#codeMode.openSession()
    void closeWhenIdle(codeMode, session)
  }

  #list(): McpTool[] {
    const tools = Object.values(this.#options.tools())
    const readOnlyHint = tools.every((tool) => tool.readOnly === true)
    const annotations = { readOnlyHint, destructiveHint: !readOnlyHint, openWorldHint: true }
    if (this.#session) {
      return this.#session.tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema: asInput(inputSchema),
        annotations,
      }))
    }
    const { name, description, inputSchema } = this.#codeMode.tool
    return [
      {
        name,
        title: 'Run code',
        description,
        inputSchema: asInput(inputSchema),
        outputSchema,
        annotations,
      },
    ]
  }

  async #call(name: string, input: Record<string, unknown>, extra: Extra): Promise<CallToolResult> {
    if (this.#session) return this.#callSession(this.#session, name, input, extra)
    const { tool } = this.#codeMode
    if (name !== tool.name) throw unknownTool(name)
    const { code } = input
    if (typeof code !== 'string') return failure('Expected `code` to be a string')
    const outcome = await this.#codeMode.run(code, {
      abortSignal: extra.signal,
      context: extra,
      onEvent: reportProgress(extra),
    })
    if (outcome.status === 'failed') return failure(outcome.error.modelText)
    const { result, logs, toolCalls } = outcome
    const structuredContent = { result, logs: [...logs], toolCalls }
    return {
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
    }
  }

  async #callSession(
    session: Session,
    name: string,
    input: object,
    extra: Extra,
  ): Promise<CallToolResult> {
    const tool = session.tools.find((candidate) => candidate.name === name)
    if (!tool) throw unknownTool(name)
    // A second operation is refused by the session; it must not take the reports of the first.
    const first = this.#watching === undefined
    if (first) this.#watching = reportProgress(extra)
    let result: ProgramResult
    try {
      result = await tool.execute(input, { abortSignal: extra.signal })
    } catch (error) {
      return failure((error as Error).message)
    } finally {
      if (first) this.#watching = undefined
    }
    this.#working = result.status === 'still_working'
    return { content: contentOf(result), ...(result.status === 'error' ? { isError: true } : {}) }
  }
}

/** Media of the program stand beside its text. */
function contentOf({ artifacts = [], ...result }: ProgramResult): CallToolResult['content'] {
  const media = artifacts.map(({ mediaType: mimeType, bytes, id, name }) => {
    const data = Buffer.from(bytes).toString('base64')
    if (mimeType.startsWith('image/')) return { type: 'image' as const, data, mimeType }
    if (mimeType.startsWith('audio/')) return { type: 'audio' as const, data, mimeType }
    const uri = `codemode-artifact:${encodeURIComponent(name ?? id)}`
    return { type: 'resource' as const, resource: { uri, blob: data, mimeType } }
  })
  return [{ type: 'text', text: JSON.stringify(result as unknown as Json) }, ...media]
}

const failure = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
})

const unknownTool = (name: string) =>
  new McpError(ErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name)}`)

const asInput = (schema: JsonSchema) => schema as McpTool['inputSchema']

/** How often an old code mode is looked at, in milliseconds. */
const idleCheckMs = 1_000

async function closeWhenIdle(codeMode: CodeMode, session: Session | undefined): Promise<void> {
  await session?.close()
  while (codeMode.diagnostics().liveRuns > 0)
    await new Promise((resolve) => setTimeout(resolve, idleCheckMs).unref())
  await codeMode.close()
}
