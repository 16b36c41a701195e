// Outcomes: how a run ended, as plain data.
import type { Json } from './json.ts'

/** One tool call of a run. */
export interface CallRecord {
  readonly toolCallId: string
  readonly toolName: string
  /** The arguments the script gave. */
  readonly input: Json
  /** `cancelled`: the run ended first. `denied`: a hook, a rule, a guardrail or an approval said no. */
  readonly status: 'done' | 'error' | 'denied' | 'cancelled' | 'pending'
  /** What the script got; absent where the tool gave `undefined`. */
  readonly result?: Json
  /** The message the script got; for a cancelled call, what became of it. */
  readonly error?: string
  /** Milliseconds from the moment the host asked for the run to the moment the script made the call. Every run sets it. */
  readonly startedMs?: number
  /** Milliseconds from the moment the script made the call, waits for a slot and for approval included. */
  readonly durationMs: number
  /** Milliseconds of `durationMs` that the call waited for somebody's approval; absent where nobody was asked. */
  readonly approvalMs?: number
}

export interface OutcomeBase {
  /** Console lines (`warn: ` and `error: ` in front of those levels) and notes of ours for the model (`note: ` in front). */
  readonly logs: readonly string[]
  /** What the script gave to `text()`, in order. */
  readonly text: readonly string[]
  /** Media that tools returned, whose bytes the script saw only as references, in the order in which the calls succeeded. */
  readonly artifacts: readonly Artifact[]
  /**
   * How many tool calls the script made: those refused by a schema or the gate count; arguments that are not JSON (a TypeError in the script),
   * unknown tools (a catchable TypeError that names the nearest tool, never refused before the run) and the call over the limit do not.
   */
  readonly toolCalls: number
  /** One record per tool call, in the order in which the script made them. */
  readonly calls: readonly CallRecord[]
  /** Milliseconds of wall and CPU time, and the most bytes the script's heap held. */
  readonly stats: {
    readonly wallMs: number
    readonly cpuMs: number
    readonly peakMemoryBytes: number
  }
}

/** Media from a tool result. Its JSON has the number of bytes in the place of the bytes. */
export interface Artifact {
  /** What the script knows it by, in `{ artifact: id, mediaType, bytes, name }`. */
  readonly id: string
  readonly mediaType: string
  readonly name?: string
  readonly bytes: Uint8Array
  /** The call whose result it came with. */
  readonly toolCallId: string
}

export interface Completed extends OutcomeBase {
  readonly status: 'completed'
  /** What the script returned; `undefined` became null. */
  readonly result: Json
}

export interface Failed extends OutcomeBase {
  readonly status: 'failed'
  readonly error: RunFailure
}

export type Outcome = Completed | Failed

export type FailureCode =
  | 'script_error' // the script threw, or waits for what nothing can settle
  | 'syntax_error' // it never started
  | 'timeout'
  | 'cpu_timeout'
  | 'memory_limit'
  | 'tool_call_limit'
  | 'output_limit'
  | 'source_limit'
  | 'not_serializable' // the return value is not JSON
  | 'aborted'
  | 'stopped'
  | 'guardrail'
  | 'overloaded' // queue full, or too many stuck threads; nothing ran
  | 'crashed' // the isolated process died
  | 'internal'

export interface RunFailure {
  readonly code: FailureCode
  /** Name of what the script threw (`TypeError`, `ToolError`, ...), else the failure's own. */
  readonly name: string
  readonly message: string
  /** 1-based, in the model's own source. */
  readonly line?: number
  /** 1-based, in the model's own source. */
  readonly column?: number
  /** Bounded text for the model: cause, place, and the first five calls with arguments and results, each cut at 200 characters. */
  readonly modelText: string
}
