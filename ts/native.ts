// The only importer of the native addon, and the hand-written types of what `src/` (Rust) promises.
// A change here goes with the same change in `src/code_mode.rs`, `src/options.rs` or `src/message.rs`.
import binding from '../binding.cjs'

/** One tool as the native side sees it. Schemas are JSON text: they are parsed once, in Rust. */
export interface NativeTool {
  readonly name: string
  readonly description?: string
  /** JSON Schema as JSON text. Absent: any one JSON object. */
  readonly inputSchema?: string
  readonly outputSchema?: string
  /** True: arguments are not checked natively (a Standard Schema validates them in TypeScript). */
  readonly skipValidation?: boolean
}

/** Flat, already validated. Times in milliseconds, sizes in bytes, lengths in UTF-16 code units. */
export interface NativeLimits {
  readonly timeoutMs: number
  readonly cpuTimeoutMs: number
  readonly memoryLimitBytes: number
  readonly stackLimitBytes: number
  readonly maxToolCalls: number
  readonly maxOutputChars: number
  readonly maxSourceChars: number
  readonly maxToolArgChars: number
}

export interface NativeOptions {
  readonly tools: readonly NativeTool[]
  readonly limits: NativeLimits
  readonly typedArrays: boolean
  readonly weakRefs: boolean
  /** The file of the worker: runs happen in processes. The constructor throws a `GenericFailure` where they cannot be isolated. */
  readonly worker?: string
}

/**
 * `[id, tool, input, problem]`: `id` counts from 1 in the order in which the script made the calls, `tool` is an
 * index into `NativeOptions.tools`, `problem` says why the input breaks the tool's JSON Schema (null where it does not).
 */
export type NativeCall = readonly [id: number, tool: number, input: unknown, problem: string | null]

/** Why a run ended without a value; the codes of `FailureCode` that the native side can give. */
export interface NativeFailure {
  readonly code: string
  readonly name: string
  readonly message: string
  readonly line?: number
  readonly column?: number
}

/** `result` is present exactly where the run completed (`undefined` became null). `errorId` is the tool call whose error the script let through. */
export interface NativeEnd {
  readonly result?: unknown
  readonly failure?: NativeFailure
  readonly toolCalls: number
  readonly cpuMs: number
  readonly wallMs: number
  readonly peakMemoryBytes: number
  /** Ids of calls that failed and that the script neither awaited nor caught. */
  readonly unhandled: readonly number[]
  /** Notes for the model that the native side knows of, without the `note: ` in front. */
  readonly notes: readonly string[]
}

/** Kinds of messages; each carries JSON text. */
export const CALLS = 0 // NativeCall[]
export const LOGS = 1 // string[]: console lines, prefix included, in order
export const TEXT = 2 // string[]: what the script gave to text(), in order
export const END = 3 // NativeEnd; nothing follows for that run

/**
 * Called on the JavaScript thread with one flat list: `run, kind, json, run, kind, json, ...` in the order in which things
 * happened. Must not throw.
 */
export type Deliver = (messages: (number | string)[]) => void

export interface NativeDiagnostics {
  readonly liveRuns: number
  readonly workerThreads: number
  readonly stuckThreads: number
  readonly childProcesses: number
  readonly protections: readonly string[]
}

/** Reasons the host may give for stopping a run; the first reason of a run wins, wherever it came from. */
export type NativeStop = 'aborted' | 'stopped' | 'guardrail'

/**
 * One code mode. Holds no reference on the event loop while no run is live.
 * Every method must be called on the JavaScript thread that made the instance.
 */
export interface NativeCodeMode {
  /** Begins a run under a number of the caller's choice, unique in this instance. Its END always comes, and comes later than this call returns. */
  start(run: number, code: string, limits: NativeLimits | null): void
  /**
   * Settles calls, in order. One line per call: `<id>+<json>\n` for a result (`<id>+\n` for undefined), `<id>-<json>\n` for a
   * failure, its JSON a string: the message of the ToolError. Unknown, settled and late ids are ignored.
   */
  settle(run: number, replies: string): void
  /**
   * The messages that `deliver` would get, or null. With `again` nothing calls `deliver` until the next `poll`, which must
   * come soon; a last one without it gives the queue back.
   */
  poll(again: boolean): (number | string)[] | null
  /** Ends the run with a message; no effect on one that has ended. */
  stop(run: number, reason: NativeStop, message: string): void
  /** Stops the wall clock of a run (an approval is pending) and lets it go on. Calls nest. */
  pauseClock(run: number): void
  resumeClock(run: number): void
  /** Checks arguments (JSON text) against a tool's JSON Schema; the problem, or null. */
  validate(tool: number, input: string): string | null
  diagnostics(): NativeDiagnostics
  /** Stops every live run as `stopped` (each still gets its END) and gives back the threads once they ended. Idempotent. */
  close(): void
  /** A block of TypeScript declarations of one value `tools`. */
  readonly signatures: string
  /** For each tool its printed names: the registered one, and an alias that is an identifier where the name is none. */
  readonly names: readonly { readonly name: string; readonly alias: string | null }[]
}

export interface Native {
  readonly NativeCodeMode: new (options: NativeOptions, deliver: Deliver) => NativeCodeMode
  /** Version of the addon and of the engine in it. */
  readonly version: () => string
}

const loaded = binding as Native & {
  readonly loadError?: Error
  readonly workerPath: () => string
}
// The loader leaves the throwing to us: see the end of binding.cjs.
if (loaded.loadError) throw loaded.loadError

export const native: Native = loaded

/** The file of this platform's worker. Throws an error that says what is missing. */
export const workerPath = (): string => loaded.workerPath()
