// Limits of a run: names, defaults, ranges, and their flat native form.
import { expectKnownKeys, expectObject, outOfRange, wrongType } from './expect.ts'
import type { NativeLimits } from './native.ts'

/** Every limit has its unit in its name; all can be set for an instance and narrowed or widened for one run. */
export interface Limits {
  /**
   * Whole run in milliseconds, waits for tools included, waits for approvals not.
   * @default 30_000
   */
  timeoutMs: number
  /**
   * CPU milliseconds the script itself may burn.
   * @default equal to timeoutMs
   */
  cpuTimeoutMs: number
  /**
   * One tool call in milliseconds, from the moment the tool is entered. Over it the call fails in the script; the run goes on.
   * @default none beyond timeoutMs
   */
  toolTimeoutMs: number
  /**
   * How many milliseconds one call may wait for an approval.
   * @default 300_000
   */
  approvalTimeoutMs: number
  /**
   * Real bytes held by the script's heap; below 1_048_576 a RangeError. Does not cover memory of the host or of tools.
   * @default 67_108_864
   */
  memoryLimitBytes: number
  /**
   * Bytes of the script's stack: with the default a recursion 1,000 deep works.
   * @default 1_048_576
   */
  stackLimitBytes: number
  /**
   * Tool calls of one run; the call over the limit is not made and ends the run.
   * @default 50
   */
  maxToolCalls: number
  /**
   * Calls running at one time in one run; more wait in order. A call that waits for an approval does not count.
   * @default 8
   */
  toolConcurrency: number
  /**
   * Characters of the result as JSON, plus each log line and one for its end. Over it the run fails as `output_limit`; nothing is cut.
   * @default 20_000
   */
  maxOutputChars: number
  /**
   * Characters of the source.
   * @default 131_072
   */
  maxSourceChars: number
  /**
   * Characters of one call's arguments as JSON.
   * @default 1_000_000
   */
  maxToolArgChars: number
  /**
   * How many milliseconds an ended run waits for calls it aborted.
   * @default 1_000
   */
  abortGraceMs: number
  /**
   * Bytes of one tool result as JSON, and of each artifact in it.
   * @default 16_777_216
   */
  maxToolResultBytes: number
  /**
   * Bytes of all artifacts of one run, or of those a session keeps. Over it the call that returned them fails in the script.
   * @default 67_108_864
   */
  maxArtifactBytes: number
}

/** Limits with every default filled in; `toolTimeoutMs` is undefined where no tool call has a clock of its own. */
export interface ResolvedLimits extends Omit<Limits, 'toolTimeoutMs'> {
  readonly toolTimeoutMs: number | undefined
  readonly native: NativeLimits
}

const longestTimer = 2_147_483_647
const mebibyte = 1_048_576

const ranges: Record<keyof Limits, readonly [from: number, to: number]> = {
  timeoutMs: [1, longestTimer],
  cpuTimeoutMs: [1, longestTimer],
  toolTimeoutMs: [1, longestTimer],
  approvalTimeoutMs: [1, longestTimer],
  memoryLimitBytes: [mebibyte, 2 ** 40],
  // The engine's own range: every thread reserves its stack as address space.
  stackLimitBytes: [131_072, 8 * mebibyte],
  maxToolCalls: [0, longestTimer],
  toolConcurrency: [1, longestTimer],
  maxOutputChars: [1, longestTimer],
  maxSourceChars: [1, longestTimer],
  maxToolArgChars: [2, longestTimer],
  abortGraceMs: [0, longestTimer],
  maxToolResultBytes: [1, Number.MAX_SAFE_INTEGER],
  maxArtifactBytes: [0, Number.MAX_SAFE_INTEGER],
}
const names = Object.keys(ranges) as (keyof Limits)[]

/** Refuses limits that are no integers in their range. */
export function checkLimits(path: string, limits: unknown): asserts limits is Partial<Limits> {
  expectObject(path, limits)
  expectKnownKeys(path, limits, names)
  for (const name of names) {
    const value = (limits as Partial<Limits>)[name]
    if (value !== undefined) checkInteger(`${path}.${name}`, value, ...ranges[name])
  }
}

export function checkInteger(path: string, value: unknown, from: number, to: number): void {
  const wanted = `an integer from ${from} to ${to}`
  if (typeof value !== 'number') throw wrongType(path, wanted, value)
  if (!Number.isInteger(value) || value < from || value > to) throw outOfRange(path, wanted, value)
}

export function checkMilliseconds(path: string, value: unknown): void {
  checkInteger(path, value, 1, longestTimer)
}

export function resolveLimits(given: Partial<Limits>): ResolvedLimits {
  const timeoutMs = given.timeoutMs ?? 30_000
  const native: NativeLimits = {
    timeoutMs,
    cpuTimeoutMs: given.cpuTimeoutMs ?? timeoutMs,
    memoryLimitBytes: given.memoryLimitBytes ?? 64 * mebibyte,
    stackLimitBytes: given.stackLimitBytes ?? mebibyte,
    maxToolCalls: given.maxToolCalls ?? 50,
    maxOutputChars: given.maxOutputChars ?? 20_000,
    maxSourceChars: given.maxSourceChars ?? 131_072,
    maxToolArgChars: given.maxToolArgChars ?? 1_000_000,
  }
  return {
    ...native,
    native,
    toolTimeoutMs: given.toolTimeoutMs,
    approvalTimeoutMs: given.approvalTimeoutMs ?? 300_000,
    toolConcurrency: given.toolConcurrency ?? 8,
    abortGraceMs: given.abortGraceMs ?? 1_000,
    maxToolResultBytes: given.maxToolResultBytes ?? 16 * mebibyte,
    maxArtifactBytes: given.maxArtifactBytes ?? 64 * mebibyte,
  }
}

/** The limits given last win; an `undefined` leaves what was there. */
export function mergeLimits(base: Partial<Limits>, over: Partial<Limits>): Partial<Limits> {
  const merged: Partial<Limits> = { ...base }
  for (const name of names) {
    const value = over[name]
    if (value !== undefined) merged[name] = value
  }
  return merged
}
