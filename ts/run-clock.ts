// The wall clock of a program in an engine: stands while an approval is pending.

export class RunClock {
  readonly started = performance.now()
  #left: number
  #since = this.started
  #pauses = 0
  #timer: NodeJS.Timeout | undefined
  readonly #over: () => void

  /** Calls `over` once, after `ms` without the pauses. */
  constructor(ms: number, over: () => void) {
    this.#left = ms
    this.#over = over
    this.#timer = setTimeout(over, ms)
  }

  /** Pauses nest. */
  pause(): void {
    if (this.#pauses++ > 0) return
    clearTimeout(this.#timer)
    this.#left -= performance.now() - this.#since
  }

  resume(): void {
    if (this.#pauses === 0 || --this.#pauses > 0) return
    this.#since = performance.now()
    this.#timer = setTimeout(this.#over, Math.max(0, this.#left))
  }

  /** Milliseconds since the start, pauses included. */
  stop(): number {
    clearTimeout(this.#timer)
    this.#pauses = Number.POSITIVE_INFINITY
    return performance.now() - this.started
  }
}
