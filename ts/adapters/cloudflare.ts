// Cloudflare code mode (`@cloudflare/codemode`): an executor for Node, where its own needs a Worker.
import type {
  ExecuteOptions,
  ExecuteResult,
  Executor,
  ResolvedProvider,
} from '@cloudflare/codemode'
import { createCodeMode, type CodeModeOptions, type Json } from '../index.ts'
import {
  frameworkLimits,
  groupFunctions,
  logLines,
  mergeGlobals,
  withoutFence,
  type GuestGlobals,
  type HostCall,
} from './guest-globals.ts'
import { sanitizeToolName } from './cloudflare-names.ts'

/** What `createCodeMode` takes, but for the tools: those are the providers'. */
export type NativeExecutorOptions = Omit<
  CodeModeOptions,
  'tools' | 'allow' | 'except' | 'exclusive' | 'name'
>

type Functions = Record<string, (...args: unknown[]) => Promise<unknown>>
type Connectors = NonNullable<ExecuteOptions['connectors']>

/** As its own executor has it. */
const defaultTimeoutMs = 60_000

/**
 * An `Executor` for `createCodeTool`, `codeMcpServer` and the like. Each provider is a global object; connectors are reached through `callTool(method, args[0])`.
 * Never rejects: what goes wrong is `error`. Values cross as JSON: bytes and bigints do not. Durable pauses (`createCodemodeRuntime`) need Cloudflare's own executor.
 * 60 seconds, 1,000 calls, 32 at a time and 1,048,576 characters of output by default.
 */
export class NativeExecutor implements Executor {
  readonly #options: NativeExecutorOptions

  constructor(options: NativeExecutorOptions = {}) {
    this.#options = options
  }

  async execute(
    code: string,
    providersOrFns: ResolvedProvider[] | Functions,
    { connectors = [] }: ExecuteOptions = {},
  ): Promise<ExecuteResult> {
    try {
      const providers = Array.isArray(providersOrFns)
        ? providersOrFns
        : [{ name: 'codemode', fns: providersOrFns }]
      return await this.#run(code, globalsOf(providers, connectors))
    } catch (error) {
      return { result: undefined, error: (error as Error).message }
    }
  }

  async #run(code: string, { tools, prelude }: GuestGlobals): Promise<ExecuteResult> {
    await using codeMode = createCodeMode({
      ...this.#options,
      tools,
      limits: { timeoutMs: defaultTimeoutMs, ...frameworkLimits, ...this.#options.limits },
    })
    const outcome = await codeMode.run(prelude + asBody(withoutFence(code)))
    const logs = logLines(outcome.logs, { warn: '[warn] ', error: '[error] ' })
    if (outcome.status === 'completed') return { result: outcome.result, logs }
    const { code: failure, message } = outcome.error
    const late = failure === 'timeout' || failure === 'cpu_timeout'
    return { result: undefined, error: late ? `Execution timed out: ${message}` : message, logs }
  }
}

/** Programs come as arrow functions, which the package's helpers make of every form; a bare body is taken as it is. */
function asBody(code: string): string {
  const isArrow = /^\s*(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>/.test(code)
  return isArrow ? `return await (${code}\n)()` : code
}

function globalsOf(providers: readonly ResolvedProvider[], connectors: Connectors): GuestGlobals {
  const seen = new Set<string>()
  for (const { name } of [...providers, ...connectors]) {
    if (!/^[a-zA-Z_$][\w$]*$/.test(name))
      throw new TypeError(`Provider name "${name}" is not a valid JavaScript identifier`)
    if (['console', 'Promise', 'Error'].includes(name))
      throw new TypeError(`Provider name "${name}" is reserved`)
    if (seen.has(name)) throw new TypeError(`Duplicate provider name "${name}"`)
    seen.add(name)
  }
  return mergeGlobals([...providers.map(providerGlobals), ...connectors.map(connectorGlobals)])
}

function providerGlobals({ name, fns, prelude }: ResolvedProvider): GuestGlobals {
  const functions: Record<string, HostCall> = {}
  const original = new Map<string, string>()
  for (const [tool, fn] of Object.entries(fns)) {
    const shown = sanitizeToolName(tool)
    const earlier = original.get(shown)
    if (earlier !== undefined)
      throw new TypeError(
        `Tool names "${earlier}" and "${tool}" both sanitize to "${shown}" in provider "${name}"`,
      )
    original.set(shown, tool)
    functions[shown] = (args) => fn(...args)
  }
  const globals = groupFunctions(name, functions, {
    unknown: `throw new Error('Tool "'+name+'" not found')`,
  })
  return prelude === undefined ? globals : { ...globals, prelude: `${globals.prelude}${prelude};` }
}

/** A connector answers any method name: one host function takes the name as its first argument. */
function connectorGlobals({ name, binding }: Connectors[number]): GuestGlobals {
  const tool = `${name}.callTool`
  const call = `globalThis.tools[${JSON.stringify(tool)}]([method,input])`
  return {
    tools: {
      [tool]: {
        inputSchema: true,
        execute: ([method, input]: [string, Json]) => binding.callTool(method, input),
      },
    },
    prelude: `globalThis.${name}=new Proxy({},{get:(_,method)=>typeof method==='string'&&method!=='then'?(input)=>${call}:undefined});`,
  }
}
