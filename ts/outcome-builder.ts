// Puts the outcome of a run together: records, notes, and the failure in words.
import type { Call } from './call.ts'
import { cutText, defineResult, type Json } from './json.ts'
import { modelText, type Background } from './model-text.ts'
import type { NativeDiagnostic, NativeEnd, NativeFailure } from './native.ts'
import type { Artifact, CallRecord, FailureCode, Outcome, RunFailure } from './outcome.ts'
import * as sentences from './sentences.ts'

/** What the builder reads of a run. */
export interface EndedRun {
  /** `performance.now()` of the moment the host asked for the run. */
  readonly startedAt: number
  readonly code: string
  readonly calls: readonly Call[]
  readonly logs: readonly string[]
  readonly text: readonly string[]
  /** What can be found in the program without running it. */
  findings(): readonly NativeDiagnostic[]
  /** A tool's declaration. */
  signature(tool: number): string
  readonly artifacts: readonly Artifact[]
}

/** Names of calls listed in a message, and notes about calls nobody awaited; more are counted. */
const listed = 5

export function buildOutcome(
  run: EndedRun,
  end: NativeEnd,
  open: readonly Call[],
  notes: readonly string[],
): Outcome {
  const told = end.unhandled.length > 0 ? unhandledNotes(run, end) : []
  const base = {
    logs: [...run.logs, ...[...end.notes, ...notes, ...told].map(asNote)],
    text: run.text,
    artifacts: run.artifacts,
    toolCalls: end.toolCalls,
    calls: [],
    stats: { wallMs: end.wallMs, cpuMs: end.cpuMs, peakMemoryBytes: end.peakMemoryBytes },
  }
  if (end.failure === undefined) {
    const outcome: Outcome = { status: 'completed', result: (end.result ?? null) as Json, ...base }
    return run.calls.length === 0 ? outcome : withRecords(outcome, run)
  }
  const calls = run.calls.map((call) => toRecord(call, run.startedAt))
  return { status: 'failed', error: toFailure(end.failure, run, open, calls), ...base, calls }
}

/** Many programs make many calls, and few hosts read their records: those are made when somebody looks. */
function withRecords(outcome: Outcome, { calls, startedAt }: EndedRun): Outcome {
  let records: readonly CallRecord[] | undefined
  return Object.defineProperty(outcome, 'calls', {
    get: () => (records ??= calls.map((call) => toRecord(call, startedAt))),
    enumerable: true,
    configurable: true,
  })
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
    modelText: modelText(
      { code: failure.code as FailureCode, name, message, line, column },
      run.code,
      calls,
      background(failure, run, calls),
    ),
  }
}

/** Sources up to this length are looked at again when they failed: it happens on the JavaScript thread. */
const inspectedLength = 32_768
/** Declarations shown with a failure. */
const shownSignatures = 2

/** What explains a failure: the call that caused it, what was found in the text, and the declarations of the tools concerned. */
function background(
  failure: NativeFailure,
  run: EndedRun,
  calls: readonly CallRecord[],
): Background {
  if (failure.code !== 'script_error' && failure.code !== 'not_serializable')
    return { findings: [], signatures: [], invalid: false }
  const findings = run.code.length <= inspectedLength ? run.findings() : []
  const at =
    failure.name === 'ToolError'
      ? run.calls.findLastIndex(({ error }) => error === failure.message)
      : -1
  const call = run.calls[at]
  const invalid = call?.status === 'error' && call.problem !== null
  const tools = new Set<number>()
  if (call && invalid) tools.add(call.tool.index)
  for (const { error, tool } of findings) if (error && tool !== undefined) tools.add(tool)
  const signatures = [...tools].slice(0, shownSignatures).map((tool) => run.signature(tool))
  return { findings, signatures, culprit: calls[at], invalid }
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
