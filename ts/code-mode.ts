// The object an application holds: its types and nothing else.
import type { CodeModeEvent, RunEvents } from './events.ts'
import type { Json, JsonSchema } from './json.ts'
import type { Limits } from './limits.ts'
import type { Artifact, Outcome } from './outcome.ts'
import type { Session, SessionOptions } from './session.ts'

export interface CodeMode {
  /** The one tool for the model: AI SDK tool shape plus `name`; `inputSchema` is JSON Schema of `{ code: string }`. */
  readonly tool: CodeModeTool
  /** `tool` and, unless `exclusive`, the tools themselves; always those that scripts may not call. */
  readonly modelTools: Record<string, unknown>
  /** The TypeScript declarations that stand in `tool.description`: valid as a `.d.ts`, declaring one value `tools`. */
  readonly signatures: string
  /**
   * Runs one program. Never rejects for what the script did: errors are results.
   * Rejects with a TypeError or RangeError for misuse, a CodeModeClosedError after `close()`, a CodeModeInternalError for a fault of ours.
   */
  run(code: string, options?: RunOptions): Promise<Outcome>
  /** The same, with live events and a handle to stop it. Throws where `run` rejects for misuse or a closed instance. */
  start(code: string, options?: RunOptions): Run
  /**
   * Programs that are watched instead of awaited: exec, wait, stop. Closed with the instance. Throws a TypeError or RangeError for misuse,
   * a CodeModeClosedError after `close()`.
   */
  openSession(options?: SessionOptions): Session
  /**
   * Diagnostics without running anything: syntax, unknown tools, arguments that a schema will refuse, promises nobody awaits, code
   * that is never reached. Takes well under a millisecond for 100 lines. Throws a TypeError where `code` is no string, a
   * CodeModeClosedError after `close()`. `run` itself refuses for syntax alone: a branch that is wrong may never run.
   */
  check(code: string): CheckReport
  /** Live runs, pending calls, worker threads, stuck threads. All zero after `close()`, but for threads that are stuck. */
  diagnostics(): Diagnostics
  /** Stops what runs (outcomes `stopped`), waits for it and frees everything. Idempotent. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface CodeModeTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /**
   * Resolves `{ result, logs, toolCalls }`, with `artifacts` where tools returned media; rejects with a CodeModeError whose message is
   * what the model should read.
   */
  execute(
    input: { code: string },
    options?: RunOptions,
  ): Promise<{ result: Json; logs: string[]; toolCalls: number; artifacts?: Artifact[] }>
}

/** A run that was started. */
export interface Run {
  readonly toolCallId: string
  readonly outcome: Promise<Outcome>
  /** Ends after `run.done`. A slow reader never slows the run; what it missed beyond 10,000 events is counted, not kept. */
  readonly events: RunEvents
  /** Ends the run as `stopped`. Idempotent; a run that completed first stays completed. */
  stop(reason?: string): Promise<Outcome>
}

export interface RunOptions {
  /**
   * The run_code call's id.
   * @default a fresh unguessable id
   */
  readonly toolCallId?: string
  /** Aborting it ends the run as `aborted`; one that is already aborted runs nothing. */
  readonly abortSignal?: AbortSignal
  /** Given to tools, hooks, guardrails, approvals and `getToken` as it is. */
  readonly context?: unknown
  /** Limits of this run; those left out are the instance's. */
  readonly limits?: Partial<Limits>
  /** Called beside the instance's own listener. One that throws changes nothing. */
  readonly onEvent?: (event: CodeModeEvent) => void
}

/** What `check` found. */
export interface CheckReport {
  /** No diagnostic is an error. */
  readonly ok: boolean
  /** At most 100, in order of their places. */
  readonly diagnostics: readonly {
    /** `error`: the program cannot run, or this call will fail when it is reached. `warning`: hardly what was meant. */
    readonly severity: 'error' | 'warning'
    /** One sentence that says what to write instead where that can be told. */
    readonly message: string
    /** 1-based, in the source as it was given. */
    readonly line: number
    /** 1-based, in UTF-16 code units. */
    readonly column: number
  }[]
  /** Tools of this code mode that the program names, by their registered names, in order of first appearance. */
  readonly plannedTools: readonly string[]
}

export interface Diagnostics {
  readonly liveRuns: number
  /** Tool calls of live runs that have not ended, those that wait included. */
  readonly pendingCalls: number
  readonly workerThreads: number
  readonly stuckThreads: number
  /** Protections in force in process isolation (`landlock`, `seccomp`, `netns`, ...); empty in thread isolation. */
  readonly protections: readonly string[]
  readonly childProcesses: number
}
