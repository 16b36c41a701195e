// Timers that wait, in the order in which they are due. Knows no clock but the one it is told.

interface Timer {
  readonly due: number
  readonly order: number
  /** Of a whole run: it says nothing about how far the program has come. */
  readonly ofRun: boolean
  readonly call: () => void
}

export class TimerQueue {
  readonly #timers = new Map<unknown, Timer>()
  #order = 0

  /** Gives a handle for `delete`. */
  add(due: number, call: () => void, ofRun: boolean): FakeTimeout {
    const handle = new FakeTimeout()
    this.#timers.set(handle, { due, order: this.#order++, ofRun, call })
    return handle
  }

  /** False where the handle is none of ours, or its timer has fired. */
  delete(handle: unknown): boolean {
    return this.#timers.delete(handle)
  }

  clear(): void {
    this.#timers.clear()
  }

  /** Timers that wait, without those of whole runs. */
  get pending(): number {
    return [...this.#timers.values()].filter(({ ofRun }) => !ofRun).length
  }

  /** Takes the first timer that is due by then out. */
  takeFirst(until: number): Timer | undefined {
    let first: readonly [unknown, Timer] | undefined
    for (const entry of this.#timers) {
      const [, { due, order }] = entry
      if (due > until) continue
      if (!first || due < first[1].due || (due === first[1].due && order < first[1].order))
        first = entry
    }
    if (first) this.#timers.delete(first[0])
    return first?.[1]
  }
}

/** What Node's own timers have, as far as programs use it. */
class FakeTimeout {
  ref() {
    return this
  }
  unref() {
    return this
  }
  hasRef() {
    return true
  }
}
