// createCodeMode(): reads the options, builds the gate and the native instance, and hands out the public object.
import { abortMessage, AbortSignals, isAbortSignal } from './abort-signals.ts'
import type { GatedTool } from './call.ts'
import { toReport } from './check.ts'
import type {
  CheckReport,
  CodeMode,
  CodeModeTool,
  Diagnostics,
  Run,
  RunOptions,
} from './code-mode.ts'
import {
  codeInputSchema,
  describeCatalogue,
  describeEngineTool,
  describeTool,
  engineInputSchema,
  type Described,
} from './description.ts'
import type { CodeModeEngine } from './engine.ts'
import { EngineBridge } from './engine-bridge.ts'
import { CodeModeClosedError, CodeModeError, NotAvailableError } from './errors.ts'
import { EventQueue, joinListeners, type EventListener } from './events.ts'
import { expectFunction, expectObject, expectText, wrongType } from './expect.ts'
import { allEnded, findWorker, withIsolation } from './isolation.ts'
import { cutText } from './json.ts'
import { checkLimits, mergeLimits, resolveLimits, type ResolvedLimits } from './limits.ts'
import { Mailbox } from './mailbox.ts'
import { native, type NativeCodeMode, type NativeEnd, type NativeListing } from './native.ts'
import { readOptions, type CodeModeOptions, type ReadOptions } from './options.ts'
import type { Outcome } from './outcome.ts'
import { describeHostError } from './refusal.ts'
import { freshRunId } from './run-ids.ts'
import { ProgramSession, toPublicSession, type SessionHost } from './program-session.ts'
import { LiveRun } from './run.ts'
import type { RunHost, RunSession } from './run-host.ts'
import * as sentences from './sentences.ts'
import type { Session, SessionOptions } from './session.ts'
import { readSessionOptions } from './session-options.ts'
import { sessionTools, type EngineWriting } from './session-tools.ts'
import { createTelemetry, type Control, type Telemetry } from './telemetry.ts'
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
    signatures: instance.signatures,
    run(code: string, options?: RunOptions): Promise<Outcome> {
      try {
        return instance.begin(code, options, undefined).outcome
      } catch (error) {
        return Promise.reject(error as Error)
      }
    },
    start: (code: string, options?: RunOptions) => instance.start(code, options),
    openSession: (options?: SessionOptions) => instance.openSession(options),
    check: (code: string) => instance.check(code),
    diagnostics: () => instance.diagnostics(),
    close,
    [Symbol.asyncDispose]: close,
  })
}

/** What a run and a program of a session differ in. */
interface Launch {
  readonly limits: ResolvedLimits
  readonly queue: EventQueue | undefined
  readonly session: RunSession | undefined
}

interface Link {
  instance: Instance | undefined
}

// Not in the constructor: a closure made there would hold the instance, and the native side holds the closure.
const deliverTo = (link: Link) => (messages: readonly (number | string)[]) =>
  link.instance?.deliver(messages)

