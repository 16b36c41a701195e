// Vercel AI SDK (`ai`): a ToolSet in, a ToolSet out.
import { AsyncLocalStorage } from 'node:async_hooks'
import { jsonSchema, tool as aiTool, type Tool as AiTool, type ToolSet } from 'ai'
import {
  createCodeMode,
  type CodeMode,
  type CodeModeEvent,
  type CodeModeOptions,
  type Json,
  type Tool,
  type ToolContext,
} from '../index.ts'
import { ProgramApproval } from './program-approval.ts'

/** `tools` is a ToolSet as for `generateText`; everything else is what `createCodeMode` takes. */
export interface AiCodeModeOptions extends Omit<CodeModeOptions, 'tools'> {
  /** Tools without `execute` (client tools, tools that the provider runs) stay direct tools of the model. */
  readonly tools: ToolSet
  /**
   * True gives preliminary results while a program runs: which calls were made, and how they ended. They never reach the model.
   * @default false
   */
  readonly progress?: boolean
}

/** What the model's tool gives: `result` of the program, its log lines, how many tool calls it made. */
export interface RunCodeOutput {
  result: Json
  logs: string[]
  toolCalls: number
}

/** Preliminary result of a program that runs, with `progress: true`. */
export interface RunCodeProgress {
  status: 'running'
  calls: { toolCallId: string; toolName: string; status: 'running' | 'done' | 'error' }[]
}

export interface AiCodeMode extends AsyncDisposable {
  /** The one tool, as `tool()` of the AI SDK gives it. */
  readonly tool: AiTool<{ code: string }, RunCodeOutput | RunCodeProgress>
  /** For `generateText({ tools })`: the tool by its name, and unless `exclusive` the given tools; always those that programs cannot call. */
  readonly tools: ToolSet
  readonly codeMode: CodeMode
  /** `codeMode.close()`. */
  close(): Promise<void>
}

/** What a call of the model's tool was given by the SDK: handed on to the tools that its program calls. */
interface SdkCall {
  readonly messages: unknown
  /** `experimental_context` of version 6, `context` of version 7. */
  readonly context: unknown
}

const sdkCall = new AsyncLocalStorage<SdkCall>()

/**
 * Code mode over the tools of an AI SDK application. The tools get `messages`, `experimental_context` (also as `context`) and `abortSignal`
 * as they would from the SDK; `toolCallId` is `<id of the outer call>:<n>`.
 *
 * Tools with `needsApproval`: with `approve` the host answers while the program waits. Without it the SDK's own flow is used: a program that names
 * such a tool gets an approval request for the whole program, and an approved program may call the tools that it names.
 * Throws what `createCodeMode` throws.
 */
export function createAiCodeMode(options: AiCodeModeOptions): AiCodeMode {
  const { tools, progress = false, except = [], ...rest } = options
  const direct = Object.keys(tools).filter((name) => tools[name]?.execute === undefined)
  const own = fromAiTools(tools)
  const approval = new ProgramApproval(own, rest)
  const approve = rest.approve ?? approval.approve
  const codeMode = createCodeMode({
    ...rest,
    ...(approve ? { approve } : {}),
    tools: own,
    except: except.filter((name) => name in own),
  })
  const tool = modelTool(codeMode, approval, progress)
  const listed = Object.keys(codeMode.modelTools).filter((name) => name !== codeMode.tool.name)
  const close = () => codeMode.close()
  return Object.freeze({
    tool,
    tools: Object.fromEntries([
      [codeMode.tool.name, tool],
      ...[...listed, ...direct].map((name) => [name, tools[name]]),
    ]) as ToolSet,
    codeMode,
    close,
    [Symbol.asyncDispose]: close,
  })
}

/** The tools of a ToolSet that have an `execute`, for `createCodeMode({ tools })`. Provider-run and client tools are left out. */
export function fromAiTools(tools: ToolSet): Record<string, Tool> {
  const own: Record<string, Tool> = {}
  for (const [name, tool] of Object.entries(tools)) {
    if (tool.execute !== undefined) own[name] = fromAiTool(tool)
  }
  return own
}

type Execute = (input: unknown, options: object) => unknown

