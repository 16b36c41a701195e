// A session: one program at a time, one operation at a time, and who wins where two things happen at once.
//
// - A program that ended before stop, close or an abort reached it stays what it is; else it is `terminated`.
// - The end of a program is told once, by the first operation that sees it; the next one finds no program.
// - Of two operations the first one goes on, the second is refused; only close goes on beside another one, which then tells
//   the program's end.
// - The life of a program ends whether or not somebody watches; a later wait tells it at once.
import { abortMessage, type AbortSignals, type Abortable } from './abort-signals.ts'
import { ArtifactShelf } from './artifacts.ts'
import type { RunOptions } from './code-mode.ts'
import { SessionError } from './errors.ts'
import { wrongType } from './expect.ts'
import type { ResolvedLimits } from './limits.ts'
import type { NativeStop, NativeStored } from './native.ts'
import type { LiveRun } from './run.ts'
import type { RunSession } from './run-host.ts'
import * as sentences from './sentences.ts'
import type { ControlOptions, ProgramResult, Session, SessionTool } from './session.ts'
import { checkControlOptions, type ReadSessionOptions } from './session-options.ts'
import { Program } from './session-program.ts'
import type { Control } from './telemetry.ts'

/** What a session needs from the instance it belongs to. */
export interface SessionHost {
  readonly signals: AbortSignals
  beginProgram(
    code: string,
    options: RunOptions,
    limits: ResolvedLimits,
    session: RunSession,
  ): LiveRun
  /** Work inside the span of a control operation; undefined where nobody records. */
  beginControl(name: string, toolCallId: string | undefined): Control | undefined
  /** The session is closed, cleanly or not. */
  sessionClosed(session: ProgramSession): void
}

export type ControlName = 'exec' | 'wait' | 'stop'

export class ProgramSession implements Abortable {
  readonly options: ReadSessionOptions
  readonly #host: SessionHost
  readonly #shelf: ArtifactShelf
  readonly #store = new Map<string, string>()
  #started = 0
  /** The operation in progress. */
  #busy: ControlName | undefined
  /** The one whose end nobody was told yet. */
  #program: Program | undefined
  /** Why nothing works any more. */
  #over: SessionError | undefined
  #closing: Promise<void> | undefined

  constructor(host: SessionHost, options: ReadSessionOptions) {
    this.#host = host
    this.options = options
    this.#shelf = new ArtifactShelf(options.limits.maxArtifactBytes)
    const { abortSignal } = options
    if (abortSignal?.aborted) this.abortedBy(abortSignal)
    else if (abortSignal) host.signals.follow(abortSignal, this)
  }

  // ---------------------------------------------------------------- the operations

  exec(code: string, options?: ControlOptions): Promise<ProgramResult> {
    return this.#operate('exec', options, () => {
      if (typeof code !== 'string') throw wrongType('code', 'a string', code)
      if (this.#program) throw new SessionError('program_active', sentences.programActive)
      const { maxPrograms, observeMs } = this.options
      if (this.#started >= maxPrograms)
        throw new SessionError('program_limit', sentences.tooManyPrograms(maxPrograms))
      this.#started++
      const program = this.#start(code, options)
      this.#program = program
      return this.#observe(program, observeMs, options)
    })
  }

