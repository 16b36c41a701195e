// A clock for the limits in wall time: the whole run, one tool call, one approval, the grace of an ended run.
//
// It takes the place of the global `setTimeout` and `clearTimeout`, and marks them, so that runs which begin after it keep their `timeoutMs` by it. The
// engine's own clock goes on in real time beside it: what is over first ends the run, and a loop without end ends whatever a test does.
import { fakeTimersKey, type Timers } from '../timers.ts'
import { TimerQueue } from './timer-queue.ts'

export interface FakeClock extends Disposable {
  /** Milliseconds that `advance` was given so far. */
  readonly now: number
  /** Timers that have not fired, without those of whole runs, which are there from a run's beginning. */
  readonly pending: number
  /**
   * Resolves when that many timers wait: a program has then come as far as its limit. Rejects after five real seconds.
   * @default 1
   */
  untilPending(count?: number): Promise<void>
  /**
   * Moves the clock and fires what is due, in order; between any two timers everything that is ready runs. Resolves when nothing is left to do at this time.
   * Throws a RangeError for a negative number.
   */
  advance(ms: number): Promise<void>
  /** Puts the real timers back; those that have not fired never will. */
  restore(): void
}

/** Installs the clock. Throws an Error where one is installed already. */
export function fakeClock(): FakeClock {
  if (installed) throw new Error('A fake clock is installed already')
  installed = true
  const clock = new InstalledClock()
  clock.install()
  return clock
}

class InstalledClock implements FakeClock {
  now = 0
  readonly #timers = new TimerQueue()
  readonly #real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }

  install(): void {
    const add = (call: () => void, ms: number, ofRun: boolean) =>
      this.#timers.add(this.now + Math.max(0, ms), call, ofRun)
    // A handle of before the clock is a real one.
    const clear = (handle: unknown) => {
      if (!this.#timers.delete(handle)) this.#real.clearTimeout(handle as NodeJS.Timeout)
    }
    const ofRuns: Timers = { now: () => this.now, set: (call, ms) => add(call, ms, true), clear }
    const set = (call: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      add(() => call(...args), ms, false)
    const marked = Object.assign(set, { [fakeTimersKey]: ofRuns })
    globalThis.setTimeout = marked as unknown as typeof setTimeout
    globalThis.clearTimeout = clear as typeof clearTimeout
  }

  get pending(): number {
    return this.#timers.pending
  }

  async untilPending(count = 1): Promise<void> {
    const deadline = performance.now() + patienceMs
    while (this.pending < count) {
      if (performance.now() > deadline)
        throw new Error(`Expected ${count} timers to wait, there are ${this.pending}`)
      await new Promise<void>((resolve) => this.#real.setTimeout(resolve, 1))
    }
  }

  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`Expected \`ms\` to be at least 0, got \`${ms}\``)
    const until = this.now + ms
    await settle()
    for (let timer = this.#timers.takeFirst(until); timer; timer = this.#timers.takeFirst(until)) {
      this.now = Math.max(this.now, timer.due)
      timer.call()
      await settle()
    }
    this.now = until
  }

  restore(): void {
    if (!installed) return
    installed = false
    Object.assign(globalThis, this.#real)
    this.#timers.clear()
  }

  [Symbol.dispose](): void {
    this.restore()
  }
}

let installed = false
/** Real milliseconds that `untilPending` waits. */
const patienceMs = 5_000

/** Turns of the loop and real milliseconds, so that a program which can go on does: its calls, their replies and its end cross threads. */
const turns = 20
const crossingMs = 5

async function settle(): Promise<void> {
  const until = performance.now() + crossingMs
  for (let i = 0; i < turns || performance.now() < until; i++)
    await new Promise<void>((resolve) => setImmediate(resolve))
}
