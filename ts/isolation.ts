// Process isolation: where its worker is, and what it means that it cannot be had.
import { IsolationUnavailableError } from './errors.ts'
import { workerPath, type NativeCodeMode } from './native.ts'

const unavailable = (reason: string) =>
  new IsolationUnavailableError(
    `\`isolation: 'process'\` cannot be had here: ${reason}. Nothing was run; it is never replaced by 'thread'.`,
  )

/** The file of this platform's worker. Throws an IsolationUnavailableError. */
export function findWorker(): string {
  try {
    return workerPath()
  } catch (error) {
    throw unavailable((error as Error).message)
  }
}

/** How long `close()` waits for processes that were told to end, which takes some milliseconds. */
const END_MS = 2000
const TICK_MS = 2

/** Resolves when no process of the pool is left, at once where other instances use it. */
export async function allEnded(native: NativeCodeMode): Promise<void> {
  const until = performance.now() + END_MS
  while (native.diagnostics().childProcesses > 0 && performance.now() < until)
    await new Promise((done) => setTimeout(done, TICK_MS))
}

/** Makes the native instance; what keeps it from isolating its runs becomes an IsolationUnavailableError. */
export function withIsolation<T>(worker: string | undefined, make: () => T): T {
  try {
    return make()
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string }
    if (worker !== undefined && code === 'GenericFailure') throw unavailable(message)
    throw error
  }
}
