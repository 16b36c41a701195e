// OpenAI Agents SDK (`@openai/agents`): function tools in, one function tool out.
import { AsyncLocalStorage } from 'node:async_hooks'
import { RunContext, tool as agentTool, type FunctionTool } from '@openai/agents'
import {
  createCodeMode,
  type CodeMode,
  type CodeModeOptions,
  type Json,
  type Tool,
  type ToolContext,
} from '../index.ts'
import { ProgramApproval } from './program-approval.ts'

// eslint-disable-next-line typescript/no-explicit-any -- contravariant: any function tool must be assignable
export type AnyFunctionTool = FunctionTool<any, any, any>

/** `tools` are function tools of the SDK; everything else is what `createCodeMode` takes. */
export interface AgentCodeModeOptions extends Omit<CodeModeOptions, 'tools'> {
  readonly tools: readonly AnyFunctionTool[]
}

export interface AgentCodeMode extends AsyncDisposable {
  /** The one tool, for `new Agent({ tools: [tool] })`. Its output is JSON text of `{ result, logs, toolCalls }`. */
  readonly tool: FunctionTool<unknown>
  /** The tool and, unless `exclusive`, the given tools; always those in `except`. */
  readonly tools: AnyFunctionTool[]
  readonly codeMode: CodeMode
  /** `codeMode.close()`. */
  close(): Promise<void>
}

/** The SDK's context of the call that runs the program: the tools of the program get the same one. */
const runContext = new AsyncLocalStorage<RunContext<unknown>>()

/**
 * Code mode over function tools. The tools get the RunContext of the agent's run; `context.context` is `RunOptions.context` for hooks and approvals.
 *
 * Tools with `needsApproval`: with `approve` the host answers while the program waits. Without it the SDK's own flow is used: a program that names
 * such a tool is an interruption of the agent's run, and an approved program may call the tools that it names.
 * The SDK turns what a tool throws into a text result, unless the tool was made with `errorFunction: null`: only then does it throw in the program.
 * Throws what `createCodeMode` throws.
 */
export function createAgentCodeMode(options: AgentCodeModeOptions): AgentCodeMode {
  const { tools, ...rest } = options
  const own = fromAgentTools(tools)
  const approval = new ProgramApproval(own, rest)
  const approve = rest.approve ?? approval.approve
  const codeMode = createCodeMode({ ...rest, ...(approve ? { approve } : {}), tools: own })
  const tool = modelTool(codeMode, approval, dropConstants(tools, approval))
  const listed = new Set(Object.keys(codeMode.modelTools))
  const close = () => codeMode.close()
  return Object.freeze({
    tool,
    tools: [tool, ...tools.filter(({ name }) => listed.has(name))],
    codeMode,
    close,
    [Symbol.asyncDispose]: close,
  })
}

/** Function tools, for `createCodeMode({ tools })`. Throws a TypeError for two tools with one name. */
export function fromAgentTools(tools: readonly AnyFunctionTool[]): Record<string, Tool> {
  const own: Record<string, Tool> = {}
  for (const tool of tools) {
    if (tool.name in own)
      throw new TypeError(`Two tools have the name ${JSON.stringify(tool.name)}`)
    own[tool.name] = fromAgentTool(tool)
  }
  return own
}

function fromAgentTool(tool: AnyFunctionTool): Tool {
  const { description, parameters, outputSchema, timeoutMs } = tool
  return {
    description,
    inputSchema: parameters as Record<string, unknown>,
    ...(outputSchema === undefined
      ? {}
      : { outputSchema: outputSchema as Record<string, unknown> }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    needsApproval: (input: Json, context: ToolContext) =>
      tool.needsApproval(contextFor(context), input, context.toolCallId),
    execute: async (input: Json, context) =>
      readOutput(
        await tool.invoke(contextFor(context), JSON.stringify(input), {
          toolCall: {
            type: 'function_call',
            name: tool.name,
            callId: context.toolCallId,
            arguments: JSON.stringify(input),
            status: 'in_progress',
          },
          signal: context.abortSignal,
        }),
      ),
  }
}

function contextFor({ context }: ToolContext): RunContext<unknown> {
  return runContext.getStore() ?? new RunContext(context)
}

/** Tools of the SDK give text where their function gave an object: such text is read back. */
function readOutput(output: unknown): unknown {
  if (typeof output !== 'string' || !/^\s*[[{]/.test(output)) return output
  try {
    return JSON.parse(output) as unknown
  } catch {
    return output
  }
}

/**
 * The SDK makes a function of every `needsApproval`; those that take no argument hold a constant, and are asked for it once.
 * Whatever else they answer, their tools keep needing approval.
 */
async function dropConstants(
  tools: readonly AnyFunctionTool[],
  approval: ProgramApproval,
): Promise<void> {
  const constants = tools.filter(({ needsApproval }) => needsApproval.length === 0)
  for (const { name, needsApproval } of constants) {
    const answer = await needsApproval(new RunContext(), {}).catch(() => true)
    if (!answer) approval.drop(name)
  }
}

function modelTool(
  codeMode: CodeMode,
  approval: ProgramApproval,
  ready: Promise<void>,
): FunctionTool<unknown> {
  const { name, description, inputSchema } = codeMode.tool
  return agentTool({
    name,
    description,
    strict: true,
    parameters: inputSchema as never,
    needsApproval: async (_, input) =>
      approval.namedIn((input as { code: string }).code).length > 0,
    // What the program should read of a failure is the message; the SDK's own would hide it behind a sentence.
    errorFunction: (_, error) => (error instanceof Error ? error.message : String(error)),
    async execute(input, context, details) {
      await ready
      const { code } = input as { code: string }
      const toolCallId = details?.toolCall?.callId
      const signal = details?.signal
      const start = () =>
        codeMode.tool.execute(
          { code },
          {
            ...(toolCallId ? { toolCallId } : {}),
            ...(signal ? { abortSignal: signal } : {}),
            context: context?.context,
          },
        )
      const within = () => approval.within(code, start)
      const output = await (context ? runContext.run(context, within) : within())
      return JSON.stringify(output)
    },
  }) as unknown as FunctionTool<unknown>
}
