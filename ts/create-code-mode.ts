// createCodeMode(): reads the options, builds the gate and the native instance, and hands out the public object.
import { AbortSignals } from './abort-signals.ts'
import type { GatedTool } from './call.ts'
import type { CodeMode, CodeModeTool, Diagnostics, Run, RunOptions } from './code-mode.ts'
import { codeInputSchema, describeTool } from './description.ts'
import { CodeModeClosedError, CodeModeError, NotAvailableError } from './errors.ts'
import { EventQueue, joinListeners, type EventListener } from './events.ts'
import { expectFunction, expectObject, expectText, wrongType } from './expect.ts'
import { allEnded, findWorker, withIsolation } from './isolation.ts'
import { cutText } from './json.ts'
import { checkLimits, mergeLimits, resolveLimits, type ResolvedLimits } from './limits.ts'
import { LoopTurner } from './loop-turner.ts'
import { native, type NativeCodeMode } from './native.ts'
import { readOptions, type CodeModeOptions, type ReadOptions } from './options.ts'
import type { Outcome } from './outcome.ts'
import { describeHostError } from './refusal.ts'
import { freshRunId } from './run-ids.ts'
import { abortMessage, LiveRun, type RunHost } from './run.ts'
import * as sentences from './sentences.ts'
import { createTelemetry, type Telemetry } from './telemetry.ts'
import { tokenGiver } from './tokens.ts'
import { stepsFor } from './tool-gate.ts'
import { toNativeTool } from './tools.ts'

/**
 * Makes one code mode: its tools, its gate, its limits. Cheap until the first run; keeps no process alive while nothing runs.
 * Throws a TypeError or RangeError that names the wrong option, an IsolationUnavailableError, or a NotAvailableError.
 */
export function createCodeMode(options: CodeModeOptions): CodeMode {
  return toPublic(new Instance(readOptions(options)))
}

/** The public object: its methods need no `this`. */
function toPublic(instance: Instance): CodeMode {
  const close = () => instance.close()
  return Object.freeze({
    tool: instance.tool,
    modelTools: instance.modelTools,
    signatures: instance.native.signatures,
    run(code: string, options?: RunOptions): Promise<Outcome> {
      try {
        return instance.begin(code, options, undefined).outcome
      } catch (error) {
        return Promise.reject(error as Error)
      }
    },
    start: (code: string, options?: RunOptions) => instance.start(code, options),
    openSession() {
      throw new NotAvailableError('`openSession`')
    },
    check() {
      throw new NotAvailableError('`check`')
    },
    diagnostics: () => instance.diagnostics(),
    close,
    [Symbol.asyncDispose]: close,
  })
}

interface Link {
  instance: Instance | undefined
}

// Not in the constructor: a closure made there would hold the instance, and the native side holds the closure.
const deliverTo = (link: Link) => (messages: readonly (number | string)[]) =>
  link.instance?.deliver(messages)

class Instance implements RunHost {
  readonly native: NativeCodeMode
  readonly tools: readonly GatedTool[]
  readonly telemetry: Telemetry | undefined
  readonly tool: CodeModeTool
  readonly modelTools: Record<string, unknown>
  readonly modelTool: string
  readonly #options: ReadOptions
  readonly #limits: ResolvedLimits
  readonly #runs = new Map<number, LiveRun>()
  readonly #signals = new AbortSignals()
  readonly #turner: LoopTurner
  /** Reachable from the native side only while a run is live: an idle instance can be collected. */
  readonly #link: Link = { instance: undefined }
  #started = 0
  #delivering = false
  /** A way out for the replies is scheduled. */
  #sending = false
  #replying: LiveRun[] = []
  #warned = false
  #closing: Promise<void> | undefined

