// One program in an engine of another language: its broker, its limits, its one end.
import type { CodeModeEngine, EngineHost, EngineSession, EngineSessionHost } from './engine.ts'
import { cutText, encodeJson, NotJson, parseJson, type Json } from './json.ts'
import type { ResolvedLimits } from './limits.ts'
import {
  CALLS,
  END,
  LOGS,
  STORED,
  TEXT,
  YIELDED,
  type NativeFailure,
  type NativeSession,
  type NativeStop,
  type NativeTool,
} from './native.ts'
import { describeHostError } from './refusal.ts'
import { RunClock } from './run-clock.ts'
import * as sentences from './sentences.ts'

export interface EngineRunRequest {
  readonly engine: CodeModeEngine
  readonly tools: readonly NativeTool[]
  readonly limits: ResolvedLimits
  readonly session: NativeSession | undefined
  readonly validate: (tool: number, input: string) => string | null
  readonly send: (kind: number, json: string) => void
  /** Called once. `stuck`: the engine did not come back. */
  readonly ended: (stuck: boolean) => void
  /** A stuck engine came back after all. */
  readonly cameBack: () => void
}

/** How long an engine may take to end after its signal, as the built-in one may. */
const graceMs = 250

interface Pending {
  readonly resolve: (value: Json) => void
  readonly reject: (error: Error) => void
}

/** Codes an engine may give; what only the host can know is not among them. */
const engineCodes = [
  ...['script_error', 'syntax_error', 'timeout', 'cpu_timeout', 'memory_limit', 'tool_call_limit'],
  ...['output_limit', 'source_limit', 'not_serializable', 'aborted', 'stopped', 'overloaded'],
  ...['crashed', 'internal'],
]

export class EngineRun {
  readonly clock: RunClock
  readonly #request: EngineRunRequest
  readonly #controller = new AbortController()
  readonly #pending = new Map<number, Pending>()
  #calls = 0
  #chars = 0
  /** The first reason to stop wins. */
  #stopped: NativeFailure | undefined
  #grace: NodeJS.Timeout | undefined
  /** The program is over; what comes later changes nothing. */
  #returned = false
  #ended = false

