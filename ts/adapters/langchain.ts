// LangChain (`@langchain/core`): structured tools in, one structured tool out.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { RunnableConfig } from '@langchain/core/runnables'
import {
  tool as langChainTool,
  type DynamicStructuredTool,
  type StructuredToolInterface,
} from '@langchain/core/tools'
import {
  createCodeMode,
  type CodeMode,
  type CodeModeOptions,
  type Json,
  type Tool,
} from '../index.ts'

/** `tools` are structured tools of LangChain; everything else is what `createCodeMode` takes. */
export interface LangChainCodeModeOptions extends Omit<CodeModeOptions, 'tools'> {
  readonly tools: readonly StructuredToolInterface[]
}

export interface LangChainCodeMode extends AsyncDisposable {
  /** The one tool, for `createAgent({ tools: [tool] })` or `model.bindTools([tool])`. Its content is JSON text of `{ result, logs, toolCalls }`. */
  readonly tool: DynamicStructuredTool
  /** The tool and, unless `exclusive`, the given tools; always those in `except`. */
  readonly tools: StructuredToolInterface[]
  readonly codeMode: CodeMode
  /** `codeMode.close()`. */
  close(): Promise<void>
}

/** Config of the call that runs the program: its tools run as children of it, with the same callbacks and `configurable`. */
const outerConfig = new AsyncLocalStorage<RunnableConfig>()

/**
 * Code mode over LangChain tools. The tools run with the config of the outer call (callbacks, `configurable`, tags) and the signal of their own call;
 * `configurable` is the `context` of hooks and approvals. Approvals are those of `approve`: a graph is not interrupted within a program.
 * Throws what `createCodeMode` throws.
 */
export function createLangChainCodeMode(options: LangChainCodeModeOptions): LangChainCodeMode {
  const { tools, ...rest } = options
  const codeMode = createCodeMode({ ...rest, tools: fromLangChainTools(tools) })
  const tool = modelTool(codeMode)
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

/** Structured tools, for `createCodeMode({ tools })`. Throws a TypeError for two tools with one name. */
export function fromLangChainTools(
  tools: readonly StructuredToolInterface[],
): Record<string, Tool> {
  const own: Record<string, Tool> = {}
  for (const tool of tools) {
    const { name, description, schema } = tool
    if (name in own) throw new TypeError(`Two tools have the name ${JSON.stringify(name)}`)
    own[name] = {
      description,
      inputSchema: schema as Exclude<Tool['inputSchema'], undefined>,
      execute: async (input: Json, context) =>
        readOutput(
          await tool.invoke(input as never, {
            ...outerConfig.getStore(),
            signal: context.abortSignal,
          }),
        ),
    }
  }
  return own
}

/** A message that a tool gives itself is its content; text that is JSON of an object or a list is read back. */
function readOutput(output: unknown): unknown {
  const { content } = (typeof output === 'object' && output !== null ? output : {}) as {
    content?: unknown
  }
  const isMessage = typeof (output as { getType?: unknown } | null)?.getType === 'function'
  const value = isMessage ? content : output
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

function modelTool(codeMode: CodeMode): DynamicStructuredTool {
  const { name, description, inputSchema } = codeMode.tool
  const run = async (input: unknown, config: RunnableConfig & { toolCall?: { id?: string } }) => {
    const { code } = input as { code: string }
    const { signal, configurable, toolCall } = config
    const start = () =>
      codeMode.tool.execute(
        { code },
        {
          ...(toolCall?.id ? { toolCallId: toolCall.id } : {}),
          ...(signal ? { abortSignal: signal } : {}),
          context: configurable,
        },
      )
    return JSON.stringify(await outerConfig.run(config, start))
  }
  return langChainTool(run as never, {
    name,
    description,
    schema: inputSchema as never,
  }) as unknown as DynamicStructuredTool
}
