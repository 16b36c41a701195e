// Sessions (exec, wait, stop): their contract.
import type { CodeModeEvent } from './events.ts'
import type { Json, JsonSchema } from './json.ts'
import type { Limits } from './limits.ts'
import type { Artifact, RunFailure } from './outcome.ts'

export interface SessionOptions {
  /**
   * How many milliseconds exec and wait watch a program, at most: they return as soon as it ends.
   * @default 60_000
   */
  readonly observeMs?: number
  /**
   * Total life of one program in milliseconds, from its exec; waiting never extends it. It takes the place of `limits.timeoutMs`.
   * @default 3_600_000
   */
  readonly wallMs?: number
  /**
   * Programs per session; the exec after that is refused.
   * @default 16
   */
  readonly maxPrograms?: number
  /**
   * Milliseconds for cleanup before it counts as failed: `close()` rejects, the session is of no further use. It takes the place of
   * `limits.abortGraceMs`, and its clock starts when a program ended or `close()` was called.
   * @default 5_000
   */
  readonly cleanupMs?: number
  /**
   * Characters of output in one result; what is over it comes with the next wait.
   * @default 20_000
   */
  readonly maxChunkChars?: number
  /**
   * Characters of all keys and values (as JSON) that programs may `store()`.
   * @default 1_000_000
   */
  readonly maxStoreChars?: number
  /**
   * Limits of the programs; those left out are the instance's. `maxToolCalls` counts over the whole session, every other one per
   * program. `timeoutMs` and `abortGraceMs` have no effect: see `wallMs` and `cleanupMs`.
   */
  readonly limits?: Partial<Limits>
  /**
   * A counter that the host shares between sessions and the calls a model makes directly: each tool call of a program adds one,
   * and none is made once it is at `limits.maxToolCalls`.
   * @default one of the session's own
   */
  readonly toolCallCounter?: ToolCallCounter
  /** The owner's: aborting it closes the session, its program ends as `terminated`. */
  readonly abortSignal?: AbortSignal
  /** Given to tools, hooks, guardrails, approvals and `getToken` as it is. */
  readonly context?: unknown
  /** Called beside the instance's own listener, with the events of every program. exec, wait and stop have no events. */
  readonly onEvent?: (event: CodeModeEvent) => void
}

/** Tool calls made so far, by whoever shares it. */
export interface ToolCallCounter {
  made: number
}

export interface ProgramResult {
  /**
   * `still_working`: call wait for more. The others are final: `completed` with `value`; `error` where the program failed or went over
   * a limit, its life among them; `terminated` where stop, close or an abort ended it.
   */
  readonly status: 'still_working' | 'completed' | 'error' | 'terminated'
  /** Only what was produced since the previous exec or wait: console lines and `text()`, in order, each with a line end. */
  readonly output: string
  readonly value?: Json
  readonly error?: RunFailure
  /** Images, files and other media that tools returned: once, with the result that ends or observes the program. */
  readonly artifacts?: readonly Artifact[]
}

/** Of one exec, wait or stop. */
export interface ControlOptions {
  /** Id of the model's call. That of exec is the program's: its tool calls are `<id>:<n>`. */
  readonly toolCallId?: string
  /** Of the surrounding call. Aborting it while the operation is in progress ends the program as `terminated`. */
  readonly abortSignal?: AbortSignal
}

/** A control of a session as a tool for the model, same shape as `CodeMode.tool`. */
export interface SessionTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /** exec takes `{ code: string }`, wait and stop take `{}`. Rejects as the session's method does. */
  // eslint-disable-next-line typescript/no-explicit-any -- exec, wait and stop take different arguments
  execute(input: any, options?: ControlOptions): Promise<ProgramResult>
}

/**
 * Programs that are watched instead of awaited, one at a time. One operation at a time: a second one is refused at once with a
 * SessionError, `close()` is not. Every operation rejects with a SessionError where it cannot be done, with a TypeError for misuse.
 */
export interface Session {
  /** Starts a program. Resolves when it ended, called `yield_control()`, filled a chunk of output, or after `observeMs`. */
  exec(code: string, options?: ControlOptions): Promise<ProgramResult>
  /** Watches the program again, as exec does. At once where it ended meanwhile. */
  wait(options?: ControlOptions): Promise<ProgramResult>
  /** Ends the program and resolves once its tools settled. A program that ended first stays what it is. */
  stop(options?: ControlOptions): Promise<ProgramResult>
  /** exec, wait and stop as tools for the model. They do not count as tool calls. */
  readonly tools: readonly SessionTool[]
  /**
   * Ends the program, waits for its tools, and frees everything. Rejects with a SessionError (`cleanup_failed`) where that took longer
   * than `cleanupMs`. Idempotent: the same promise each time.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
