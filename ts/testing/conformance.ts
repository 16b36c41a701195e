// What every engine has to do, as cases for any test runner: values, errors, the gate, limits that cannot be caught, sessions.
import type { CodeMode, CodeModeOptions } from '../index.ts'
import { programCases } from './conformance-runs.ts'
import { sessionCases } from './conformance-sessions.ts'

/**
 * Programs in the engine's language. One that the language does not allow is left out: the cases that need it are then not in the list.
 * The tools they find: `echo` gives its arguments back, `add({ a, b })` the sum, `slow({ n })` gives n after a while, `fail({})` throws
 * "no such luck", `hold({})` waits until the test lets it go, `shot({})` gives an image, `take({ image })` takes one.
 */
export interface ConformancePrograms {
  /** Gives `{ list: [1, 2.5, 'x', null, true], nested: { empty: {} } }`. */
  readonly value?: string
  /** Gives what echo gives for `{ text: 'hé 😀', list: [1, [2]], nothing: null }`. */
  readonly echo?: string
  /** Adds 1 and 2, then 10 to that. */
  readonly chain?: string
  /** Calls slow with 1, 2, 3 and 4 at one time and gives the list of results. */
  readonly parallel?: string
  /** Prints the lines "hello" and "world" and gives null. */
  readonly prints?: string
  /** Throws an error with the message "boom" on line 2. */
  readonly raises?: string
  /** Is no program. */
  readonly malformed?: string
  /** Calls fail and lets the error through. */
  readonly failingTool?: string
  /** Calls fail, catches the error, gives its message. */
  readonly caughtTool?: string
  /** Calls no_such_tool and lets the error through. */
  readonly unknownTool?: string
  /** Calls add with a text, catches the error, gives its message. */
  readonly badArguments?: string
  /** Calls echo five times, catches whatever comes, gives "caught". */
  readonly fiveCalls?: string
  /** Prints a hundred lines of 99 characters, catches whatever comes, gives "caught". */
  readonly printsMuch?: string
  /** Gives a text of 30,000 characters. */
  readonly largeResult?: string
  /** Computes for ever, catches whatever comes, gives "caught". */
  readonly endless?: string
  /** Takes more and more memory, catches whatever comes, gives "caught". */
  readonly growing?: string
  /** Recurses without end. */
  readonly recursing?: string
  /** Prints "before", calls hold, prints "after", gives what hold gave. */
  readonly holds?: string
  /** Leaves something in a global. */
  readonly leaves?: string
  /** Gives whether that global is there. */
  readonly finds?: string
  /** Gives the list of things of the host that it can reach; an empty one is right. */
  readonly reaches?: string
  /** Calls shot, gives its result to take, and gives it back. */
  readonly passesMedia?: string
  /** Stores `{ n: 1 }` under "k". */
  readonly stores?: string
  /** Gives what is stored under "k", or null. */
  readonly loads?: string
  /** Prints "early", yields to whoever watches, gives what hold gives. */
  readonly yields?: string
}

export interface ConformanceSetup {
  /** Makes a code mode with the engine in question; the case closes it. */
  create(options: CodeModeOptions): CodeMode
  readonly programs: ConformancePrograms
}

export interface ConformanceCase {
  readonly name: string
  /** Rejects with an AssertionError where the engine does something else. */
  run(): Promise<void>
}

/** A case before it is known whether the language allows it. */
export interface Draft {
  readonly name: string
  readonly needs: readonly (keyof ConformancePrograms)[]
  run(setup: ConformanceSetup, ...programs: string[]): Promise<void>
}

/**
 * The cases for an engine, each with instances of its own: `for (const { name, run } of conformanceCases(setup)) test(name, run)`.
 * Each takes a few seconds at most.
 */
export function conformanceCases(setup: ConformanceSetup): ConformanceCase[] {
  return [...programCases, ...sessionCases].flatMap(({ name, needs, run }) => {
    const programs = needs.map((need) => setup.programs[need])
    if (programs.some((program) => program === undefined)) return []
    return [{ name, run: () => run(setup, ...(programs as string[])) }]
  })
}
