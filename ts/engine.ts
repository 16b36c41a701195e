// Engines of other languages: their contract.
import type { Json } from './json.ts'
import type { Limits } from './limits.ts'
import type { RunFailure } from './outcome.ts'

/**
 * Another language behind the same gate. What the host does for every engine: the gate, numbers and limits of calls, limits of source,
 * arguments, output and wall time, events, records, artifacts, sessions. What an engine does itself: parse and run the program in a
 * sandbox of its own, within CPU time, memory and stack, and end at once when the signal is aborted.
 */
export interface CodeModeEngine {
  /** As a model would name it: `JavaScript`, `Python`. */
  readonly language: string
  /**
   * For logs and errors.
   * @default the language
   */
  readonly name?: string
  /** The part of the tool description that tells the model how to write programs. `signatures` are TypeScript declarations of the tools. */
  instructions(catalog: {
    readonly signatures: string
    readonly toolNames: readonly string[]
  }): string
  /** Called once for each program, so that programs share nothing. An engine that keeps interpreters warm keeps them in itself. */
  openSession(host: EngineHost): EngineSession
}

/** All that an engine can reach of the host. */
export interface EngineHost {
  /**
   * Calls a tool by name; goes through the whole gate. Rejects with the error that the program should see: an Error named `ToolError`
   * with the message for the program, a TypeError for an unknown tool or arguments that are not JSON. Resolves undefined where the tool
   * gave nothing. Rejects with a `StopError` that no program may catch once the run is over: `abortSignal` is aborted then.
   */
  callTool(name: string, input: Json): Promise<Json>
  /** A console line. Prefix those of a warning with `warn: `, of an error with `error: `. */
  log(line: string): void
  /** What the program gave to `text()`, or what its language has in its place. */
  text(line: string): void
  /** Every default filled in. Where no tool call has a clock of its own, `toolTimeoutMs` is `timeoutMs`. */
  readonly limits: Limits
  /** Aborted when the program has to end: a limit, stop, close, the caller's signal. */
  readonly abortSignal: AbortSignal
  /** The tools a program may call. */
  readonly tools: readonly { readonly name: string; readonly description?: string }[]
  /** Present in sessions only. */
  readonly session?: EngineSessionHost
}

/** What a program of a session may use beside the rest. */
export interface EngineSessionHost {
  /** What earlier programs stored. */
  readonly values: ReadonlyMap<string, Json>
  readonly maxStoreChars: number
  /** Keeps a value for later programs, or removes it. Throws a RangeError over `maxStoreChars`, a TypeError for what is not JSON. */
  store(key: string, value: Json | undefined): void
  /** Shows the output so far to whoever watches. */
  yieldControl(): void
}

export interface EngineSession {
  /**
   * Runs one program to its end. Must honour the signal and the limits; must not throw for what the program did. Where it does throw, the
   * run fails as `internal`; where it does not come back within 250 ms of the signal, the run ends without it.
   */
  execute(
    code: string,
  ): Promise<
    | { readonly status: 'completed'; readonly result: Json }
    | { readonly status: 'failed'; readonly error: Omit<RunFailure, 'modelText'> }
  >
  /** Frees what the program left. A rejection is a failed cleanup: a session of the host can then not be used further. */
  close(): Promise<void>
}
