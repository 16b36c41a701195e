// The tools of one connected MCP client, as tools for programs.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/sdk/types.js'
import type { Json, Tool, ToolContext } from '../../index.ts'
import { qualifiedName } from './names.ts'
import { contentSchema, readResult } from './result.ts'

/** A tool as a server lists it, with the namespace of its client. */
export interface ListedMcpTool extends McpTool {
  /** Empty where there is only one client. */
  readonly namespace: string
}

export interface McpToolOptions {
  /**
   * True takes `readOnlyHint` for `readOnly`, which lets a tool run in plan mode. Hints are claims of the server: say false, or a function, for
   * servers that you do not trust.
   * @default true
   */
  readonly trustAnnotations?: boolean | ((tool: ListedMcpTool) => boolean)
  /**
   * Which calls need approval. `destructive`: tools that say `destructiveHint: true`. `writes`: all but those that say `readOnlyHint: true`.
   * @default none
   */
  readonly needsApproval?: 'destructive' | 'writes' | 'all' | ((tool: ListedMcpTool) => boolean)
  /** Leaves tools out. */
  readonly filter?: (tool: ListedMcpTool) => boolean
  /**
   * Asks servers for progress and reports it as partial results: `{ progress, total?, message? }` in `tool.partial` events.
   * @default false
   */
  readonly progress?: boolean
}

/** Pages of a tool list that are read: a server that never ends is refused, not followed. */
const maxPages = 1_000
/** The run's limits decide how long a call may take; the SDK's own timeout must not be shorter. */
const noTimeout = 2_147_483_647

/** Reads the whole list, page by page. Rejects with what the client rejects with, or an Error for a list without end. */
export async function listAllTools(client: Client): Promise<McpTool[]> {
  const tools: McpTool[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const listed = await client.listTools(cursor === undefined ? {} : { cursor })
    tools.push(...listed.tools)
    cursor = listed.nextCursor
    if (cursor === undefined) return tools
    if (seen.has(cursor)) throw new Error(`The MCP server gave the page ${cursor} of tools twice`)
    seen.add(cursor)
  }
  throw new Error(`The MCP server gave more than ${maxPages} pages of tools`)
}

/** Tools by the name that programs use. */
export function readMcpTools(
  client: Client,
  namespace: string,
  listed: readonly McpTool[],
  options: McpToolOptions,
): Record<string, Tool> {
  const tools: Record<string, Tool> = {}
  for (const tool of listed) {
    const named = { ...tool, namespace }
    if (options.filter && !options.filter(named)) continue
    tools[qualifiedName(namespace, tool.name)] = readMcpTool(client, named, options)
  }
  return tools
}

function readMcpTool(client: Client, tool: ListedMcpTool, options: McpToolOptions): Tool {
  const { description, title, inputSchema, outputSchema, annotations } = tool
  const told = description ?? title ?? annotations?.title
  const { trustAnnotations = true } = options
  const trusted = typeof trustAnnotations === 'function' ? trustAnnotations(tool) : trustAnnotations
  return {
    ...(told === undefined ? {} : { description: told }),
    inputSchema,
    outputSchema: outputSchema ?? contentSchema,
    readOnly: trusted && annotations?.readOnlyHint === true,
    needsApproval: asksFor(tool, options.needsApproval),
    execute: options.progress
      ? (input: Json, context) => callWithProgress(client, tool, input, context)
      : (input: Json, context) => call(client, tool, input, context),
  }
}

function asksFor(tool: ListedMcpTool, when: McpToolOptions['needsApproval']): boolean {
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {}
  switch (when) {
    case undefined:
      return false
    case 'all':
      return true
    case 'writes':
      return readOnlyHint !== true
    case 'destructive':
      return destructiveHint === true && readOnlyHint !== true
    default:
      return when(tool)
  }
}

interface McpProgress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

async function call(
  client: Client,
  tool: ListedMcpTool,
  input: Json,
  { abortSignal }: ToolContext,
  onprogress?: (progress: McpProgress) => void,
): Promise<Json> {
  const params = { name: tool.name, arguments: input as Record<string, unknown> }
  const options = {
    signal: abortSignal,
    timeout: noTimeout,
    ...(onprogress ? { onprogress } : {}),
  }
  const result =
    tool.execution?.taskSupport === 'required'
      ? await callAsTask(client, params, options)
      : await client.callTool(params, undefined, options)
  return readResult(tool.name, result as CallToolResult, tool.outputSchema !== undefined)
}

/** Tools that only run as tasks: the SDK makes the task and polls it, this waits for its end. */
async function callAsTask(
  client: Client,
  params: { name: string; arguments: Record<string, unknown> },
  options: { signal: AbortSignal; timeout: number },
): Promise<unknown> {
  const messages = client.experimental.tasks.callToolStream(params, undefined, options)
  for await (const message of messages) {
    if (message.type === 'result') return message.result
    if (message.type === 'error') throw message.error
  }
  throw new Error(`The task of tool ${params.name} ended without a result`)
}

/** Progress as partial results; the last item is the result. */
async function* callWithProgress(
  client: Client,
  tool: ListedMcpTool,
  input: Json,
  context: ToolContext,
): AsyncGenerator<Json> {
  const waiting: Json[] = []
  let wake: (() => void) | undefined
  const result = call(client, tool, input, context, ({ progress, total, message }) => {
    waiting.push({
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    })
    wake?.()
  })
  const settled = result.then(
    () => true,
    () => true,
  )
  for (let over = false; !over;) {
    yield* waiting.splice(0)
    over = await Promise.race([
      settled,
      new Promise<boolean>((resolve) => (wake = () => resolve(false))),
    ])
  }
  yield* waiting
  yield await result
}