  wait(options?: ControlOptions): Promise<ProgramResult> {
    return this.#operate('wait', options, () =>
      this.#observe(this.#active('wait'), this.options.observeMs, options),
    )
  }

  stop(options?: ControlOptions): Promise<ProgramResult> {
    return this.#operate('stop', options, () => {
      const program = this.#active('stop')
      program.stop('stopped', sentences.runStopped)
      return program.ended.then(() => this.#tell(program))
    })
  }

  /** Refuses at once, or holds the session for one operation. What `work` throws before it waits is a refusal too. */
  async #operate(
    name: ControlName,
    options: ControlOptions | undefined,
    work: () => Promise<ProgramResult>,
  ): Promise<ProgramResult> {
    if (this.#over) throw this.#over
    if (this.#busy) throw new SessionError('busy', sentences.sessionBusy(name, this.#busy))
    checkControlOptions(options)
    this.#busy = name
    const control = this.#host.beginControl(name, options?.toolCallId)
    try {
      const result = await (control ? control.within(work) : work())
      control?.end(result.status)
      return result
    } catch (error) {
      control?.end('refused')
      throw error
    } finally {
      this.#busy = undefined
    }
  }

  #active(asked: ControlName): Program {
    if (this.#program) return this.#program
    throw new SessionError('no_program', sentences.nothingActive(asked))
  }

  async #observe(
    program: Program,
    ms: number,
    options: ControlOptions | undefined,
  ): Promise<ProgramResult> {
    const signal = options?.abortSignal
    if (signal?.aborted) program.abortedBy(signal)
    else if (signal) this.#host.signals.follow(signal, program)
    await program.watch(ms)
    if (signal) this.#host.signals.leave(signal, program)
    // Whoever ends a program also waits for what it had started.
    if (signal?.aborted || this.#closing) await program.ended
    return this.#tell(program)
  }

  #tell(program: Program): ProgramResult {
    try {
      const result = program.tell(this.#closing !== undefined)
      if (result.status !== 'still_working') this.#forget(program)
      return result
    } catch (fault) {
      this.#forget(program)
      throw fault
    }
  }

  #forget(program: Program): void {
    if (this.#program === program) this.#program = undefined
  }

  // ---------------------------------------------------------------- a program

  #start(code: string, options: ControlOptions | undefined): Program {
    const { limits, context, onEvent, maxChunkChars } = this.options
    const runOptions: RunOptions = {
      context,
      ...(onEvent ? { onEvent } : {}),
      ...(options?.toolCallId === undefined ? {} : { toolCallId: options.toolCallId }),
      ...(options?.abortSignal?.aborted ? { abortSignal: options.abortSignal } : {}),
    }
    const program = new Program(maxChunkChars, (watching) =>
      this.#host.beginProgram(code, runOptions, limits, this.#share(watching)),
    )
    void program.ended.then(() => this.#afterEnd(program))
    return program
  }

  #share(program: Program): RunSession {
    const { counter, limits, maxStoreChars } = this.options
    return {
      native: { values: JSON.stringify([...this.#store]), maxStoreChars },
      shelf: this.#shelf,
      countCall() {
        if (counter.made >= limits.maxToolCalls) return false
        counter.made++
        return true
      },
      said: (line) => program.said(line),
      yielded: () => program.yielded(),
      stored: (changes) => this.#remember(changes),
    }
  }

  #remember(changes: readonly NativeStored[]): void {
    for (const [key, json] of changes) {
      if (json === null) this.#store.delete(key)
      else this.#store.set(key, json)
    }
  }

  /** What outlives its program's cleanup: nothing can be promised of the session any more. */
  #afterEnd(program: Program): void {
    const { leftovers } = program
    if (leftovers !== undefined) this.#poison(`: ${leftovers}`)
  }

  #poison(detail: string): SessionError {
    const message = sentences.cleanupFailed(this.options.cleanupMs, detail)
    return (this.#over = new SessionError('cleanup_failed', message))
  }

  // ---------------------------------------------------------------- the end

  abortedBy(signal: AbortSignal): void {
    // Whoever calls `close()` later is told of a failed cleanup.
    this.#end('aborted', abortMessage(signal), sentences.ownerAborted).catch(() => {})
  }

  close(): Promise<void> {
    return this.#end('stopped', sentences.sessionClosed, sentences.sessionIsClosed)
  }

  #end(reason: NativeStop, message: string, refusal: string): Promise<void> {
    return (this.#closing ??= this.#close(reason, message, refusal))
  }

  async #close(reason: NativeStop, message: string, refusal: string): Promise<void> {
    const poisoned = this.#over
    this.#over ??= new SessionError('closed', refusal)
    const program = this.#program
    program?.stop(reason, message)
    if (program && !(await this.#inTime(program.ended)))
      this.#poison(': the program and its tools did not end')
    if (this.options.abortSignal) this.#host.signals.leave(this.options.abortSignal, this)
    // An operation in progress still has to tell the program's end.
    if (!this.#busy) this.#program = undefined
    this.#store.clear()
    this.#host.sessionClosed(this)
    const failure = poisoned ?? this.#over
    if (failure?.code === 'cleanup_failed') throw failure
  }

  async #inTime(work: Promise<void>): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, this.options.cleanupMs, false)
    })
    const inTime = await Promise.race([work.then(() => true), late])
    clearTimeout(timer)
    return inTime
  }
}

/** The public object: its methods need no `this`. */
export function toPublicSession(session: ProgramSession, tools: readonly SessionTool[]): Session {
  const close = () => session.close()
  return Object.freeze({
    exec: (code: string, options?: ControlOptions) => session.exec(code, options),
    wait: (options?: ControlOptions) => session.wait(options),
    stop: (options?: ControlOptions) => session.stop(options),
    tools,
    close,
    [Symbol.asyncDispose]: close,
  })
}
