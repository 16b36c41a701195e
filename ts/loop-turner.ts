// Keeps the event loop turning, never blocked, for a fraction of a millisecond after an answer went out: the script's
// next call is near, and waking a sleeping loop costs more than everything else in a call.
import { availableParallelism } from 'node:os'
import type { NativeCodeMode } from './native.ts'

/** How long one answer keeps the loop awake: a cold script and a cold host need most of it. */
const AWAKE_MS = 0.2
/** Falls with every wait in vain, rises with every message in time; at zero nothing is tried for a while. */
const MAX_SCORE = 16
const RETRY = 32

/** On one core turning would only take the script's time. */
const worthwhile = availableParallelism() > 1

export class LoopTurner {
  readonly #native: NativeCodeMode
  readonly #deliver: (messages: (number | string)[]) => void
  #turning = false
  #until = 0
  #score = MAX_SCORE / 2
  #skipped = 0

  constructor(native: NativeCodeMode, deliver: (messages: (number | string)[]) => void) {
    this.#native = native
    this.#deliver = deliver
  }

  /** Call after replies were sent. */
  expectMessages(): void {
    if (!worthwhile || this.#turning) return
    if (this.#score === 0 && ++this.#skipped < RETRY) return
    this.#skipped = 0
    this.#turning = true
    this.#until = performance.now() + AWAKE_MS
    setImmediate(this.#turn)
  }

  readonly #turn = (): void => {
    const late = performance.now() > this.#until
    const messages = this.#native.poll(!late)
    if (messages === null && !late) {
      setImmediate(this.#turn)
      return
    }
    this.#turning = false
    if (messages === null) {
      if (this.#score > 0) this.#score--
      return
    }
    if (!late) {
      // Asked for `again`, which is over: what came meanwhile is delivered as well.
      if (this.#score < MAX_SCORE) this.#score++
      const rest = this.#native.poll(false)
      if (rest !== null) messages.push(...rest)
    }
    this.#deliver(messages)
  }
}
