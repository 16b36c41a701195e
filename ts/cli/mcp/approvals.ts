// Approvals by elicitation: the client shows a person the call, and the program waits with its clock stopped.
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  ElicitResultSchema,
  type ClientCapabilities,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js'
import type { ApprovalDecision, ToolCall } from '../../index.ts'
import { oneLine } from '../output.ts'
import type { Extra } from './connection.ts'

/** The run's own `approvalTimeoutMs` decides; the SDK's timeout must not be shorter. */
const noTimeout = 2_147_483_647

/** Asks within the request that runs the program: over HTTP the question comes on the stream of that request. */
export async function askClient(
  extra: Extra,
  capabilities: ClientCapabilities | undefined,
  call: ToolCall & { reason: string },
): Promise<ApprovalDecision> {
  if (!capabilities?.elicitation) return cannotAsk(call)
  const params = question(call)
  return judge(
    await extra.sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema, {
      timeout: noTimeout,
      signal: extra.signal,
    }),
    call,
  )
}

/** Asks outside a request: a program of a session may run longer than the request that began it. */
export async function askOverServer(
  server: Server,
  call: ToolCall & { reason: string },
): Promise<ApprovalDecision> {
  if (!server.getClientCapabilities()?.elicitation) return cannotAsk(call)
  return judge(await server.elicitInput(question(call), { timeout: noTimeout }), call)
}

function question({ toolName, input, reason }: ToolCall & { reason: string }) {
  const shown = oneLine(JSON.stringify(input), 1_000)
  return {
    message: `A program wants to call ${toolName}: ${shown}\n${reason}`,
    requestedSchema: {
      type: 'object' as const,
      properties: {
        approve: { type: 'boolean' as const, title: 'Allow this call', default: true },
      },
    },
  }
}

function judge({ action, content }: ElicitResult, { toolName }: ToolCall): ApprovalDecision {
  if (action === 'accept' && content?.['approve'] !== false) return 'approve'
  if (action === 'cancel') return { deny: `The question about tool ${toolName} was dismissed` }
  return 'deny'
}

const cannotAsk = ({ toolName }: ToolCall): ApprovalDecision => ({
  deny: `Tool ${toolName} needs approval, and this MCP client cannot be asked (it has no elicitation)`,
})