function fromAiTool(tool: ToolSet[string]): Tool {
  const { needsApproval, outputSchema } = tool as AiTool
  // Version 7 allows descriptions that depend on the context; those cannot stand in a text made once.
  const description: unknown = tool.description
  return {
    ...(typeof description === 'string' ? { description } : {}),
    inputSchema: tool.inputSchema as Exclude<Tool['inputSchema'], undefined>,
    ...(outputSchema === undefined
      ? {}
      : { outputSchema: outputSchema as Exclude<Tool['outputSchema'], undefined> }),
    ...(needsApproval === undefined || needsApproval === false
      ? {}
      : { needsApproval: readApproval(needsApproval) }),
    execute: (input, context) => (tool.execute as Execute)(input, sdkOptions(context)),
  }
}

function readApproval(needsApproval: NonNullable<AiTool['needsApproval']>): Tool['needsApproval'] {
  if (typeof needsApproval !== 'function') return needsApproval
  const ask = needsApproval as (input: unknown, options: object) => boolean | PromiseLike<boolean>
  return async (input, context) => ask(input, sdkOptions(context))
}

function sdkOptions(context: ToolContext): object {
  const call = sdkCall.getStore()
  const shared = call ? call.context : context.context
  return {
    toolCallId: context.toolCallId,
    messages: call?.messages ?? [],
    abortSignal: context.abortSignal,
    experimental_context: shared,
    context: shared,
  }
}

// ---------------------------------------------------------------- the model's tool

interface SdkOptions {
  readonly toolCallId: string
  readonly messages?: unknown
  readonly abortSignal?: AbortSignal
  readonly experimental_context?: unknown
  readonly context?: unknown
}

function modelTool(codeMode: CodeMode, approval: ProgramApproval, progress: boolean) {
  const { description, inputSchema } = codeMode.tool
  const run = (code: string, options: SdkOptions, onEvent?: (event: CodeModeEvent) => void) => {
    const { toolCallId, messages, abortSignal } = options
    const context = options.experimental_context ?? options.context
    const start = () =>
      codeMode.tool.execute(
        { code },
        {
          toolCallId,
          context,
          ...(abortSignal ? { abortSignal } : {}),
          ...(onEvent ? { onEvent } : {}),
        },
      )
    return sdkCall.run({ messages, context }, () => approval.within(code, start))
  }
  return aiTool<{ code: string }, RunCodeOutput | RunCodeProgress>({
    description,
    inputSchema: jsonSchema<{ code: string }>(inputSchema as Parameters<typeof jsonSchema>[0]),
    needsApproval: ({ code }: { code: string }) => approval.namedIn(code).length > 0,
    execute: progress
      ? ({ code }: { code: string }, options: SdkOptions) =>
          withProgress((onEvent) => run(code, options, onEvent))
      : ({ code }: { code: string }, options: SdkOptions) => run(code, options),
  } as unknown as AiTool<{ code: string }, RunCodeOutput | RunCodeProgress>)
}

/** Yields a picture of the calls whenever one begins or ends, at most one per turn of the reader; then the result. */
async function* withProgress(
  run: (onEvent: (event: CodeModeEvent) => void) => Promise<RunCodeOutput>,
): AsyncGenerator<RunCodeOutput | RunCodeProgress> {
  const calls = new Map<string, RunCodeProgress['calls'][number]>()
  let wake: (() => void) | undefined
  let changed = false
  const outcome = run((event) => {
    if (event.type === 'tool.start') {
      const { toolCallId, toolName } = event
      calls.set(toolCallId, { toolCallId, toolName, status: 'running' })
    } else if (event.type === 'tool.done' || event.type === 'tool.error') {
      const call = calls.get(event.toolCallId)
      if (call) call.status = event.type === 'tool.done' ? 'done' : 'error'
    } else return
    changed = true
    wake?.()
  })
  const settled = outcome.then(
    () => true,
    () => true,
  )
  for (let over = false; !over;) {
    if (changed) {
      changed = false
      yield { status: 'running', calls: [...calls.values()].map((call) => ({ ...call })) }
    }
    if (changed) continue
    const news = new Promise<boolean>((resolve) => (wake = () => resolve(false)))
    over = await Promise.race([settled, news])
  }
  yield await outcome
}
