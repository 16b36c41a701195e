// Options that several commands share, and the code mode they make of them.
import { InvalidArgumentError, type Command } from 'commander'
import { createCodeMode, type CodeMode, type CodeModeOptions, type Limits } from '../index.ts'
import { CommandFailure, firstLine } from './failure.ts'
import { importOptions } from './files.ts'
import { connectServers, needsApprovalChoices, type NeedsApproval } from './mcp/servers.ts'

export interface SourceOptions {
  readonly tools?: string
  readonly mcp?: string
  readonly approve?: NeedsApproval
}

export function addSources(command: Command): Command {
  return command
    .option(
      '-t, --tools <file>',
      'module whose default export is the tools, or { tools, ...options }',
    )
    .option(
      '-m, --mcp <file>',
      'JSON file with `mcpServers`, whose tools are added as <server>__<tool>',
    )
    .option(
      '--approve <which>',
      `which calls of MCP tools need approval: ${needsApprovalChoices.join(', ')}`,
      readNeedsApproval,
      'destructive',
    )
}

export function readNeedsApproval(value: string): NeedsApproval {
  if ((needsApprovalChoices as readonly string[]).includes(value)) return value as NeedsApproval
  throw new InvalidArgumentError(`It is one of ${needsApprovalChoices.join(', ')}.`)
}

export function readCount(value: string): number {
  const count = Number(value)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw new InvalidArgumentError('It is a whole number above zero.')
}

/** 0 takes any free port. */
export function readPort(value: string): number {
  const port = Number(value)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('It is a port, from 0 to 65535.')
}

export interface LimitOptions {
  readonly timeout?: number
  readonly maxCalls?: number
}

export function readLimits({ timeout, maxCalls }: LimitOptions): Partial<Limits> {
  return {
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(maxCalls === undefined ? {} : { maxToolCalls: maxCalls }),
  }
}

export interface SetUp {
  readonly codeMode: CodeMode
  readonly close: () => Promise<void>
}

/** Connects what is named and makes a code mode of it. `more` wins over what the module says. */
export async function setUp(
  sources: SourceOptions,
  more: Partial<CodeModeOptions>,
): Promise<SetUp> {
  const base: CodeModeOptions = sources.tools ? await importOptions(sources.tools) : { tools: {} }
  const servers = sources.mcp ? await connectServers(sources.mcp, sources.approve) : undefined
  try {
    const codeMode = createCodeMode({
      ...base,
      ...more,
      limits: { ...base.limits, ...more.limits },
      tools: servers ? addTools(base.tools, servers.tools) : base.tools,
    })
    return {
      codeMode,
      async close() {
        await codeMode.close()
        await servers?.close()
      },
    }
  } catch (error) {
    await servers?.close()
    throw new CommandFailure(firstLine(error))
  }
}

function addTools(
  own: CodeModeOptions['tools'],
  served: Exclude<CodeModeOptions['tools'], readonly unknown[]>,
): CodeModeOptions['tools'] {
  const list = Array.isArray(own)
    ? own
    : Object.entries(own).map(([name, tool]) => ({ ...tool, name }))
  return [...list, ...Object.entries(served).map(([name, tool]) => ({ ...tool, name }))]
}
