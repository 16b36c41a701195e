// What a run is made of, and what it needs from around it.
import type { ArtifactShelf } from './artifacts.ts'
import type { GatedTool } from './call.ts'
import type { EventListener } from './events.ts'
import type { ResolvedLimits } from './limits.ts'
import type { NativeCodeMode, NativeSession, NativeStored } from './native.ts'
import type { LiveRun } from './run.ts'
import type { Telemetry } from './telemetry.ts'

/** What a run needs from the instance it belongs to. */
export interface RunHost {
  readonly native: NativeCodeMode
  readonly tools: readonly GatedTool[]
  readonly telemetry: Telemetry | undefined
  /** Name of the model's tool. */
  readonly modelTool: string
  /** The run has replies; they are sent when this turn of the host is over. */
  replySoon(run: LiveRun): void
  /** The run is over and its outcome is on its way. */
  finished(run: LiveRun): void
  /** Tells the host about a fault of its own, once per instance. */
  warn(what: string, error: unknown): void
}

export interface RunRequest {
  /** Unique in its instance. */
  readonly number: number
  readonly id: string
  readonly code: string
  readonly context: unknown
  readonly limits: ResolvedLimits
  readonly signal: AbortSignal | undefined
  readonly listener: EventListener | undefined
  readonly session: RunSession | undefined
}

/** What a program of a session shares with the programs before and after it, and who watches it. */
export interface RunSession {
  readonly native: NativeSession
  readonly shelf: ArtifactShelf
  /** Counts a call; false where it is one too many. */
  countCall(): boolean
  /** A console line, a note, or what was given to `text()`: redacted, without a line end. */
  said(line: string): void
  yielded(): void
  stored(changes: readonly NativeStored[]): void
}
