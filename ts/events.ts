// Events of a run: their shapes, where they go, and the bounded iterator of a live run.
import type { Json } from './json.ts'
import type { Outcome } from './outcome.ts'
import type { PermissionAction } from './permissions.ts'

/** What happens in a run, in order. Every `tool.start` has its `tool.done` or `tool.error` before `run.done`, which is the last one. */
export type CodeModeEvent =
  | { type: 'run.start'; toolCallId: string; code: string }
  | { type: 'run.log'; toolCallId: string; line: string }
  | { type: 'run.done'; toolCallId: string; outcome: Outcome }
  | {
      type: 'tool.start'
      toolCallId: string
      parentToolCallId: string
      toolName: string
      input: Json
    }
  | {
      type: 'tool.partial'
      toolCallId: string
      parentToolCallId: string
      toolName: string
      partial: Json
    }
  | {
      type: 'tool.done'
      toolCallId: string
      parentToolCallId: string
      toolName: string
      result: Json
      durationMs: number
    }
  | {
      type: 'tool.error'
      toolCallId: string
      parentToolCallId: string
      toolName: string
      /** What the script got; where a check of the host failed, followed by the host's own error in brackets. */
      error: string
      durationMs: number
    }
  | {
      type: 'permission.decision'
      toolCallId: string
      parentToolCallId: string
      toolName: string
      action: PermissionAction
      reason: string
    }

export type EventListener = (event: CodeModeEvent) => void

/** Live events of one run, for one reader. */
export interface RunEvents extends AsyncIterable<CodeModeEvent> {
  /** Events that were not kept because 10,000 waited to be read. */
  readonly missed: number
}

/** One listener out of many; undefined where nobody listens. A listener that throws or rejects is reported, never heard again of in the run. */
export function joinListeners(
  listeners: readonly (EventListener | undefined)[],
  report: (error: unknown) => void,
): EventListener | undefined {
  const present = listeners.filter((listener) => listener !== undefined)
  if (present.length === 0) return undefined
  return (event) => {
    for (const listener of present) {
      try {
        const returned: unknown = listener(event)
        if (returned instanceof Promise) returned.catch(report)
      } catch (error) {
        report(error)
      }
    }
  }
}

/** How many unread events are kept for a slow reader. */
const keptEvents = 10_000

/** Keeps events for a reader that may come late; never makes the run wait. `run.done` is always kept. */
export class EventQueue implements RunEvents {
  missed = 0
  readonly #kept: CodeModeEvent[] = []
  #read = 0
  #wake: (() => void) | undefined
  #ended = false
  #abandoned = false

  push(event: CodeModeEvent): void {
    if (this.#abandoned) return
    this.#ended = event.type === 'run.done'
    if (this.#kept.length - this.#read < keptEvents || this.#ended) this.#kept.push(event)
    else this.missed++
    this.#wake?.()
  }

  /** No event will follow. */
  close(): void {
    this.#ended = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<CodeModeEvent, void, undefined> {
    try {
      for (;;) {
        const event = this.#take()
        if (event !== undefined) yield event
        else if (this.#ended) return
        else await new Promise<void>((wake) => (this.#wake = wake))
      }
    } finally {
      this.#abandoned = true
      this.#kept.length = 0
      this.#read = 0
    }
  }

  #take(): CodeModeEvent | undefined {
    const event = this.#kept[this.#read]
    if (event === undefined) return undefined
    this.#read++
    if (this.#read === this.#kept.length) {
      this.#kept.length = 0
      this.#read = 0
    } else if (this.#read > 1_024 && this.#read * 2 > this.#kept.length) {
      // The front is cut off rarely, so that reading stays cheap.
      this.#kept.splice(0, this.#read)
      this.#read = 0
    }
    return event
  }
}
