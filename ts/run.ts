// One run: answers the messages of the native side, keeps the calls, ends with one outcome. What may run is the gate's business.
import { AsyncResource } from 'node:async_hooks'
import { abortMessage, type Abortable } from './abort-signals.ts'
import { ArtifactShelf } from './artifacts.ts'
import { aboutCall, callEnded } from './call-events.ts'
import { Call, type CallOwner } from './call.ts'
import { CodeModeInternalError } from './errors.ts'
import type { EventListener } from './events.ts'
import { parseJson, type Json } from './json.ts'
import type { ResolvedLimits } from './limits.ts'
import {
  CALLS,
  END,
  LOGS,
  STORED,
  TEXT,
  YIELDED,
  type NativeCall,
  type NativeDiagnostic,
  type NativeEnd,
  type NativeStop,
  type NativeStored,
} from './native.ts'
import type { Artifact, Outcome } from './outcome.ts'
import { buildOutcome } from './outcome-builder.ts'
import type { PermissionAction } from './permissions.ts'
import { Redactor } from './redaction.ts'
import type { Refusal } from './refusal.ts'
import { asTimeout, RunClock } from './run-clock.ts'
import type { RunHost, RunRequest, RunSession } from './run-host.ts'
import * as sentences from './sentences.ts'
import { Slots } from './slots.ts'
import type { RunTrace } from './telemetry.ts'
import { fakeTimers } from './timers.ts'
import { advance, lookUp } from './tool-gate.ts'

const runEnded = () => new DOMException('The run has ended', 'AbortError')

export class LiveRun implements CallOwner, Abortable {
  readonly startedAt = performance.now()
  readonly number: number
  readonly id: string
  readonly code: string
  readonly context: unknown
  readonly limits: ResolvedLimits
  readonly signal: AbortSignal | undefined
  readonly slots: Slots
  readonly outcome: Promise<Outcome>
  readonly calls: Call[] = []
  readonly logs: string[] = []
  readonly text: string[] = []
  readonly artifacts: Artifact[] = []
  readonly session: RunSession | undefined
  /** Calls whose tool still worked when the run had waited `abortGraceMs` for it. */
  abandoned: readonly Call[] = []
  /** What else was not cleaned up. */
  unclean: string | undefined
  /** Where the caller was: its async context is the tools' too. */
  readonly scope = new AsyncResource('CodeModeRun', { requireManualDestroy: true })
  over = false
  redactor: Redactor | undefined
  liveCalls = 0
  readonly #host: RunHost
  readonly #listener: EventListener | undefined
  readonly #trace: RunTrace | undefined
  readonly #notes: string[] = []
  #replies = ''
  #shelf: ArtifactShelf | undefined
  /** Only where a test put a fake clock in place: the engine keeps the real one. */
  #fakeClock: RunClock | undefined
  #expired = false
  #grace: NodeJS.Timeout | undefined
  #end: NativeEnd | undefined
  /** Calls that had not ended when the run did. */
  #open: readonly Call[] = []
  #done = false
  #resolve!: (outcome: Outcome) => void
  #reject!: (error: Error) => void

  constructor(host: RunHost, request: RunRequest) {
    this.#host = host
    this.number = request.number
    this.id = request.id
    this.code = request.code
    this.context = request.context
    this.limits = request.limits
    this.signal = request.signal
    this.#listener = request.listener
    this.session = request.session
    this.#shelf = request.session?.shelf
    this.slots = new Slots(request.limits.toolConcurrency, advance)
    this.#trace = host.telemetry?.beginRun(request.id, request.code)
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    if (fakeTimers()) this.#fakeClock = new RunClock(this.limits.timeoutMs, () => this.#expire())
    this.#listener?.({ type: 'run.start', toolCallId: this.id, code: this.code })
  }

  get modelTool(): string {
    return this.#host.modelTool
  }

  get listening(): boolean {
    return this.#listener !== undefined
  }

  // ---------------------------------------------------------------- messages of the native side

  /** Never throws: what goes wrong here is a fault of ours and ends the run. */
  receive(kind: number, json: string): void {
    try {
      const message = parseJson(json)
      if (kind === CALLS) this.#admit(message as NativeCall[])
      else if (kind === LOGS) this.#log(message as string[])
      else if (kind === TEXT) this.#say(message as string[])
      else if (kind === END) this.endWith(message as NativeEnd)
      else if (kind === STORED) this.session?.stored(message as NativeStored[])
      else if (kind === YIELDED) this.session?.yielded()
      else throw new RangeError(`There is no message ${kind}`)
    } catch (error) {
      this.fail(error)
    }
  }

