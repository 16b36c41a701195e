// Pictures of a run, out of its outcome alone: a page for people, and a trace for tools.
import type { Outcome } from '../index.ts'
import { layOut, type Timeline } from './timeline.ts'
import { renderPage } from './page.ts'

export interface TraceOptions {
  /** Text of the program: shown beside the calls. An outcome does not hold it. */
  readonly source?: string
  /**
   * Heading of the page.
   * @default 'Run'
   */
  readonly title?: string
}

/**
 * One self-contained HTML page: the timeline of the tool calls, the program, arguments and results on demand, log lines. It asks for nothing
 * over the network, holds no script, and shows what the outcome holds: arguments and results included, each cut at 20,000 characters.
 * Throws a TypeError for what is no outcome; one that went through JSON is fine.
 */
export function traceHtml(outcome: Outcome, options: TraceOptions = {}): string {
  return renderPage(layOut(checkOutcome(outcome)), outcome, options)
}

/** A trace in the event format of Chrome: for `chrome://tracing`, Perfetto and speedscope. Times in microseconds. */
export interface ChromeTrace {
  readonly displayTimeUnit: 'ms'
  readonly traceEvents: readonly ChromeTraceEvent[]
}

export interface ChromeTraceEvent {
  readonly name: string
  readonly cat: string
  /** `X`: from `ts`, for `dur`. `M`: names a row. */
  readonly ph: 'X' | 'M'
  readonly ts: number
  readonly dur?: number
  readonly pid: number
  readonly tid: number
  readonly args: Readonly<Record<string, unknown>>
}

/** The run and its tool calls as a Chrome trace; calls that overlap are on rows of their own. Throws a TypeError for what is no outcome. */
export function chromeTrace(outcome: Outcome, options: TraceOptions = {}): ChromeTrace {
  const timeline = layOut(checkOutcome(outcome))
  const { status, toolCalls } = outcome
  return {
    displayTimeUnit: 'ms',
    traceEvents: [
      row(0, 'program'),
      ...Array.from({ length: timeline.lanes }, (_, lane) => row(lane + 1, `calls ${lane + 1}`)),
      {
        ...{ name: options.title ?? 'run', cat: 'run', ph: 'X', ts: 0 },
        ...{ dur: micros(timeline.totalMs), pid: 1, tid: 0 },
        args: { status, toolCalls, ...outcome.stats },
      },
      ...callEvents(timeline),
    ],
  }
}

function row(tid: number, name: string): ChromeTraceEvent {
  return { name: 'thread_name', cat: '__metadata', ph: 'M', ts: 0, pid: 1, tid, args: { name } }
}

function callEvents({ calls }: Timeline): ChromeTraceEvent[] {
  return calls.flatMap(({ record, startMs, endMs, approvalMs, lane }) => {
    const at = { cat: 'tool', ph: 'X' as const, ts: micros(startMs), pid: 1, tid: lane + 1 }
    const { toolName, toolCallId, input, status, result, error } = record
    const call = { ...at, name: toolName, dur: micros(endMs - startMs) }
    const asked = { ...at, name: 'approval', dur: micros(approvalMs), args: { toolCallId } }
    return [
      { ...call, args: { toolCallId, status, input, result, error } },
      ...(approvalMs > 0 ? [asked] : []),
    ]
  })
}

const micros = (ms: number) => Math.round(ms * 1_000)

function checkOutcome(outcome: Outcome): Outcome {
  const { status, calls, logs, stats } = (outcome ?? {}) as Partial<Outcome>
  if (typeof status !== 'string' || !Array.isArray(calls) || !Array.isArray(logs) || !stats)
    throw new TypeError('Expected `outcome` to be the outcome of a run')
  return outcome
}
