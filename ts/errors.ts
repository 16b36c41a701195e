// Error classes. Each carries a brand under `Symbol.for`, so that `isInstance` also works across duplicate installs.
import type { Failed, FailureCode } from './outcome.ts'

const brandOf = (name: string) => Symbol.for(`codemode-native.${name}`)

function hasBrand(value: unknown, brand: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && brand in value
  } catch {
    return false // a proxy that throws is none of ours
  }
}

function mark(target: object, name: string): void {
  Object.defineProperty(target, brandOf(name), { value: true })
  Object.defineProperty(target, 'name', { value: name, writable: true, configurable: true })
}

/** A failed run, as `tool.execute` throws it. Its message is `outcome.error.modelText`: what the model should read. */
export class CodeModeError extends Error {
  readonly code: FailureCode
  /** The whole outcome: logs, calls, numbers. */
  readonly outcome: Failed

  constructor(outcome: Failed) {
    super(outcome.error.modelText)
    this.code = outcome.error.code
    this.outcome = outcome
  }

  /** True for a CodeModeError of any install of this package. */
  static isInstance(value: unknown): value is CodeModeError {
    return hasBrand(value, brandOf('CodeModeError'))
  }
}

/** `isolation: 'process'` was asked for where it cannot be enforced. Nothing runs; it is never downgraded. */
export class IsolationUnavailableError extends Error {
  static isInstance(value: unknown): value is IsolationUnavailableError {
    return hasBrand(value, brandOf('IsolationUnavailableError'))
  }
}

/** A part of the contract that this version does not have. Nothing was done. */
export class NotAvailableError extends Error {
  constructor(what: string) {
    super(`${what} is not available in this version of codemode-native`)
  }

  static isInstance(value: unknown): value is NotAvailableError {
    return hasBrand(value, brandOf('NotAvailableError'))
  }
}

/** The instance was closed; nothing ran. */
export class CodeModeClosedError extends Error {
  constructor() {
    super('This code mode is closed')
  }

  static isInstance(value: unknown): value is CodeModeClosedError {
    return hasBrand(value, brandOf('CodeModeClosedError'))
  }
}

/** A fault of this package, never of the script. The instance can be used further. */
export class CodeModeInternalError extends Error {
  static isInstance(value: unknown): value is CodeModeInternalError {
    return hasBrand(value, brandOf('CodeModeInternalError'))
  }
}

/**
 * `busy`: another operation is in progress. `no_program`: nothing to wait for or to stop. `program_active`: exec before the end of
 * the last program was told. `program_limit`: `maxPrograms` ran. `closed`: by `close()` or its owner's signal. `cleanup_failed`: what
 * the session started did not end in time, so nothing more is promised of it.
 */
export type SessionErrorCode =
  'busy' | 'no_program' | 'program_active' | 'program_limit' | 'closed' | 'cleanup_failed'

/** An operation that a session refused; nothing was done. Only `close()` rejects with it (`cleanup_failed`) after it did something. */
export class SessionError extends Error {
  readonly code: SessionErrorCode

  constructor(code: SessionErrorCode, message: string) {
    super(message)
    this.code = code
  }

  static isInstance(value: unknown): value is SessionError {
    return hasBrand(value, brandOf('SessionError'))
  }
}

/** Throw it from a tool whose sub-agent waits for an approval. The script is told to leave that tool to a direct call. */
export class ApprovalNeededError extends Error {
  constructor(message = 'A sub-agent needs approval') {
    super(message)
  }

  static isInstance(value: unknown): value is ApprovalNeededError {
    return hasBrand(value, brandOf('ApprovalNeededError'))
  }
}

/** The user has to sign in to `provider` first. `context.getToken` throws it; a tool may throw it itself. */
export class SignInNeededError extends Error {
  readonly provider: string

  constructor(provider: string) {
    super(`The user needs to sign in to ${provider}`)
    this.provider = provider
  }

  static isInstance(value: unknown): value is SignInNeededError {
    return hasBrand(value, brandOf('SignInNeededError'))
  }
}

mark(CodeModeError.prototype, 'CodeModeError')
mark(IsolationUnavailableError.prototype, 'IsolationUnavailableError')
mark(NotAvailableError.prototype, 'NotAvailableError')
mark(CodeModeClosedError.prototype, 'CodeModeClosedError')
mark(CodeModeInternalError.prototype, 'CodeModeInternalError')
mark(SessionError.prototype, 'SessionError')
mark(ApprovalNeededError.prototype, 'ApprovalNeededError')
mark(SignInNeededError.prototype, 'SignInNeededError')