  constructor(options: ReadOptions) {
    this.#options = options
    this.#limits = resolveLimits(options.limits)
    this.modelTool = options.name
    this.telemetry =
      options.telemetry &&
      createTelemetry({
        ...options.telemetry,
        toolName: options.name,
        report: (error) => this.warn('telemetry failed', error),
      })
    const link = this.#link
    const worker = options.isolation === 'process' ? findWorker() : undefined
    this.native = withIsolation(
      worker,
      () =>
        new native.NativeCodeMode(
          {
            tools: options.tools.forScripts.map(toNativeTool),
            limits: this.#limits.native,
            typedArrays: options.features.includes('typedArrays'),
            weakRefs: options.features.includes('weakRefs'),
            ...(worker !== undefined && { worker }),
          },
          deliverTo(link),
        ),
    )
    this.#turner = new LoopTurner(this.native, (messages) => this.deliver(messages))
    this.tools = this.#gateTools()
    this.tool = this.#makeTool()
    this.modelTools = this.#listModelTools()
  }

  #gateTools(): GatedTool[] {
    const { hooks, guardrails, permissions, mode, approve, getToken } = this.#options
    const giveToken = tokenGiver(getToken)
    const gate = {
      ...{ hooks, guardrails, permissions, mode, approve },
      validate: (tool: number, input: string) => this.native.validate(tool, input),
      toolContext: (call: Parameters<typeof giveToken>[0]) => call.toolContext(giveToken),
    }
    return this.#options.tools.forScripts.map((tool) => ({ ...tool, steps: stepsFor(tool, gate) }))
  }

  #makeTool(): CodeModeTool {
    return Object.freeze({
      name: this.modelTool,
      description: describeTool(this.native.signatures, this.#limits),
      inputSchema: codeInputSchema,
      execute: async (input: { code: string }, options?: RunOptions) => {
        expectObject('input', input)
        if (typeof input.code !== 'string') throw wrongType('input.code', 'a string', input.code)
        const outcome = await this.begin(input.code, options, undefined).outcome
        if (outcome.status === 'failed') throw new CodeModeError(outcome)
        return { result: outcome.result, logs: [...outcome.logs], toolCalls: outcome.toolCalls }
      },
    })
  }

  #listModelTools(): Record<string, unknown> {
    const { tools, exclusive } = this.#options
    const inScripts = new Set(tools.forScripts.map((tool) => tool.name))
    const listed = [...tools.all].filter(([name]) => !exclusive || !inScripts.has(name))
    return Object.fromEntries([[this.modelTool, this.tool], ...listed])
  }

  // ---------------------------------------------------------------- runs

  begin(code: string, options: RunOptions | undefined, queue: EventQueue | undefined): LiveRun {
    if (this.#closing) throw new CodeModeClosedError()
    if (typeof code !== 'string') throw wrongType('code', 'a string', code)
    if (options !== undefined) checkRunOptions(options)
    const limits = options?.limits
      ? resolveLimits(mergeLimits(this.#options.limits, options.limits))
      : this.#limits
    const signal = options?.abortSignal
    const number = ++this.#started
    const run = new LiveRun(this, {
      number,
      id: options?.toolCallId ?? freshRunId(),
      code,
      context: options?.context,
      limits,
      signal,
      listener: this.#listener(options?.onEvent, queue),
    })
    this.#runs.set(number, run)
    this.#link.instance = this
    if (signal?.aborted) {
      endUnstarted(run, signal)
      return run
    }
    if (signal) this.#signals.follow(signal, run)
    try {
      this.native.start(number, code, limits === this.#limits ? null : limits.native)
    } catch (error) {
      run.fail(error)
    }
    return run
  }

  start(code: string, options: RunOptions | undefined): Run {
    const queue = new EventQueue()
    const run = this.begin(code, options, queue)
    // Only for internal faults, which whoever awaits the outcome sees: no unhandled rejection from a run that is only watched.
    run.outcome.catch(() => queue.close())
    return Object.freeze({
      toolCallId: run.id,
      outcome: run.outcome,
      events: queue,
      stop(reason?: string) {
        const told = typeof reason === 'string' && reason !== '' ? `: ${cutText(reason, 500)}` : ''
        run.stop('stopped', sentences.runStopped + told)
        return run.outcome
      },
    })
  }

  #listener(
    own: EventListener | undefined,
    queue: EventQueue | undefined,
  ): EventListener | undefined {
    const { onEvent } = this.#options
    if (!onEvent && !own && !queue) return undefined
    const push: EventListener | undefined = queue && ((event) => queue.push(event))
    return joinListeners([onEvent, own, push], (error) =>
      this.warn('an event listener failed', error),
    )
  }

  finished(run: LiveRun): void {
    this.#runs.delete(run.number)
    if (run.signal) this.#signals.leave(run.signal, run)
    if (this.#runs.size === 0) this.#link.instance = undefined
  }

  // ---------------------------------------------------------------- messages and replies

  /** One call brings the messages of many runs; the replies they cause at once go back together. */
  deliver(messages: readonly (number | string)[]): void {
    this.#delivering = true
    for (let i = 0; i + 2 < messages.length; i += 3) {
      const run = this.#runs.get(messages[i] as number)
      const kind = messages[i + 1] as number
      const json = messages[i + 2] as string
      run?.scope.runInAsyncScope(run.receive, run, kind, json)
    }
    this.#delivering = false
    if (this.#replying.length > 0) this.#sendReplies()
  }

  replySoon(run: LiveRun): void {
    this.#replying.push(run)
    if (this.#delivering || this.#sending) return
    this.#sending = true
    // After every promise of this turn: what settles together is sent together. While other calls of the run are in
    // flight, the rest of this turn of the loop may settle them too: each timer and each immediate is a tick of its own.
    if (run.liveCalls > 0) setImmediate(this.#sendReplies)
    else process.nextTick(this.#sendReplies)
  }

  readonly #sendReplies = (): void => {
    this.#sending = false
    const runs = this.#replying
    this.#replying = []
    for (const run of runs) run.sendReplies()
    this.#turner.expectMessages()
  }

  warn(what: string, error: unknown): void {
    if (this.#warned) return
    this.#warned = true
    process.emitWarning(`${what}: ${describeHostError(error)}`, {
      type: 'CodeModeWarning',
      detail: 'Reported once per code mode; the run went on as if it had not been there.',
    })
  }

  // ---------------------------------------------------------------- the end

  diagnostics(): Diagnostics {
    const counts = this.native.diagnostics()
    let pendingCalls = 0
    for (const run of this.#runs.values()) pendingCalls += run.liveCalls
    return {
      liveRuns: this.#runs.size,
      pendingCalls,
      workerThreads: counts.workerThreads,
      stuckThreads: counts.stuckThreads,
      protections: counts.protections,
      childProcesses: counts.childProcesses,
    }
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    const live = [...this.#runs.values()]
    for (const run of live) run.stop('stopped', sentences.instanceClosed)
    this.native.close()
    await Promise.allSettled(live.map((run) => run.outcome))
    if (this.#options.isolation === 'process') await allEnded(this.native)
  }
}

/** A run whose signal was aborted before it began: nothing ran, nothing was counted. */
function endUnstarted(run: LiveRun, signal: AbortSignal): void {
  run.endWith({
    failure: { code: 'aborted', name: 'AbortError', message: abortMessage(signal) },
    toolCalls: 0,
    cpuMs: 0,
    wallMs: 0,
    peakMemoryBytes: 0,
    unhandled: [],
    notes: [],
  })
}

function checkRunOptions(options: RunOptions): void {
  expectObject('options', options)
  const { toolCallId, abortSignal, limits, onEvent } = options
  if (toolCallId !== undefined) expectText('options.toolCallId', toolCallId)
  // By its shape: test environments bring an AbortSignal of their own.
  if (abortSignal !== undefined && !isAbortSignal(abortSignal))
    throw wrongType('options.abortSignal', 'an AbortSignal', abortSignal)
  if (limits !== undefined) checkLimits('options.limits', limits)
  if (onEvent !== undefined) expectFunction('options.onEvent', onEvent)
}

function isAbortSignal(value: unknown): boolean {
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>
  return typeof aborted === 'boolean' && typeof addEventListener === 'function'
}
