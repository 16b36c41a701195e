// Messages of scripts in, replies out: what goes together, when, and whether a script may go on on this thread.
import { LoopTurner } from './loop-turner.ts'
import type { NativeCodeMode } from './native.ts'
import type { LiveRun } from './run.ts'

/** Its `then` makes a microtask; `queueMicrotask` makes an async resource as well. */
const soon = Promise.resolve()

/** So often in a row replies go out, or runs end, without a turn of the event loop between them. */
const maxStreak = 16
/** For so long in one go scripts may go on on this thread, each for its own short budget. */
const hereMs = 0.3

type Messages = readonly (number | string)[]

const nothing: Messages = []

export class Mailbox {
  readonly #runs: ReadonlyMap<number, LiveRun>
  readonly #turner: LoopTurner
  /** Messages that came first and are delivered first. */
  #held: (number | string)[] = []
  #delivering = false
  /** A way out for the replies is scheduled. */
  #sending = false
  #replying: LiveRun[] = []
  /** Times that something went on without a turn of the event loop. */
  #streak = 0

  constructor(native: NativeCodeMode, runs: ReadonlyMap<number, LiveRun>) {
    this.#runs = runs
    this.#turner = new LoopTurner(native, this.deliver)
  }

  /** One call brings the messages of many runs; the replies they cause at once go back together. */
  readonly deliver = (messages: Messages): void => {
    const held = this.#held
    if (held.length > 0) this.#held = []
    this.#delivering = true
    this.#hand(held)
    this.#hand(messages)
    this.#delivering = false
    if (this.#replying.length === 0 || this.#sending) return
    // Tools that answered at once go with those whose promises are settled already.
    this.#sending = true
    soon.then(() => this.#schedule(0))
  }

  #hand(messages: Messages): void {
    for (let i = 0; i + 2 < messages.length; i += 3) {
      const run = this.#runs.get(messages[i] as number)
      const kind = messages[i + 1] as number
      const json = messages[i + 2] as string
      run?.scope.runInAsyncScope(run.receive, run, kind, json)
    }
  }

  /** Messages that a start gave: whoever started the run gets its promise first. Later ones of the run may come meanwhile, from a thread. */
  deliverSoon(messages: Messages): void {
    for (const part of messages) this.#held.push(part)
    if (this.#mayGoOn()) soon.then(() => this.deliver(nothing))
    else setImmediate(this.deliver, nothing)
  }

  replySoon(run: LiveRun): void {
    this.#replying.push(run)
    if (!this.#delivering && !this.#sending) this.#schedule(run.liveCalls)
  }

  /**
   * What settles together is sent together. While other calls of the run are in flight the rest of this turn of the loop may
   * settle them too (each timer and each immediate is a tick of its own), and replies of other runs come in this tick.
   */
  #schedule(inFlight: number): void {
    this.#sending = true
    if (!this.#mayGoOn() || inFlight > 0) setImmediate(this.#send)
    else if (this.#runs.size === 1) soon.then(this.#send)
    else process.nextTick(this.#send)
  }

  /** False now and then: replies, the script's next calls and runs that follow each other may have no end, and the loop must turn. */
  #mayGoOn(): boolean {
    this.#streak = (this.#streak + 1) % maxStreak
    return this.#streak !== 0
  }

  readonly #send = (): void => {
    this.#sending = false
    const runs = this.#replying
    this.#replying = []
    let messages: (number | string)[] | null = null
    let elsewhere = false
    const until = runs.length > 1 ? performance.now() + hereMs : Number.POSITIVE_INFINITY
    for (const run of runs) {
      const here = runs.length === 1 || performance.now() < until
      const came = run.sendReplies(here)
      if (came === null) elsewhere = true
      else if (messages === null) messages = came
      else for (const part of came) messages.push(part)
    }
    if (messages !== null) this.deliver(messages)
    if (elsewhere) this.#turner.expectMessages()
  }
}
