// Options of a session: read and checked, defaults filled in.
import { isAbortSignal } from './abort-signals.ts'
import { expectFunction, expectKnownKeys, expectObject, expectText, wrongType } from './expect.ts'
import { checkInteger, checkLimits, mergeLimits, resolveLimits } from './limits.ts'
import type { Limits, ResolvedLimits } from './limits.ts'
import type { ControlOptions, SessionOptions, ToolCallCounter } from './session.ts'

/** Options after reading. */
export interface ReadSessionOptions {
  readonly observeMs: number
  readonly maxPrograms: number
  readonly cleanupMs: number
  readonly maxChunkChars: number
  readonly maxStoreChars: number
  readonly limits: ResolvedLimits
  readonly counter: ToolCallCounter
  readonly abortSignal: AbortSignal | undefined
  readonly context: unknown
  readonly onEvent: SessionOptions['onEvent']
}

const longestTimer = 2_147_483_647
const ranges = {
  observeMs: [0, longestTimer],
  wallMs: [1, longestTimer],
  maxPrograms: [1, longestTimer],
  cleanupMs: [1, longestTimer],
  maxChunkChars: [2, longestTimer],
  maxStoreChars: [0, longestTimer],
} as const
const known = [
  ...Object.keys(ranges),
  ...['limits', 'toolCallCounter', 'abortSignal', 'context', 'onEvent'],
]

/** `limits` are the instance's, as its host gave them. */
export function readSessionOptions(
  options: SessionOptions = {},
  limits: Partial<Limits>,
): ReadSessionOptions {
  expectObject('options', options)
  expectKnownKeys('options', options, known)
  for (const [name, [from, to]] of Object.entries(ranges)) {
    const value = options[name as keyof typeof ranges]
    if (value !== undefined) checkInteger(`options.${name}`, value, from, to)
  }
  const { abortSignal, onEvent, toolCallCounter, observeMs = 60_000, cleanupMs = 5_000 } = options
  if (options.limits !== undefined) checkLimits('options.limits', options.limits)
  if (abortSignal !== undefined) expectSignal('options.abortSignal', abortSignal)
  if (onEvent !== undefined) expectFunction('options.onEvent', onEvent)
  if (toolCallCounter !== undefined) {
    expectObject('options.toolCallCounter', toolCallCounter)
    checkInteger('options.toolCallCounter.made', toolCallCounter.made, 0, longestTimer)
  }
  return {
    ...{ observeMs, cleanupMs, abortSignal, onEvent, context: options.context },
    maxPrograms: options.maxPrograms ?? 16,
    maxChunkChars: options.maxChunkChars ?? 20_000,
    maxStoreChars: options.maxStoreChars ?? 1_000_000,
    limits: programLimits(limits, options, cleanupMs),
    counter: toolCallCounter ?? { made: 0 },
  }
}

/** A program lives long, but an endless loop in it ends as soon as in any run. */
function programLimits(
  base: Partial<Limits>,
  options: SessionOptions,
  cleanupMs: number,
): ResolvedLimits {
  const { wallMs = 3_600_000 } = options
  const merged = mergeLimits(base, options.limits ?? {})
  const cpuTimeoutMs = merged.cpuTimeoutMs ?? Math.min(wallMs, merged.timeoutMs ?? 30_000)
  return resolveLimits({ ...merged, timeoutMs: wallMs, cpuTimeoutMs, abortGraceMs: cleanupMs })
}

/** Of exec, wait and stop. Frameworks give their tools more options than ours: those are left alone. */
export function checkControlOptions(options: ControlOptions | undefined): void {
  if (options === undefined) return
  expectObject('options', options)
  const { toolCallId, abortSignal } = options
  if (toolCallId !== undefined) expectText('options.toolCallId', toolCallId)
  if (abortSignal !== undefined) expectSignal('options.abortSignal', abortSignal)
}

function expectSignal(path: string, value: unknown): void {
  if (!isAbortSignal(value)) throw wrongType(path, 'an AbortSignal', value)
}
