// Caller signals: one listener per signal and instance, however many runs share it, removed with the last of them.
import { cutText } from './json.ts'
import * as sentences from './sentences.ts'

export interface Abortable {
  abortedBy(signal: AbortSignal): void
}

export class AbortSignals {
  readonly #followers = new Map<AbortSignal, Set<Abortable>>()

  follow(signal: AbortSignal, run: Abortable): void {
    const present = this.#followers.get(signal)
    if (present) {
      present.add(run)
      return
    }
    this.#followers.set(signal, new Set([run]))
    signal.addEventListener('abort', this.#onAbort)
  }

  leave(signal: AbortSignal, run: Abortable): void {
    const present = this.#followers.get(signal)
    if (!present?.delete(run) || present.size > 0) return
    this.#followers.delete(signal)
    signal.removeEventListener('abort', this.#onAbort)
  }

  readonly #onAbort = (event: Event): void => {
    const signal = event.target as AbortSignal
    for (const run of this.#followers.get(signal) ?? []) run.abortedBy(signal)
  }
}

/** The default reason of an AbortController says nothing new; every other one is told. */
export function abortMessage(signal: AbortSignal): string {
  const reason: unknown = signal.reason
  if (reason instanceof DOMException && reason.name === 'AbortError') return sentences.runAborted
  const told =
    typeof reason === 'string' ? reason : reason instanceof Error ? reason.message : undefined
  return told ? `${sentences.runAborted}: ${cutText(told, 500)}` : sentences.runAborted
}

/** By its shape: test environments bring an AbortSignal of their own. */
export function isAbortSignal(value: unknown): boolean {
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>
  return typeof aborted === 'boolean' && typeof addEventListener === 'function'
}