class Instance implements RunHost, SessionHost {
  readonly native: NativeCodeMode
  readonly tools: readonly GatedTool[]
  readonly telemetry: Telemetry | undefined
  readonly signatures: string
  readonly #listing: NativeListing
  readonly tool: CodeModeTool
  readonly modelTools: Record<string, unknown>
  readonly modelTool: string
  readonly #options: ReadOptions
  readonly #limits: ResolvedLimits
  readonly #runs = new Map<number, LiveRun>()
  readonly signals = new AbortSignals()
  readonly #sessions = new Set<ProgramSession>()
  readonly #mailbox: Mailbox
  /** Reachable from the native side only while a run is live: an idle instance can be collected. */
  readonly #link: Link = { instance: undefined }
  /** What the engine of another language says to the model. */
  readonly #writing: EngineWriting | undefined
  #started = 0
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
    const nativeOptions = {
      tools: options.tools.forScripts.map(toNativeTool),
      limits: this.#limits.native,
      typedArrays: options.features.includes('typedArrays'),
      weakRefs: options.features.includes('weakRefs'),
      budgetTokens: options.budgetTokens,
      dialect: options.dialect,
      ...(worker !== undefined && { worker }),
    }
    this.native = options.engine
      ? new EngineBridge(options.engine, nativeOptions, this.#limits, deliverTo(link))
      : withIsolation(worker, () => new native.NativeCodeMode(nativeOptions, deliverTo(link)))
    this.#mailbox = new Mailbox(this.native, this.#runs)
    this.#writing = options.engine && readInstructions(options.engine, this.native)
    this.tools = this.#gateTools()
    this.#listing = this.native.listing
    this.signatures = this.#listing.signatures
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

  #described(): Described {
    const { dialect, exclusive } = this.#options
    const names = new Set(this.tools.map((tool) => tool.name))
    return { listing: this.#listing, dialect, exclusive, names, limits: this.#limits }
  }

  #makeTool(): CodeModeTool {
    return Object.freeze({
      name: this.modelTool,
      description: this.#writing
        ? describeEngineTool(this.#writing.language, this.#writing.instructions, this.#limits)
        : describeTool(this.#described()),
      inputSchema: this.#writing ? engineInputSchema(this.#writing.language) : codeInputSchema,
      execute: async (input: { code: string }, options?: RunOptions) => {
        expectObject('input', input)
        if (typeof input.code !== 'string') throw wrongType('input.code', 'a string', input.code)
        const outcome = await this.begin(input.code, options, undefined).outcome
        if (outcome.status === 'failed') throw new CodeModeError(outcome)
        const { result, logs, toolCalls, artifacts } = outcome
        const media = artifacts.length > 0 ? { artifacts: [...artifacts] } : {}
        return { result, logs: [...logs], toolCalls, ...media }
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
    return this.#launch(code, options, { limits, queue, session: undefined })
  }

  #launch(code: string, options: RunOptions | undefined, launch: Launch): LiveRun {
    const { limits, session, queue } = launch
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
      session,
    })
    this.#runs.set(number, run)
    this.#link.instance = this
    const { maxLiveRuns } = this.#options
    if (signal?.aborted) {
      endUnstarted(run, { code: 'aborted', name: 'AbortError', message: abortMessage(signal) })
      return run
    }
    if (this.#runs.size > maxLiveRuns) {
      const message = sentences.tooManyRuns(maxLiveRuns)
      endUnstarted(run, { code: 'overloaded', name: 'OverloadedError', message })
      return run
    }
    if (signal) this.signals.follow(signal, run)
    try {
      // The first of several runs begins here, the others at the same time on other threads.
      const here = this.#runs.size === 1
      const own = limits === this.#limits ? null : limits.native
      const messages = this.native.start(number, code, own, here, session?.native ?? null)
      if (messages !== null) this.#mailbox.deliverSoon(messages)
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

  check(code: string): CheckReport {
    if (this.#closing) throw new CodeModeClosedError()
    if (typeof code !== 'string') throw wrongType('code', 'a string', code)
    if (this.#options.engine) throw new NotAvailableError('`check` of programs for another engine')
    return toReport(this.native.check(code))
  }

  finished(run: LiveRun): void {
    this.#runs.delete(run.number)
    if (run.signal) this.signals.leave(run.signal, run)
    if (this.#runs.size === 0) this.#link.instance = undefined
  }

  // ---------------------------------------------------------------- sessions

  openSession(options: SessionOptions | undefined): Session {
    if (this.#closing) throw new CodeModeClosedError()
    const session = new ProgramSession(this, readSessionOptions(options, this.#options.limits))
    this.#sessions.add(session)
    return toPublicSession(
      session,
      sessionTools(session, describeCatalogue(this.#described()), this.#writing),
    )
  }

  beginProgram(
    code: string,
    options: RunOptions,
    limits: ResolvedLimits,
    session: RunSession,
  ): LiveRun {
    if (this.#closing) throw new CodeModeClosedError()
    return this.#launch(code, options, { limits, session, queue: undefined })
  }

  beginControl(name: string, toolCallId: string | undefined): Control | undefined {
    return this.telemetry?.beginControl(name, toolCallId)
  }

  sessionClosed(session: ProgramSession): void {
    this.#sessions.delete(session)
  }

  deliver(messages: readonly (number | string)[]): void {
    this.#mailbox.deliver(messages)
  }

  replySoon(run: LiveRun): void {
    this.#mailbox.replySoon(run)
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
    const sessions = [...this.#sessions].map((session) => session.close())
    this.native.close()
    await Promise.allSettled([...live.map((run) => run.outcome), ...sessions])
    if (this.#options.isolation === 'process') await allEnded(this.native)
  }
}

function readInstructions(engine: CodeModeEngine, catalog: NativeCodeMode): EngineWriting {
  const { listing, names } = catalog
  const instructions: unknown = engine.instructions({
    signatures: listing.signatures,
    toolNames: names.map(({ name }) => name),
  })
  if (typeof instructions !== 'string')
    throw wrongType('engine.instructions(catalog)', 'a string', instructions)
  return { language: engine.language, instructions }
}

/** A run whose signal was aborted before it began: nothing ran, nothing was counted. */
function endUnstarted(run: LiveRun, failure: NonNullable<NativeEnd['failure']>): void {
  run.endWith({
    failure,
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
  if (abortSignal !== undefined && !isAbortSignal(abortSignal))
    throw wrongType('options.abortSignal', 'an AbortSignal', abortSignal)
  if (limits !== undefined) checkLimits('options.limits', limits)
  if (onEvent !== undefined) expectFunction('options.onEvent', onEvent)
}
