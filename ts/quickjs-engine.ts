// The built-in engine as one that is plugged in: the same core, reached through the contract that other languages implement.
import { languageRules } from './description.ts'
import type { CodeModeEngine, EngineHost, EngineSession, EngineSessionHost } from './engine.ts'
import { parseJson, type Json } from './json.ts'
import {
  CALLS,
  END,
  LOGS,
  native,
  STORED,
  TEXT,
  YIELDED,
  type NativeCall,
  type NativeCodeMode,
  type NativeEnd,
  type NativeLimits,
  type NativeSession,
  type NativeStored,
} from './native.ts'
import type { RunFailure } from './outcome.ts'

export interface QuickJsOptions {
  /** Groups of globals that are off by default. */
  readonly features?: readonly ('typedArrays' | 'weakRefs')[]
}

type ExecuteResult = Awaited<ReturnType<EngineSession['execute']>>

/**
 * The built-in JavaScript engine for `createCodeMode({ engine })`. Without `engine` the same core is used by a shorter way; this one is
 * for hosts that wrap an engine, and it is held to the same conformance suite.
 */
export function quickJsEngine(options: QuickJsOptions = {}): CodeModeEngine {
  const { features = [] } = options
  return Object.freeze({
    name: 'quickjs',
    language: 'JavaScript',
    instructions: ({ signatures }: { readonly signatures: string }) =>
      [
        languageRules.body,
        languageRules.calls,
        languageRules.missing,
        '',
        `The tools, as type declarations:\n\n${signatures.trim()}`,
      ].join('\n'),
    openSession: (host: EngineHost) => new QuickJsSession(host, features),
  })
}

/** The one run of a session. */
const run = 1

class QuickJsSession implements EngineSession {
  readonly #host: EngineHost
  readonly #native: NativeCodeMode
  #resolve: ((result: ExecuteResult) => void) | undefined

  constructor(host: EngineHost, features: readonly string[]) {
    this.#host = host
    this.#native = new native.NativeCodeMode(
      {
        // The host validates arguments: here a tool is a name.
        tools: host.tools.map(({ name, description }) => ({
          name,
          ...(description === undefined ? {} : { description }),
          skipValidation: true,
        })),
        limits: toNativeLimits(host.limits),
        typedArrays: features.includes('typedArrays'),
        weakRefs: features.includes('weakRefs'),
        budgetTokens: 0,
        dialect: 'native',
      },
      (messages) => this.#deliver(messages),
    )
  }

  execute(code: string): Promise<ExecuteResult> {
    const { abortSignal, session } = this.#host
    const stop = () => this.#native.stop(run, 'aborted', 'the host ended the program')
    const ended = new Promise<ExecuteResult>((resolve) => (this.#resolve = resolve))
    this.#native.start(run, code, null, false, session ? toNativeSession(session) : null)
    abortSignal.addEventListener('abort', stop, { once: true })
    if (abortSignal.aborted) stop()
    return ended.finally(() => abortSignal.removeEventListener('abort', stop))
  }

  async close(): Promise<void> {
    this.#native.close()
  }

  #deliver(messages: readonly (number | string)[]): void {
    for (let i = 0; i + 2 < messages.length; i += 3)
      this.#receive(messages[i + 1] as number, parseJson(messages[i + 2] as string))
  }

  #receive(kind: number, message: unknown): void {
    const { session } = this.#host
    if (kind === CALLS) for (const call of message as NativeCall[]) void this.#call(call)
    else if (kind === LOGS) for (const line of message as string[]) this.#host.log(line)
    else if (kind === TEXT) for (const line of message as string[]) this.#host.text(line)
    else if (kind === YIELDED) session?.yieldControl()
    else if (kind === STORED) {
      for (const [key, json] of message as NativeStored[])
        session?.store(key, json === null ? undefined : (parseJson(json) as Json))
    } else if (kind === END) this.#resolve?.(toResult(message as NativeEnd))
  }

  async #call([id, tool, input]: NativeCall): Promise<void> {
    let reply: string
    try {
      const { name } = this.#host.tools[tool] ?? { name: '' }
      const result: Json | undefined = await this.#host.callTool(name, input as Json)
      reply = `${id}+${result === undefined ? '' : JSON.stringify(result)}`
    } catch (error) {
      reply = `${id}-${JSON.stringify(error instanceof Error ? error.message : 'failed')}`
    }
    this.#native.settle(run, `${reply}\n`, false)
  }
}

function toNativeSession({ values, maxStoreChars }: EngineSessionHost): NativeSession {
  const texts = [...values].map(([key, value]) => [key, JSON.stringify(value)])
  return { values: JSON.stringify(texts), maxStoreChars }
}

function toResult({ result, failure }: NativeEnd): ExecuteResult {
  if (!failure) return { status: 'completed', result: (result ?? null) as Json }
  return { status: 'failed', error: failure as Omit<RunFailure, 'modelText'> }
}

/** Wall time is the host's, whose clock stands while somebody is asked to approve. */
function toNativeLimits(limits: EngineHost['limits']): NativeLimits {
  const { cpuTimeoutMs, memoryLimitBytes, stackLimitBytes, maxToolCalls } = limits
  const { maxOutputChars, maxSourceChars, maxToolArgChars } = limits
  return {
    timeoutMs: 2_147_483_647,
    ...{ cpuTimeoutMs, memoryLimitBytes, stackLimitBytes, maxToolCalls },
    ...{ maxOutputChars, maxSourceChars, maxToolArgChars },
  }
}