  constructor(request: EngineRunRequest) {
    this.#request = request
    const { timeoutMs } = request.limits
    const message = sentences.runTimedOut(timeoutMs)
    this.clock = new RunClock(timeoutMs, () => this.#fail('timeout', 'TimeoutError', message))
  }

  /** The end comes later than this returns, whatever happens. */
  begin(code: string): void {
    const { maxSourceChars } = this.#request.limits
    if (code.length > maxSourceChars) {
      const message = `the source has ${code.length} characters, more than maxSourceChars (${maxSourceChars})`
      this.#end({ code: 'source_limit', name: 'SourceLimitError', message })
      return
    }
    void this.#execute(code)
  }

  // ---------------------------------------------------------------- the program

  async #execute(code: string): Promise<void> {
    let session: EngineSession | undefined
    let failure: NativeFailure | undefined
    let result: string | undefined
    try {
      session = this.#request.engine.openSession(this.#host())
      const outcome = await session.execute(code)
      if (outcome.status === 'completed') result = this.#encode(outcome.result)
      else failure = readFailure(outcome.error)
    } catch (error) {
      failure = this.#fault(error)
    }
    this.#returned = true
    clearTimeout(this.#grace)
    const unclean = await closeSession(session, this.#request.limits.abortGraceMs)
    if (this.#ended) return this.#request.cameBack()
    this.#end(this.#stopped ?? failure, result, unclean)
  }

  #fault(error: unknown): NativeFailure {
    if (error instanceof NotJson) {
      const message = `the return value cannot be JSON: ${error.reason}`
      return { code: 'not_serializable', name: 'NotSerializableError', message }
    }
    const { name, language } = this.#request.engine
    const message = `the engine ${name ?? language} failed: ${cutText(describeHostError(error), 500)}`
    return { code: 'internal', name: 'InternalError', message }
  }

  #encode(result: unknown): string {
    const json = encodeJson(result ?? null).text ?? 'null'
    this.#say(json.length)
    return json
  }

  // ---------------------------------------------------------------- what the engine can reach

  #host(): EngineHost {
    const { limits, tools, session } = this.#request
    const { native: _native, toolTimeoutMs, ...rest } = limits
    return Object.freeze({
      callTool: (name: string, input: Json) => this.#call(name, input),
      log: (line: string) => this.#line(LOGS, line),
      text: (line: string) => this.#line(TEXT, line),
      limits: Object.freeze({ ...rest, toolTimeoutMs: toolTimeoutMs ?? limits.timeoutMs }),
      abortSignal: this.#controller.signal,
      tools: tools.map(({ name, description }) => ({
        name,
        ...(description === undefined ? {} : { description }),
      })),
      ...(session ? { session: this.#sessionHost(session) } : {}),
    })
  }

  async #call(name: string, input: Json): Promise<Json> {
    if (this.#over) throw stopError()
    const { tools, limits, validate, send } = this.#request
    const tool = tools.findIndex((candidate) => candidate.name === name)
    if (tool < 0)
      throw new TypeError(`There is no tool ${JSON.stringify(cutText(String(name), 80))}`)
    const json = encodeInput(input)
    if (json.length > limits.maxToolArgChars) {
      const { maxToolArgChars } = limits
      throw new RangeError(
        `the arguments are ${json.length} characters of JSON, more than maxToolArgChars (${maxToolArgChars})`,
      )
    }
    if (this.#calls >= limits.maxToolCalls) {
      const message = `the program made more tool calls than maxToolCalls (${limits.maxToolCalls})`
      this.#fail('tool_call_limit', 'ToolCallLimitError', message)
      throw stopError()
    }
    const id = ++this.#calls
    const problem = JSON.stringify(validate(tool, json))
    send(CALLS, `[[${id},${tool},${json},${problem}]]`)
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }))
  }

  #line(kind: number, line: string): void {
    if (this.#over) return
    const text = String(line)
    if (this.#say(text.length + 1)) this.#request.send(kind, JSON.stringify([text]))
  }

  /** Counts output; false where it is too much, which ends the program. */
  #say(chars: number): boolean {
    const { maxOutputChars } = this.#request.limits
    this.#chars += chars
    if (this.#chars <= maxOutputChars) return true
    const message = `the output has ${this.#chars} characters or more, over maxOutputChars (${maxOutputChars})`
    this.#fail('output_limit', 'OutputLimitError', message)
    return false
  }

  #sessionHost({ values: text, maxStoreChars }: NativeSession): EngineSessionHost {
    const texts = new Map(parseJson(text) as [string, string][])
    const values = new Map([...texts].map(([key, json]) => [key, parseJson(json) as Json]))
    return {
      ...{ values, maxStoreChars },
      store: (key, value) => {
        const json = value === undefined ? undefined : encodeInput(value)
        if (this.#over) return
        checkRoom(texts, key, json, maxStoreChars)
        if (json === undefined) texts.delete(key)
        else texts.set(key, json)
        if (value === undefined) values.delete(key)
        else values.set(key, parseJson(json ?? 'null') as Json)
        this.#request.send(STORED, JSON.stringify([[key, json ?? null]]))
      },
      yieldControl: () => {
        if (!this.#over) this.#request.send(YIELDED, 'null')
      },
    }
  }

  // ---------------------------------------------------------------- what the host says

  /** See `NativeCodeMode.settle`. */
  settle(replies: string): void {
    for (const reply of replies.split('\n')) {
      const [, id, sign, json] = /^(\d+)([+-])(.*)$/s.exec(reply) ?? []
      const pending = this.#pending.get(Number(id))
      if (pending === undefined || json === undefined) continue
      this.#pending.delete(Number(id))
      // `undefined` is what a tool without a result gives, although JSON has none.
      if (sign === '+') pending.resolve((json === '' ? undefined : parseJson(json)) as Json)
      else pending.reject(toolError(parseJson(json) as string))
    }
  }

  stop(reason: NativeStop, message: string): void {
    const names: Record<NativeStop, string> = {
      aborted: 'AbortError',
      stopped: 'StoppedError',
      guardrail: 'GuardrailError',
      tool_call_limit: 'ToolCallLimitError',
    }
    this.#fail(reason, names[reason], message)
  }

  get #over(): boolean {
    return this.#ended || this.#returned || this.#stopped !== undefined
  }

  #fail(code: string, name: string, message: string): void {
    if (this.#over) return
    this.#stopped = { code, name, message }
    this.#controller.abort(new DOMException(message, 'AbortError'))
    for (const { reject } of this.#pending.values()) reject(stopError())
    this.#pending.clear()
    const giveUp = () => this.#end(this.#stopped, undefined, 'the engine did not end', true)
    this.#grace = setTimeout(giveUp, graceMs)
  }

  // ---------------------------------------------------------------- the end

  #end(failure: NativeFailure | undefined, result?: string, unclean?: string, stuck = false): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#grace)
    const wallMs = this.clock.stop()
    if (!this.#controller.signal.aborted)
      this.#controller.abort(new DOMException('The run has ended', 'AbortError'))
    const end = {
      ...(failure ? { failure } : {}),
      ...(unclean === undefined ? {} : { unclean }),
      ...{ toolCalls: this.#calls, cpuMs: 0, wallMs, peakMemoryBytes: 0, unhandled: [], notes: [] },
    }
    const json = JSON.stringify(end)
    // The result is JSON already.
    const whole = failure ? json : `{"result":${result ?? 'null'},${json.slice(1)}`
    this.#request.ended(stuck)
    this.#request.send(END, whole)
  }
}

async function closeSession(
  session: EngineSession | undefined,
  ms: number,
): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, ms, "the engine's session did not close in time")
  })
  try {
    const closed = Promise.resolve(session?.close()).then(() => undefined)
    return await Promise.race([closed, late])
  } catch (error) {
    return `the engine's session did not close: ${cutText(describeHostError(error), 300)}`
  } finally {
    clearTimeout(timer)
  }
}

