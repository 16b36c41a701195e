// MCP: the tools of one or many connected clients, for programs. The clients stay the caller's: nothing here closes them.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Tool } from '../../index.ts'
import { checkNamespace, mergeTools } from './names.ts'
import { listAllTools, readMcpTools, type ListedMcpTool, type McpToolOptions } from './tools.ts'

export type { ListedMcpTool, McpToolOptions }

export interface McpToolsOptions extends McpToolOptions {
  /**
   * Called when a server changed its list and it was read again. A code mode keeps the tools it was made with: make a new one.
   * It takes the client's handler for `notifications/tools/list_changed`; without `onChange` none is set.
   */
  readonly onChange?: (tools: Record<string, Tool>) => void
  /** Called where reading a changed list failed; the tools stay as they were. Default: a warning of the process. */
  readonly onError?: (error: Error) => void
}

export interface McpTools {
  /** As of the last reading. For `createCodeMode({ tools })`. */
  readonly tools: Record<string, Tool>
  /** Reads every list again. Rejects with what a client rejects with; the tools then stay as they were. */
  refresh(): Promise<Record<string, Tool>>
  /** Stops watching the lists. The clients stay connected. */
  close(): void
}

/**
 * Reads the tools of connected MCP clients, all pages of them. One client: names as the server has them. A record of clients:
 * `<namespace>__<tool>`, with the keys of the record as namespaces.
 *
 * A tool with an `outputSchema` resolves its `structuredContent`; every other one the result of the protocol, `{ content: [...] }` with each
 * block as it came. `isError` throws in the program, with the text of the result. Resource and prompt lists are not read.
 * Rejects with what a client rejects with, and with a TypeError for a wrong namespace or two tools with one name.
 */
export async function connectMcpTools(
  clients: Client | Readonly<Record<string, Client>>,
  options: McpToolsOptions = {},
): Promise<McpTools> {
  const named = nameClients(clients)
  const lists = new Map<string, Record<string, Tool>>()
  const read = async (namespace: string, client: Client) =>
    readMcpTools(client, namespace, await listAllTools(client), options)
  const readAll = async () => {
    const fresh = await Promise.all(
      [...named].map(async ([name, client]) => [name, await read(name, client)] as const),
    )
    const merged = mergeTools(fresh)
    for (const [name, tools] of fresh) lists.set(name, tools)
    return merged
  }
  let tools = await readAll()
  const { onChange, onError = warn } = options
  if (onChange) {
    for (const [name, client] of named) {
      watch(client, async () => {
        try {
          const changed = await read(name, client)
          tools = mergeTools(new Map(lists).set(name, changed))
          lists.set(name, changed)
          onChange(tools)
        } catch (error) {
          onError(error as Error)
        }
      })
    }
  }
  return {
    get tools() {
      return tools
    },
    refresh: async () => (tools = await readAll()),
    close() {
      if (!onChange) return
      for (const client of named.values())
        client.removeNotificationHandler('notifications/tools/list_changed')
    },
  }
}

function nameClients(clients: Client | Readonly<Record<string, Client>>): Map<string, Client> {
  if (isClient(clients)) return new Map([['', clients]])
  if (typeof clients !== 'object' || clients === null)
    throw new TypeError('Expected `clients` to be a connected MCP client or a record of them')
  const named = new Map(Object.entries(clients))
  for (const [namespace, client] of named) {
    checkNamespace(namespace)
    if (!isClient(client))
      throw new TypeError(`Expected \`clients.${namespace}\` to be a connected MCP client`)
  }
  return named
}

/** By its methods: an application may hold another copy of the SDK. */
function isClient(value: unknown): value is Client {
  const { listTools, callTool } = (value ?? {}) as Partial<Client>
  return typeof listTools === 'function' && typeof callTool === 'function'
}

/** One reading at a time; what changes during a reading causes one more. */
function watch(client: Client, refresh: () => Promise<void>): void {
  let reading = false
  let again = false
  client.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
    again = true
    if (reading) return
    reading = true
    while (again) {
      again = false
      await refresh()
    }
    reading = false
  })
}

function warn(error: Error): void {
  process.emitWarning(`reading a changed list of MCP tools failed: ${error.message}`, {
    type: 'CodeModeWarning',
  })
}
