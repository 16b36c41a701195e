// Caller signals: one listener per signal and instance, however many runs share it, removed with the last of them.

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
