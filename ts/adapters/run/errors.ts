// Errors with the names and codes of the package `run`.

const brand = Symbol.for('codemode-native.RunError')

/** What a run rejects with. A host function may throw one itself: its message and code then reach the program. */
export class RunError extends Error {
  readonly code: string
  readonly details?: unknown

  constructor(message: string, code = 'RUN_ERROR', details?: unknown) {
    super(message)
    this.name = 'RunError'
    this.code = code
    if (details !== undefined) this.details = details
    Object.defineProperty(this, brand, { value: true })
  }

  /** True for a RunError of any install of this package. */
  static isInstance(error: unknown): error is RunError {
    return typeof error === 'object' && error !== null && brand in error
  }
}

const named = <T extends RunError>(error: T, name: string): T => Object.assign(error, { name })

export class RunTimeoutError extends RunError {
  constructor(timeoutMs: number) {
    super(`JavaScript runtime execution timed out after ${timeoutMs}ms.`, 'RUN_TIMEOUT', {
      timeoutMs,
    })
    named(this, 'RunTimeoutError')
  }
}

export class RunAbortedError extends RunError {
  constructor() {
    super('JavaScript runtime execution was aborted.', 'RUN_ABORTED')
    named(this, 'RunAbortedError')
  }
}

export class RunBridgeLimitError extends RunError {
  constructor(message: string, details?: unknown) {
    super(message, 'RUN_BRIDGE_LIMIT', details)
    named(this, 'RunBridgeLimitError')
  }
}

export class RunConcurrencyError extends RunError {
  constructor(message: string) {
    super(message, 'RUN_CONCURRENCY_LIMIT')
    named(this, 'RunConcurrencyError')
  }
}

export class RunDetachedBridgeRequestError extends RunError {
  constructor(message: string, details?: unknown) {
    super(message, 'RUN_DETACHED_BRIDGE_REQUEST', details)
    named(this, 'RunDetachedBridgeRequestError')
  }
}

export class RunSourceTooLargeError extends RunError {
  constructor(message: string) {
    super(message, 'RUN_SOURCE_TOO_LARGE')
    named(this, 'RunSourceTooLargeError')
  }
}
