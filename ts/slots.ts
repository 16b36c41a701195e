// The queue of one run: how many calls run at one time, in all and of one tool. Waiting calls start in order.
import type { Call } from './call.ts'

export class Slots {
  #free: number
  readonly #resume: (call: Call) => void
  readonly #waiting: Call[] = []
  #busyOf: Map<number, number> | undefined
  #pumping = false

  /** `resume` lets a call go on that had to wait. */
  constructor(concurrency: number, resume: (call: Call) => void) {
    this.#free = concurrency
    this.#resume = resume
  }

  /** True where the call may run now; else it is resumed when its turn comes. */
  take(call: Call): boolean {
    if (this.#fits(call)) {
      this.#occupy(call)
      return true
    }
    this.#waiting.push(call)
    return false
  }

  /** Gives a call's slot back. A loop, not recursion: a host that answers synchronously never deepens the stack. */
  release(call: Call): void {
    if (!call.hasSlot) return
    call.hasSlot = false
    this.#free++
    if (call.tool.maxConcurrency !== undefined) this.#count(call, -1)
    if (this.#pumping || this.#waiting.length === 0) return
    this.#pumping = true
    try {
      for (let next = this.#next(); next; next = this.#next()) {
        this.#occupy(next)
        this.#resume(next)
      }
    } finally {
      this.#pumping = false
    }
  }

  #next(): Call | undefined {
    if (this.#free === 0) return undefined
    const at = this.#waiting.findIndex((call) => call.ended || this.#fits(call))
    if (at < 0) return undefined
    const [call] = this.#waiting.splice(at, 1)
    return call?.ended ? this.#next() : call
  }

  #fits(call: Call): boolean {
    const limit = call.tool.maxConcurrency
    return (
      this.#free > 0 && (limit === undefined || (this.#busyOf?.get(call.tool.index) ?? 0) < limit)
    )
  }

  #occupy(call: Call): void {
    call.hasSlot = true
    this.#free--
    if (call.tool.maxConcurrency !== undefined) this.#count(call, 1)
  }

  #count(call: Call, change: number): void {
    this.#busyOf ??= new Map()
    this.#busyOf.set(call.tool.index, (this.#busyOf.get(call.tool.index) ?? 0) + change)
  }
}
