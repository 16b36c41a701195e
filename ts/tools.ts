// Tools as the host defines them, and as the package keeps them: read and checked once, at creation.
import {
  expectArray,
  expectBoolean,
  expectFunction,
  expectObject,
  expectText,
  outOfRange,
  wrongType,
} from './expect.ts'
import { checkInteger, checkMilliseconds } from './limits.ts'
import type { NativeTool } from './native.ts'
import { readSchema, type ReadSchema, type Schema, type Validator } from './schema.ts'

/** An AI SDK `tool()` and an MCP tool definition with an `execute` are both valid here as they are. */
// eslint-disable-next-line typescript/no-explicit-any -- contravariant: any tool must be assignable
export interface Tool<Input = any, Output = unknown> {
  readonly description?: string
  /** Without one the tool takes any one JSON object; a call without arguments gives `{}`. Violations are a ToolError in the script. */
  readonly inputSchema?: Schema
  /** Gives the tool a declared result type in the signature the model sees. Results are not checked against it. */
  readonly outputSchema?: Schema
  /** May return a value, a promise, or an async iterable (each item a `tool.partial` event, the last one the result). */
  execute(input: Input, context: ToolContext): Output | Promise<Output> | AsyncIterable<Output>
  /**
   * Changes nothing: callable in plan mode; may be served again from a ledger.
   * @default false
   */
  readonly readOnly?: boolean
  /** True, or a function that says so per call, on validated arguments. One that throws is a fault of the host: the call fails. */
  readonly needsApproval?:
    boolean | ((input: Input, context: ToolContext) => boolean | Promise<boolean>)
  /**
   * Milliseconds for one call of this tool, from the moment `execute` is entered.
   * @default limits.toolTimeoutMs
   */
  readonly timeoutMs?: number
  /**
   * Calls of this tool at one time in one run; more wait in order.
   * @default limits.toolConcurrency
   */
  readonly maxConcurrency?: number
}

/** What a tool gets beside its arguments. */
export interface ToolContext {
  /** `<run_code call id>:<n>`, n from 1 in the order in which the script made the calls. Equal on a re-run: an idempotency key. */
  readonly toolCallId: string
  readonly parentToolCallId: string
  readonly toolName: string
  /** Aborted when the run ends, is stopped, or this call times out. */
  readonly abortSignal: AbortSignal
  /** What the host passed to `run()`: principal, tenant, request, ... */
  readonly context: unknown
  /** Rejects with a SignInNeededError where the host has no token. What it resolves is redacted from the tool's result. */
  getToken(provider: string): Promise<string>
}

/** A tool that scripts may call. */
export interface ScriptTool {
  readonly name: string
  /** Its index on the native side. */
  readonly index: number
  readonly description: string | undefined
  readonly readOnly: boolean
  readonly needsApproval: Tool['needsApproval']
  readonly timeoutMs: number | undefined
  readonly maxConcurrency: number | undefined
  /** `execute`, bound to its definition. */
  readonly execute: Tool['execute']
  readonly input: ReadSchema | undefined
  readonly output: ReadSchema | undefined
  readonly validator: Validator | undefined
}

export interface ReadTools {
  /** Every definition as the host gave it, by name. */
  readonly all: ReadonlyMap<string, Tool>
  readonly forScripts: readonly ScriptTool[]
}

interface Selection {
  readonly allow: readonly string[] | undefined
  readonly except: readonly string[] | undefined
  /** Name of the model's tool: no tool may have it, no script may call it. */
  readonly own: string
}

export function readTools(tools: unknown, selection: Selection): ReadTools {
  const all = new Map(listTools(tools))
  for (const own of new Set([selection.own, 'run_code'])) {
    if (all.has(own)) throw outOfRange('tools', `tools not named \`${own}\``, own)
    if (selection.allow?.includes(own))
      throw outOfRange('allow', `names other than \`${own}\``, own)
  }
  const except = new Set(selection.except)
  const allow = selection.allow && new Set(selection.allow)
  const forScripts: ScriptTool[] = []
  for (const [name, tool] of all) {
    if (except.has(name) || (allow && !allow.has(name))) continue
    forScripts.push(readTool(name, tool, forScripts.length))
  }
  return { all, forScripts }
}

function listTools(tools: unknown): [string, Tool][] {
  if (!Array.isArray(tools)) {
    if (typeof tools !== 'object' || tools === null)
      throw wrongType('tools', 'an object or an array of tools', tools)
    return Object.entries(tools).map(([name, tool]) => [
      checkName('tools', name),
      checkTool(`tools.${name}`, tool),
    ])
  }
  expectArray('tools', tools)
  const seen = new Set<string>()
  return tools.map((tool, i) => {
    const at = `tools[${i}]`
    const checked = checkTool(at, tool)
    const name = checkName(`${at}.name`, (checked as { name?: unknown }).name)
    if (seen.has(name)) throw outOfRange(`${at}.name`, 'a name no other tool has', name)
    seen.add(name)
    return [name, checked]
  })
}

function checkName(path: string, name: unknown): string {
  expectText(path, name)
  if (name.length > 256) throw outOfRange(path, 'a name of at most 256 characters', name)
  return name
}

function checkTool(path: string, tool: unknown): Tool {
  expectObject(path, tool)
  return tool as Tool
}

function readTool(name: string, tool: Tool, index: number): ScriptTool {
  const path = `tools.${name}`
  // Read once: a getter in a definition gets no second say.
  const { description, inputSchema, outputSchema, execute, readOnly, needsApproval } = tool
  const { timeoutMs, maxConcurrency } = tool
  expectFunction(`${path}.execute`, execute)
  if (description !== undefined && typeof description !== 'string')
    throw wrongType(`${path}.description`, 'a string', description)
  if (readOnly !== undefined) expectBoolean(`${path}.readOnly`, readOnly)
  if (needsApproval !== undefined && typeof needsApproval !== 'boolean')
    expectFunction(`${path}.needsApproval`, needsApproval)
  if (timeoutMs !== undefined) checkMilliseconds(`${path}.timeoutMs`, timeoutMs)
  if (maxConcurrency !== undefined)
    checkInteger(`${path}.maxConcurrency`, maxConcurrency, 1, 2_147_483_647)
  const input =
    inputSchema == null ? undefined : readSchema(`${path}.inputSchema`, inputSchema, 'input')
  const output =
    outputSchema == null ? undefined : readSchema(`${path}.outputSchema`, outputSchema, 'output')
  return {
    name,
    index,
    description,
    readOnly: readOnly ?? false,
    needsApproval: typeof needsApproval === 'function' ? needsApproval.bind(tool) : needsApproval,
    timeoutMs,
    maxConcurrency,
    execute: execute.bind(tool),
    input,
    output,
    validator: input?.validator,
  }
}

export function toNativeTool(tool: ScriptTool): NativeTool {
  return {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    ...(tool.input?.jsonText === undefined ? {} : { inputSchema: tool.input.jsonText }),
    ...(tool.output?.jsonText === undefined ? {} : { outputSchema: tool.output.jsonText }),
    ...(tool.validator === undefined ? {} : { skipValidation: true }),
  }
}
