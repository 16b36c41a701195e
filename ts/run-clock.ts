// The wall clock of a program whose engine keeps none of its own, or none that a test can move: stands while an approval is pending.
import type { NativeEnd } from './native.ts'
import { runTimedOut } from './sentences.ts'
import { fakeTimers, systemTimers, type Timers } from './timers.ts'

export class RunClock {
  /** In real time. */
  readonly started = performance.now()
  readonly #timers: Timers = fakeTimers() ?? systemTimers
  readonly #over: () => void
  #left: number
  #since = this.#timers.now()
  #pauses = 0
  #timer: unknown

  /** Calls `over` once, after `ms` without the pauses. */
  constructor(ms: number, over: () => void) {
    this.#left = ms
    this.#over = over
    this.#timer = this.#timers.set(over, ms)
  }

  /** Pauses nest. */
  pause(): void {
    if (this.#pauses++ > 0) return
    this.#timers.clear(this.#timer)
    this.#left -= this.#timers.now() - this.#since
  }

  resume(): void {
    if (this.#pauses === 0 || --this.#pauses > 0) return
    this.#since = this.#timers.now()
    this.#timer = this.#timers.set(this.#over, Math.max(0, this.#left))
  }

  /** Real milliseconds since the start, pauses included. */
  stop(): number {
    this.#timers.clear(this.#timer)
    this.#pauses = Number.POSITIVE_INFINITY
    return performance.now() - this.started
  }
}

/** What the engine stopped because a fake clock said so, as its own clock would have said it. */
export function asTimeout(end: NativeEnd, ms: number): NativeEnd {
  if (end.failure?.code !== 'stopped') return end
  const failure = {
    ...end.failure,
    code: 'timeout',
    name: 'TimeoutError',
    message: runTimedOut(ms),
  }
  return { ...end, failure }
}
