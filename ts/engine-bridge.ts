// The native side's part for engines of other languages: the same messages, so that the gate knows no difference.
import type { CodeModeEngine } from './engine.ts'
import { EngineRun } from './engine-run.ts'
import {
  native,
  type Deliver,
  type NativeCheck,
  type NativeCodeMode,
  type NativeDiagnostics,
  type NativeLimits,
  type NativeOptions,
  type NativeSession,
  type NativeStop,
} from './native.ts'
import type { ResolvedLimits } from './limits.ts'

export class EngineBridge implements NativeCodeMode {
  readonly listing: NativeCodeMode['listing']
  readonly names: NativeCodeMode['names']
  readonly #engine: CodeModeEngine
  readonly #options: NativeOptions
  readonly #limits: ResolvedLimits
  readonly #deliver: Deliver
  /** For its catalogue alone: nothing runs there. */
  readonly #catalog: NativeCodeMode
  readonly #runs = new Map<number, EngineRun>()
  /** Programs that were given up and still run. */
  #stuck = 0
  #messages: (number | string)[] = []

  constructor(
    engine: CodeModeEngine,
    options: NativeOptions,
    limits: ResolvedLimits,
    deliver: Deliver,
  ) {
    this.#engine = engine
    this.#options = options
    this.#limits = limits
    this.#deliver = deliver
    this.#catalog = new native.NativeCodeMode(options, () => {})
    this.listing = this.#catalog.listing
    this.names = this.#catalog.names
  }

  start(
    run: number,
    code: string,
    limits: NativeLimits | null,
    _here: boolean,
    session?: NativeSession | null,
  ): null {
    const started = new EngineRun({
      engine: this.#engine,
      tools: this.#options.tools,
      limits: { ...this.#limits, ...(limits ?? this.#options.limits) },
      session: session ?? undefined,
      validate: (tool, input) => this.#catalog.validate(tool, input),
      send: (kind, json) => this.#send(run, kind, json),
      ended: (stuck) => {
        this.#runs.delete(run)
        if (stuck) this.#stuck++
      },
      cameBack: () => void this.#stuck--,
    })
    this.#runs.set(run, started)
    started.begin(code)
    return null
  }

  /** What happens in one turn of the loop is delivered together, never from inside a call of the gate or of the engine. */
  #send(run: number, kind: number, json: string): void {
    if (this.#messages.length === 0) queueMicrotask(this.#flush)
    this.#messages.push(run, kind, json)
  }

  readonly #flush = (): void => {
    const messages = this.#messages
    this.#messages = []
    this.#deliver(messages)
  }

  settle(run: number, replies: string): null {
    this.#runs.get(run)?.settle(replies)
    return null
  }

  /** Nothing is known of the language. */
  check(): NativeCheck {
    return { diagnostics: [], plannedTools: [] }
  }

  signature(tool: number): string {
    return this.#catalog.signature(tool)
  }

  /** There is nothing to turn the loop for: the engine's answers come through it. */
  poll(): null {
    return null
  }

  stop(run: number, reason: NativeStop, message: string): void {
    this.#runs.get(run)?.stop(reason, message)
  }

  pauseClock(run: number): void {
    this.#runs.get(run)?.clock.pause()
  }

  resumeClock(run: number): void {
    this.#runs.get(run)?.clock.resume()
  }

  validate(tool: number, input: string): string | null {
    return this.#catalog.validate(tool, input)
  }

  diagnostics(): NativeDiagnostics {
    return {
      liveRuns: this.#runs.size,
      workerThreads: 0,
      stuckThreads: this.#stuck,
      childProcesses: 0,
      protections: [],
    }
  }

  close(): void {
    for (const run of this.#runs.values()) run.stop('stopped', 'the code mode was closed')
    this.#catalog.close()
  }
}