function encodeInput(value: Json): string {
  try {
    const { text } = encodeJson(value ?? {})
    if (text !== undefined) return text
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
  }
  throw new TypeError('the arguments of a tool call must be JSON')
}

function checkRoom(
  texts: ReadonlyMap<string, string>,
  key: string,
  json: string | undefined,
  max: number,
): void {
  if (json === undefined) return
  let needed = key.length + json.length
  for (const [other, text] of texts) if (other !== key) needed += other.length + text.length
  if (needed > max)
    throw new RangeError(
      `store: the session would keep ${needed} characters, more than maxStoreChars (${max})`,
    )
}

/** What the gate tells a program. */
function toolError(message: string): Error {
  return Object.assign(new Error(message), { name: 'ToolError' })
}

function stopError(): Error {
  return Object.assign(new Error('The program has to end'), { name: 'StopError' })
}

/** An engine is code of the host, but its failures become outcomes: what is malformed is an ordinary error of the program. */
function readFailure(error: unknown): NativeFailure {
  const { code, name, message, line, column } = (error ?? {}) as Partial<NativeFailure>
  return {
    code: typeof code === 'string' && engineCodes.includes(code) ? code : 'script_error',
    name: cutText(typeof name === 'string' && name !== '' ? name : 'Error', 256),
    message: cutText(typeof message === 'string' ? message : 'the program failed', 8_192),
    ...(isPlace(line) ? { line } : {}),
    ...(isPlace(column) ? { column } : {}),
  }
}

function isPlace(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0
}