  #admit(batch: readonly NativeCall[]): void {
    // By index: taking an array apart by its iterator costs as much as the rest of this loop.
    for (const made of batch) {
      if (this.session?.countCall() === false) return this.#tooManyCalls()
      const tool = lookUp(this.#host.tools, made[1])
      const call = new Call(this, made[0], tool, made[2] as Json, made[3])
      this.calls.push(call)
      this.liveCalls++
      call.trace = this.#trace?.beginCall(call)
      if (this.#listener)
        this.#listener({ type: 'tool.start', ...aboutCall(call), input: call.shownInput })
      advance(call)
    }
  }

  /** More than the session may make: the rest of them are not made at all. */
  #tooManyCalls(): void {
    this.stop('tool_call_limit', sentences.sessionCallLimit(this.limits.maxToolCalls))
  }

  #log(lines: readonly string[]): void {
    for (const line of lines) {
      const clean = this.redactor ? this.redactor.text(line) : line
      this.logs.push(clean)
      this.session?.said(clean)
      this.#listener?.({ type: 'run.log', toolCallId: this.id, line: clean })
    }
  }

  #say(parts: readonly string[]): void {
    for (const part of parts) {
      const clean = this.redactor ? this.redactor.text(part) : part
      this.text.push(clean)
      this.session?.said(clean)
    }
  }

  /** The script is over: calls it left are aborted and awaited, but for the grace. */
  endWith(end: NativeEnd): void {
    if (this.#end) return
    this.over = true
    this.#end = this.#expired ? asTimeout(end, this.limits.timeoutMs) : end
    this.unclean = end.unclean
    if (this.liveCalls > 0) {
      if (this.#open.length === 0) this.#open = this.calls.filter((call) => !call.ended)
      this.#cancelOpen()
    }
    if (this.liveCalls === 0) return this.#complete()
    this.#grace = setTimeout(() => this.#abandon(), this.limits.abortGraceMs)
  }

  // ---------------------------------------------------------------- stopping

  abortedBy(signal: AbortSignal): void {
    this.stop('aborted', abortMessage(signal))
  }

  /** Ends the run; one that has ended stays what it is. */
  stop(reason: NativeStop, message: string): void {
    if (this.over) return
    this.over = true
    this.#open = this.calls.filter((call) => !call.ended)
    this.#host.native.stop(this.number, reason, message)
    this.#cancelOpen()
  }

  #expire(): void {
    this.#expired = !this.over
    this.stop('stopped', sentences.runTimedOut(this.limits.timeoutMs))
  }

  /** Signals first, all of them; then the calls whose tool is not running end at once. */
  #cancelOpen(): void {
    const open = this.calls.filter((call) => !call.ended)
    for (const call of open) call.abort(runEnded)
    for (const call of open)
      if (!call.ended && !call.executing) this.cancel(call, sentences.endedBefore)
  }

  #abandon(): void {
    const message = sentences.abandoned(this.limits.abortGraceMs)
    this.abandoned = this.calls.filter((call) => !call.ended)
    for (const call of this.abandoned) this.cancel(call, message)
  }

  /** A fault of ours: the run is given up, its promise rejects. */
  fail(error: unknown): void {
    if (this.#done) return
    this.#done = true
    this.stop('stopped', 'internal fault')
    for (const call of this.calls) if (!call.ended) this.cancel(call, sentences.endedBefore)
    this.#close()
    this.#reject(new CodeModeInternalError('The run failed inside the package', { cause: error }))
  }

  // ---------------------------------------------------------------- what the gate asks for

  get shelf(): ArtifactShelf {
    return (this.#shelf ??= new ArtifactShelf(this.limits.maxArtifactBytes))
  }

  get keepsArtifacts(): boolean {
    return this.#shelf !== undefined
  }

  handOut(token: string): void {
    this.redactor ??= new Redactor()
    this.redactor.add(token)
  }

  pauseClock(): void {
    if (this.over) return
    this.#host.native.pauseClock(this.number)
    this.#fakeClock?.pause()
  }

  resumeClock(): void {
    if (this.over) return
    this.#host.native.resumeClock(this.number)
    this.#fakeClock?.resume()
  }

  note(line: string): void {
    if (!this.#notes.includes(line)) this.#notes.push(line)
  }

  reportPartial(call: Call, json: string | undefined): void {
    const partial = (json === undefined ? null : parseJson(json)) as Json
    this.#listener?.({ type: 'tool.partial', ...aboutCall(call), partial })
  }

  reportDecision(call: Call, action: PermissionAction, reason: string): void {
    if (!this.#listener) return
    this.#listener({ type: 'permission.decision', ...aboutCall(call), action, reason })
  }

  reportHostFault(error: unknown): void {
    this.#host.warn('a function of the host failed', error)
  }

  succeed(call: Call): void {
    if (call.ended) return
    this.#endCall(call, 'done', undefined)
    this.#reply(call, '+', call.text ?? '')
  }

  refuse(call: Call, refusal: Refusal): void {
    if (call.ended) return
    const { message, status, hostError, blocksRun } = refusal
    if (hostError !== undefined) {
      call.trace?.fault(hostError)
      if (!this.#listener) this.reportHostFault(hostError)
    }
    this.#endCall(call, status, message, hostError)
    if (blocksRun === undefined) this.#reply(call, '-', JSON.stringify(message))
    else this.stop('guardrail', blocksRun)
  }

  cancel(call: Call, how: string): void {
    if (!call.ended) this.#endCall(call, 'cancelled', how)
    if (this.#end && this.liveCalls === 0) this.#complete()
  }

  #endCall(
    call: Call,
    status: Call['status'],
    error: string | undefined,
    hostError?: unknown,
  ): void {
    call.ended = true
    if (this.#shelf) {
      const kept = this.#shelf.settle(call, status === 'done' ? call.text : undefined)
      this.artifacts.push(...kept)
    }
    call.status = status
    call.error = error
    call.durationMs = performance.now() - call.startedAt
    // The record needs neither; what a tool keeps of its arguments is its own.
    call.args = call.value = undefined
    this.liveCalls--
    if (call.timer !== undefined) clearTimeout(call.timer)
    call.trace?.end(call)
    this.#host.telemetry?.countCall(call)
    if (this.#listener) this.#listener(callEnded(call, hostError))
  }

  #reply(call: Call, sign: '+' | '-', json: string): void {
    if (!this.over) {
      if (this.#replies === '') this.#host.replySoon(this)
      this.#replies += `${call.number}${sign}${json}\n`
    }
    this.slots.release(call)
  }

  /** With `here` the script may go on on this thread; gives the messages that came of it. */
  sendReplies(here: boolean): (number | string)[] | null {
    const replies = this.#replies
    this.#replies = ''
    if (replies === '' || this.over) return null
    try {
      return this.#host.native.settle(this.number, replies, here)
    } catch (error) {
      this.fail(error)
      return null
    }
  }

  // ---------------------------------------------------------------- the end

  findings(): readonly NativeDiagnostic[] {
    return this.#host.native.check(this.code).diagnostics
  }

  signature(tool: number): string {
    return this.#host.native.signature(tool)
  }

  #complete(): void {
    if (this.#done || this.#end === undefined) return
    this.#done = true
    let outcome: Outcome
    try {
      outcome = buildOutcome(this, this.#end, this.#open, this.#notes)
      this.#addNotes(outcome.logs)
      this.#listener?.({ type: 'run.done', toolCallId: this.id, outcome })
      this.#trace?.end(outcome)
      this.#host.telemetry?.countRun(outcome)
    } catch (error) {
      this.#done = false
      return this.fail(error)
    }
    this.#close()
    this.#resolve(outcome)
  }

  /** Notes follow the lines that the program has said. */
  #addNotes(lines: readonly string[]): void {
    for (let i = this.logs.length; i < lines.length; i++) {
      const line = lines[i] as string
      this.#listener?.({ type: 'run.log', toolCallId: this.id, line })
      this.session?.said(line)
    }
  }

  #close(): void {
    if (this.#grace !== undefined) clearTimeout(this.#grace)
    this.#fakeClock?.stop()
    this.scope.emitDestroy()
    this.#host.finished(this)
  }
}
