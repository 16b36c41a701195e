// A clock for the limits in wall time: the whole run, one tool call, one approval, the grace of an ended run.
//
// It takes the place of the global `setTimeout` and `clearTimeout`, and marks them, so that runs which begin after it keep their `timeoutMs` by it. The
// engine's own clock goes on in real time beside it: what is over first ends the run, and a loop without end ends whatever a test does.
import { fakeTimersKey, type Timers } from '../timers.ts'

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

interface Timer {
  readonly due: number
  readonly order: number
  /** Of a whole run: it says nothing about how far the program has come. */
  readonly ofRun: boolean
  readonly call: () => void
}

/** Installs the clock. Throws an Error where one is installed already. */
export function fakeClock(): FakeClock {
  if (installed) throw new Error('A fake clock is installed already')
  installed = true
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }
  const timers = new Map<object, Timer>()
  let now = 0
  let order = 0
  const add = (call: () => void, ms: number, ofRun: boolean) => {
    const handle = new FakeTimeout()
    timers.set(handle, { due: now + Math.max(0, ms), order: order++, ofRun, call })
    return handle
  }
  const set = (call: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    add(() => call(...args), ms, false)
  const pending = () => [...timers.values()].filter(({ ofRun }) => !ofRun).length
  // A handle of before the clock is a real one.
  const clear = (handle: unknown) => {
    if (!timers.delete(handle as object)) real.clearTimeout(handle as NodeJS.Timeout)
  }
  const ofRuns: Timers = { now: () => now, set: (call, ms) => add(call, ms, true), clear }
  globalThis.setTimeout = Object.assign(set, {
    [fakeTimersKey]: ofRuns,
  }) as unknown as typeof setTimeout
  globalThis.clearTimeout = clear as typeof clearTimeout
  const restore = () => {
    if (!installed) return
    installed = false
    Object.assign(globalThis, real)
    timers.clear()
  }
  return {
    get now() {
      return now
    },
    get pending() {
      return pending()
    },
    async untilPending(count = 1) {
      const deadline = performance.now() + patienceMs
      while (pending() < count) {
        if (performance.now() > deadline)
          throw new Error(`Expected ${count} timers to wait, there are ${pending()}`)
        await new Promise<void>((resolve) => real.setTimeout(resolve, 1))
      }
    },
    async advance(ms) {
      if (!(ms >= 0)) throw new RangeError(`Expected \`ms\` to be at least 0, got \`${ms}\``)
      const until = now + ms
      await settle()
      for (let next = earliest(timers, until); next; next = earliest(timers, until)) {
        const [handle, timer] = next
        timers.delete(handle)
        now = Math.max(now, timer.due)
        timer.call()
        await settle()
      }
      now = until
    },
    restore,
    [Symbol.dispose]: restore,
  }
}

let installed = false
/** Real milliseconds that `untilPending` waits. */
const patienceMs = 5_000

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

function earliest(
  timers: ReadonlyMap<object, Timer>,
  until: number,
): readonly [object, Timer] | undefined {
  let found: readonly [object, Timer] | undefined
  for (const entry of timers) {
    const [, { due, order }] = entry
    if (due > until) continue
    const first = found?.[1]
    if (!first || due < first.due || (due === first.due && order < first.order)) found = entry
  }
  return found
}

/** Turns of the loop and real milliseconds, so that a program which can go on does: its calls, their replies and its end cross threads. */
const turns = 20
const crossingMs = 5

async function settle(): Promise<void> {
  const until = performance.now() + crossingMs
  for (let i = 0; i < turns || performance.now() < until; i++)
    await new Promise<void>((resolve) => setImmediate(resolve))
}
