// The only importer of the native addon, and the hand-written types of what `src/` (Rust) promises.
// A change here goes with the same change in `src/code_mode.rs`, `src/options.rs` or `src/message.rs`.
import binding from '../binding.cjs'
import type { Dialect } from './dialect.ts'

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
  /** Tokens of declarations that `listing` may have, by the native side's own count. */
  readonly budgetTokens: number
  readonly dialect: Dialect
  /** The file of the worker: runs happen in processes. The constructor throws a `GenericFailure` where they cannot be isolated. */
  readonly worker?: string
}

/** What of the catalogue is spelled out. */
export interface NativeListing {
  /** A block of TypeScript declarations of the listed tools. */
  readonly signatures: string
  readonly listed: number
  readonly total: number
  /** Namespaces of the tools that are not listed, largest number first; the empty one is of names without any. */
  readonly omitted: readonly { readonly namespace: string; readonly tools: number }[]
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
  /** What was not cleaned up, in words for the host. */
  readonly unclean?: string
}

/** Kinds of messages; each carries JSON text. */
export const CALLS = 0 // NativeCall[]
export const LOGS = 1 // string[]: console lines, prefix included, in order
export const TEXT = 2 // string[]: what the script gave to text(), in order
export const END = 3 // NativeEnd; nothing follows for that run
export const STORED = 4 // NativeStored[]: what a program of a session stored, in order
export const YIELDED = 5 // null: a program of a session called yield_control()

/** A key and its JSON text; null where the key was removed. */
export type NativeStored = readonly [key: string, json: string | null]

/** What a program of a session finds. */
export interface NativeSession {
  /** `[key, JSON text][]` as JSON text. */
  readonly values: string
  /** Characters of all keys and values. */
  readonly maxStoreChars: number
}

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
export type NativeStop = 'aborted' | 'stopped' | 'guardrail' | 'tool_call_limit'

/** One finding about a program that was not run; `error` is false for a warning. `tool` is an index: for an unknown name the nearest tool. */
export interface NativeDiagnostic {
  readonly error: boolean
  readonly message: string
  readonly line: number
  readonly column: number
  readonly tool?: number
}

export interface NativeCheck {
  readonly diagnostics: readonly NativeDiagnostic[]
  /** Registered names, each once, in order of first appearance. */
  readonly plannedTools: readonly string[]
}

/**
 * One code mode. Holds no reference on the event loop while no run is live.
 * Every method must be called on the JavaScript thread that made the instance.
 */
export interface NativeCodeMode {
  /**
   * Begins a run under a number of the caller's choice, unique in this instance. Its END always comes, and comes later than
   * this call returns, or with it: with `here` a short program may begin on this thread, and what `deliver` would get by
   * then is returned.
   */
  start(
    run: number,
    code: string,
    limits: NativeLimits | null,
    here: boolean,
    session?: NativeSession | null,
  ): (number | string)[] | null
  /**
   * Settles calls, in order. One line per call: `<id>+<json>\n` for a result (`<id>+\n` for undefined), `<id>-<json>\n` for a
   * failure, its JSON a string: the message of the ToolError. Unknown, settled and late ids are ignored.
   * With `here` the script may go on for a moment on this thread, and what `deliver` would get by then is returned.
   */
  settle(run: number, replies: string, here: boolean): (number | string)[] | null
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
  /** Looks at a program without running it: some microseconds a line. */
  check(code: string): NativeCheck
  /** A tool's declaration, with its comments and the types it needs. */
  signature(tool: number): string
  diagnostics(): NativeDiagnostics
  /** Stops every live run as `stopped` (each still gets its END) and gives back the threads once they ended. Idempotent. */
  close(): void
  /** Made anew each time it is read. */
  readonly listing: NativeListing
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
