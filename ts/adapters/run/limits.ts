// Limits of the package `run`, by their names there, as limits of this package.
import type { Limits } from '../../index.ts'

/** Every limit is a whole number from 1 to 2,147,483,647. Sizes in bytes are taken as characters of JSON or source. */
export interface RunLimits {
  /** @default 30_000 */
  timeoutMs?: number
  /** @default 64 * 1024 * 1024 */
  memoryLimitBytes?: number
  /** @default 1024 * 1024, not 2 MiB */
  maxStackSizeBytes?: number
  /** With `maxConsoleOutputBytes` one budget for result and log lines. @default 1024 * 1024 */
  maxResultBytes?: number
  /** @default 64 * 1024 */
  maxConsoleOutputBytes?: number
  /** @default 128 * 1024, not 256 KiB */
  maxSourceBytes?: number
  /** @default 1024 * 1024 */
  maxHostFunctionArgumentsBytes?: number
  /** @default 4 * 1024 * 1024 */
  maxHostFunctionOutputBytes?: number
  /** @default 256 */
  maxBridgeRequests?: number
  /** More wait in order instead of failing. @default 32 */
  maxInFlightBridgeRequests?: number
}

const defaults: Required<RunLimits> = {
  timeoutMs: 30_000,
  memoryLimitBytes: 64 * 1024 * 1024,
  maxStackSizeBytes: 1024 * 1024,
  maxResultBytes: 1024 * 1024,
  maxConsoleOutputBytes: 64 * 1024,
  maxSourceBytes: 128 * 1024,
  maxHostFunctionArgumentsBytes: 1024 * 1024,
  maxHostFunctionOutputBytes: 4 * 1024 * 1024,
  maxBridgeRequests: 256,
  maxInFlightBridgeRequests: 32,
}

/** Throws a TypeError for an unknown name or a value that is no positive whole number. */
export function readLimits(given: RunLimits): Partial<Limits> {
  for (const [name, value] of Object.entries(given)) {
    if (!(name in defaults)) throw new TypeError(`limits.${name} is not a limit that maps.`)
    if (!Number.isInteger(value) || value < 1 || value > 2_147_483_647)
      throw new TypeError(`limits.${name} must be a positive integer.`)
  }
  const limits = { ...defaults, ...given }
  return {
    timeoutMs: limits.timeoutMs,
    memoryLimitBytes: limits.memoryLimitBytes,
    stackLimitBytes: limits.maxStackSizeBytes,
    maxOutputChars: limits.maxResultBytes + limits.maxConsoleOutputBytes,
    maxSourceChars: limits.maxSourceBytes,
    maxToolArgChars: limits.maxHostFunctionArgumentsBytes,
    maxToolResultBytes: limits.maxHostFunctionOutputBytes,
    maxToolCalls: limits.maxBridgeRequests,
    toolConcurrency: limits.maxInFlightBridgeRequests,
  }
}
