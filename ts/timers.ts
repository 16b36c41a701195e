// The timers of a wall clock: those of the system, or of the testing entry's fake clock, which marks the `setTimeout` it puts in place.

export interface Timers {
  now(): number
  set(call: () => void, ms: number): unknown
  clear(handle: unknown): void
}

/** Of the global registry: the testing entry is a bundle of its own. */
export const fakeTimersKey: unique symbol = Symbol.for('codemode-native.fakeTimers') as never

export const systemTimers: Timers = {
  now: () => performance.now(),
  set: (call, ms) => setTimeout(call, ms),
  clear: (handle) => clearTimeout(handle as NodeJS.Timeout),
}

/** Undefined outside of tests. */
export function fakeTimers(): Timers | undefined {
  return (globalThis.setTimeout as { [fakeTimersKey]?: Timers })[fakeTimersKey]
}
