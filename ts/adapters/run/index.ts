// The call shape of the package `run` (vercel-labs/run), as far as it maps: function bodies, host functions in groups, limits, abort.
//
// What does not map is refused, never ignored: `moduleLoader`, `sourceType: 'module'`, `syncHostFunctions`, continuations and `interrupt()`.
// Values cross as JSON: a Date arrives as its text, a Map as `{}`, a BigInt is refused.
import {
  createCodeMode,
  NotAvailableError,
  type CallRecord,
  type Json,
  type Outcome,
  type ToolContext,
} from '../../index.ts'
import { groupFunctions, mergeGlobals, type GuestGlobals, type HostCall } from '../guest-globals.ts'
import { getHostFunctionContext, withContext, type HostFunctionContext } from './context.ts'
import {
  RunAbortedError,
  RunBridgeLimitError,
  RunConcurrencyError,
  RunDetachedBridgeRequestError,
  RunError,
  RunSourceTooLargeError,
  RunTimeoutError,
} from './errors.ts'
import { readLimits, type RunLimits } from './limits.ts'

export {
  getHostFunctionContext,
  RunAbortedError,
  RunBridgeLimitError,
  RunConcurrencyError,
  RunDetachedBridgeRequestError,
  RunError,
  RunSourceTooLargeError,
  RunTimeoutError,
}
export type { HostFunctionContext, RunLimits }

// eslint-disable-next-line typescript/no-explicit-any -- contravariant: any function must be assignable
export type HostFunction = (...args: any[]) => unknown
/** Groups of functions, each a global object of the program. */
export type HostFunctions = Record<string, Record<string, HostFunction>>

export interface RunInput {
  /** Body of an async function, in JavaScript or TypeScript. */
  source: string
  /** Only `function-body`. */
  sourceType?: 'function-body'
  hostFunctions?: HostFunctions
  abortSignal?: AbortSignal
  limits?: RunLimits
}

export interface RunnerOptions {
  limits?: RunLimits
}

export interface RunCompletedResult<OUTPUT = unknown> {
  status: 'completed'
  value: OUTPUT
}

export interface Runner {
  run<OUTPUT = unknown>(input: RunInput): Promise<RunCompletedResult<OUTPUT>>
}

/**
 * Runs one program. Rejects with a RunError for what the program did or a limit, with a TypeError or RangeError for misuse, and with a
 * NotAvailableError for an option that does not map.
 */
export function run<OUTPUT = unknown>(input: RunInput): Promise<RunCompletedResult<OUTPUT>> {
  return createRunner().run<OUTPUT>(input)
}

/** A runner with limits of its own; those of a run win. */
export function createRunner(options: RunnerOptions = {}): Runner {
  refuseUnknown(options, ['limits'])
  return {
    async run<OUTPUT>(input: RunInput): Promise<RunCompletedResult<OUTPUT>> {
      refuseUnknown(input, ['source', 'sourceType', 'hostFunctions', 'abortSignal', 'limits'])
      if (input.sourceType !== undefined && input.sourceType !== 'function-body')
        throw new NotAvailableError('`sourceType: "module"`')
      const limits = { ...options.limits, ...input.limits }
      const { tools, prelude } = globalsOf(input.hostFunctions ?? {})
      await using codeMode = createCodeMode({ tools, limits: readLimits(limits) })
      const { abortSignal } = input
      const outcome = await codeMode.run(prelude + input.source, abortSignal ? { abortSignal } : {})
      return { status: 'completed', value: valueOf(outcome, limits) as OUTPUT }
    },
  }
}

function refuseUnknown(given: object, known: readonly string[]): void {
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !known.includes(name)) throw new NotAvailableError(`\`${name}\``)
}

// ---------------------------------------------------------------- host functions

/** The guest's side: a call that failed on the host throws an error with the name, message and code that the host allows. */
const body =
  'call(args).then((r)=>{if(r.error)throw Object.assign(new Error(r.error.message),{name:r.error.name,code:r.error.code});return r.value})'
const unknown = (group: string) =>
  `throw Object.assign(new Error('Unknown host function: ${group}.'+name),{name:'RunHostFunctionError',code:'RUN_HOST_FUNCTION_ERROR'})`

function globalsOf(groups: HostFunctions): GuestGlobals {
  return mergeGlobals(
    Object.entries(groups).map(([group, functions]) => {
      if (!/^[A-Za-z_$][\w$]*$/.test(group))
        throw new TypeError(`Invalid host function namespace: ${group}`)
      const calls = Object.entries(functions).map(([name, call]) => [
        name,
        hostCall(`${group}.${name}`, call),
      ])
      return groupFunctions(group, Object.fromEntries(calls) as Record<string, HostCall>, {
        body,
        unknown: unknown(group),
      })
    }),
  )
}

function hostCall(hostFunctionName: string, call: HostFunction): HostCall {
  return async (args: Json[], context: ToolContext) => {
    const [invocationId, index] = [context.parentToolCallId, context.toolCallId.lastIndexOf(':')]
    try {
      const value = await withContext(
        {
          hostFunctionName,
          invocationId,
          logicalRunId: invocationId,
          requestId: context.toolCallId,
          requestIndex: Number(context.toolCallId.slice(index + 1)),
          abortSignal: context.abortSignal,
        },
        () => call(...args),
      )
      return { value }
    } catch (error) {
      return { error: toGuestError(error) }
    }
  }
}

/** Only a RunError says to the program what it says; everything else may hold what is not meant for it. */
function toGuestError(error: unknown): { name: string; message: string; code: string } {
  if (RunError.isInstance(error))
    return { name: error.name, message: error.message, code: error.code }
  return { name: 'Error', message: 'Host function failed.', code: 'RUN_HOST_FUNCTION_ERROR' }
}

// ---------------------------------------------------------------- outcomes

function valueOf(outcome: Outcome, limits: RunLimits): Json {
  if (outcome.status === 'failed') throw toRunError(outcome, limits)
  const detached = outcome.calls.find(({ status }) => status === 'cancelled')
  if (detached) throw detachedError(detached)
  return outcome.result
}

function detachedError({ toolName }: CallRecord): RunError {
  return new RunDetachedBridgeRequestError(
    `JavaScript runtime created an unawaited hostFunction bridge request: ${toolName}.`,
    { kind: 'hostFunction', name: toolName },
  )
}

function toRunError({ error }: Extract<Outcome, { status: 'failed' }>, limits: RunLimits): Error {
  const { code, name, message, line, column } = error
  switch (code) {
    case 'timeout':
    case 'cpu_timeout':
      return new RunTimeoutError(limits.timeoutMs ?? 30_000)
    case 'aborted':
      return new RunAbortedError()
    case 'tool_call_limit':
      return new RunBridgeLimitError(message, {
        maxBridgeRequests: limits.maxBridgeRequests ?? 256,
      })
    case 'source_limit':
      return new RunSourceTooLargeError(message)
    case 'overloaded':
      return new RunConcurrencyError(message)
    case 'not_serializable':
      return Object.assign(new RunError(message, 'RUN_SERIALIZATION_ERROR'), { name: 'TypeError' })
    case 'output_limit':
      return new RunError(message, 'RUN_SERIALIZATION_ERROR')
    default: {
      const place = line === undefined ? undefined : { line, column }
      return Object.assign(new RunError(message, 'RUN_USER_SOURCE_ERROR', place), { name })
    }
  }
}
