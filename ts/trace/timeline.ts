// Where each call stands in time, and in which row it stands without covering another.
import type { CallRecord, Outcome } from '../index.ts'

export interface PlacedCall {
  readonly number: number
  readonly record: CallRecord
  /** Milliseconds from the beginning of the run. */
  readonly startMs: number
  readonly endMs: number
  /** How much of it, from its beginning, was waiting for an approval. */
  readonly approvalMs: number
  /** From 0. Calls of one lane do not overlap. */
  readonly lane: number
}

export interface Timeline {
  readonly calls: readonly PlacedCall[]
  readonly lanes: number
  readonly totalMs: number
  /** The most calls that were open at one time. */
  readonly peak: number
}

export function layOut({ calls, stats }: Outcome): Timeline {
  const laneEnds: number[] = []
  const placed = calls.map((record, i): PlacedCall => {
    const startMs = Math.max(0, record.startedMs ?? 0)
    const endMs = startMs + Math.max(0, record.durationMs)
    const free = laneEnds.findIndex((end) => end <= startMs)
    const lane = free < 0 ? laneEnds.length : free
    laneEnds[lane] = endMs
    const approvalMs = Math.min(record.approvalMs ?? 0, endMs - startMs)
    return { number: i + 1, record, startMs, endMs, approvalMs, lane }
  })
  const ends = placed.map((call) => call.endMs)
  return {
    calls: placed,
    lanes: laneEnds.length,
    totalMs: ends.reduce((a, b) => Math.max(a, b), Math.max(stats.wallMs, 0.001)),
    peak: peakOf(placed),
  }
}

function peakOf(calls: readonly PlacedCall[]): number {
  const edges = calls.flatMap(({ startMs, endMs }) => [
    { at: startMs, change: 1 },
    { at: endMs, change: -1 },
  ])
  edges.sort((a, b) => a.at - b.at || a.change - b.change)
  let open = 0
  let peak = 0
  for (const { change } of edges) peak = Math.max(peak, (open += change))
  return peak
}
