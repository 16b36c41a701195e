// `getHostFunctionContext()`: what a host function knows of its call.
import { AsyncLocalStorage } from 'node:async_hooks'
import { NotAvailableError } from '../../index.ts'

export interface HostFunctionContext {
  /** Aborted when the run is aborted, times out or fails. */
  readonly abortSignal: AbortSignal
  readonly invocationId: string
  /** Equal to `invocationId`: a run is never resumed. */
  readonly logicalRunId: string
  readonly requestId: string
  /** One-based order of the call in the run. */
  readonly requestIndex: number
  /** For example `tools.search`. */
  readonly hostFunctionName: string
  /** Throws a NotAvailableError: runs cannot be paused by a host function. Use `approve` of `createCodeMode`. */
  interrupt(payload: unknown): never
}

const store = new AsyncLocalStorage<HostFunctionContext>()

export function withContext<T>(context: Omit<HostFunctionContext, 'interrupt'>, call: () => T): T {
  const interrupt = () => {
    throw new NotAvailableError('`interrupt()`')
  }
  return store.run({ ...context, interrupt }, call)
}

/** The context of the host function that runs. Throws an Error outside of one. */
export function getHostFunctionContext(): HostFunctionContext {
  const context = store.getStore()
  if (!context) throw new Error('getHostFunctionContext() was called outside of a host function.')
  return context
}
