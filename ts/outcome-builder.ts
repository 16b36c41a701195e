// Puts the outcome of a run together: records, notes, and the failure in words.
import type { Call } from './call.ts'
import { cutText, defineResult, type Json } from './json.ts'
import { modelText } from './model-text.ts'
import type { NativeEnd, NativeFailure } from './native.ts'
import type { CallRecord, FailureCode, Outcome, RunFailure } from './outcome.ts'
import * as sentences from './sentences.ts'

/** What the builder reads of a run. */
export interface EndedRun {
  /** `performance.now()` of the moment the host asked for the run. */
  readonly startedAt: number
  readonly code: string
  readonly calls: readonly Call[]
  readonly logs: readonly string[]
  readonly text: readonly string[]
}

/** Names of calls listed in a message, and notes about calls nobody awaited; more are counted. */
const listed = 5

export function buildOutcome(
  run: EndedRun,
  end: NativeEnd,
  open: readonly Call[],
  notes: readonly string[],
): Outcome {
  const calls = run.calls.map((call) => toRecord(call, run.startedAt))
  const told = end.unhandled.length > 0 ? unhandledNotes(run, end) : []
  const base = {
    logs: [...run.logs, ...[...end.notes, ...notes, ...told].map(asNote)],
    text: run.text,
    artifacts: [],
    toolCalls: end.toolCalls,
    calls,
    stats: { wallMs: end.wallMs, cpuMs: end.cpuMs, peakMemoryBytes: end.peakMemoryBytes },
  }
  if (end.failure === undefined)
    return { status: 'completed', result: (end.result ?? null) as Json, ...base }
  return { status: 'failed', error: toFailure(end.failure, run, open, calls), ...base }
}

const asNote = (text: string) => `note: ${text}`

function unhandledNotes(run: EndedRun, end: NativeEnd): string[] {
  const failed = end.unhandled.slice(0, listed).flatMap((number) => {
    const call = run.calls.find((candidate) => candidate.number === number)
    if (call?.error === undefined) return []
    return [sentences.notAwaited(call.tool.name, number, cutText(call.error, 300))]
  })
  const rest = end.unhandled.length - listed
  if (rest > 0) failed.push(`${rest} more calls were not awaited and failed`)
  return failed
}

function toRecord(call: Call, runStartedAt: number): CallRecord {
  const record: { -readonly [K in keyof CallRecord]: CallRecord[K] } = {
    toolCallId: call.id,
    toolName: call.tool.name,
    input: call.input,
    status: call.status,
    startedMs: call.startedAt - runStartedAt,
    durationMs: call.durationMs,
  }
  if (call.approvalMs !== undefined) record.approvalMs = call.approvalMs
  if (call.error !== undefined) record.error = call.error
  if (call.status === 'done' && call.text !== undefined) defineResult(record, call.text)
  return record
}

function toFailure(
  failure: NativeFailure,
  run: EndedRun,
  open: readonly Call[],
  calls: readonly CallRecord[],
): RunFailure {
  const { name, line, column } = failure
  const message = withCalls(failure, open, calls)
  return {
    code: failure.code as FailureCode,
    name,
    message,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    modelText: modelText({ name, message, line, column }, run.code, calls),
  }
}

/** A timeout names what it waited for; too many calls name the first of them. */
function withCalls(
  { code, message }: NativeFailure,
  open: readonly Call[],
  calls: readonly CallRecord[],
): string {
  if (code === 'timeout' && open.length > 0)
    return `${message}. Still running: ${list(open.map((call) => `${call.tool.name} (call ${call.number})`))}`
  if (code === 'tool_call_limit' && calls.length > 0)
    return `${message}. The first calls: ${list(calls.map((call) => call.toolName))}`
  return message
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, listed).map((name) => cutText(name, 100))
  const rest = names.length - shown.length
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
