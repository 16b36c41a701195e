// TanStack AI code mode (`@tanstack/ai-code-mode`): an isolate driver.
import type {
  ExecutionResult,
  IsolateConfig,
  IsolateContext,
  IsolateDriver,
} from '@tanstack/ai-code-mode'
import {
  CodeModeClosedError,
  createCodeMode,
  type CodeMode,
  type CodeModeOptions,
  type Outcome,
} from '../index.ts'
import { frameworkLimits, globalFunctions, logLines, withoutFence } from './guest-globals.ts'

/** What `createCodeMode` takes, but for the tools: those are the bindings. */
export type NativeIsolateDriverOptions = Omit<
  CodeModeOptions,
  'tools' | 'allow' | 'except' | 'exclusive' | 'name'
>

/** The package's defaults. */
const defaultTimeoutMs = 30_000
const defaultMemoryMb = 128

/**
 * A driver for `createCodeMode({ driver })` of TanStack AI. Programs find the bindings as `external_x(input)`; each program runs in a fresh realm.
 * `timeout` and `memoryLimit` (MiB) of the package win over `limits`. 1,000 calls, 32 at a time and 1,048,576 characters of output by default.
 */
export function createNativeIsolateDriver(options: NativeIsolateDriverOptions = {}): IsolateDriver {
  return {
    createContext: async ({
      bindings,
      timeout,
      memoryLimit,
    }: IsolateConfig): Promise<IsolateContext> => {
      const { tools, prelude } = globalFunctions(
        Object.fromEntries(
          Object.entries(bindings).map(([name, binding]) => [
            name,
            ([input]) => binding.execute(input),
          ]),
        ),
      )
      const codeMode = createCodeMode({
        ...options,
        tools,
        limits: {
          ...frameworkLimits,
          ...options.limits,
          timeoutMs: timeout ?? options.limits?.timeoutMs ?? defaultTimeoutMs,
          memoryLimitBytes:
            memoryLimit === undefined
              ? (options.limits?.memoryLimitBytes ?? defaultMemoryMb * 1_048_576)
              : memoryLimit * 1_048_576,
        },
      })
      return contextOf(codeMode, prelude)
    },
  }
}

function contextOf(codeMode: CodeMode, prelude: string): IsolateContext {
  return {
    async execute<T>(code: string): Promise<ExecutionResult<T>> {
      try {
        return toResult<T>(await codeMode.run(prelude + withoutFence(code)))
      } catch (error) {
        // The contract of a driver: a context that is gone answers, it does not throw.
        if (!CodeModeClosedError.isInstance(error)) throw error
        const told = { name: 'DisposedError', message: 'The context has been disposed' }
        return { success: false, error: told, logs: [] }
      }
    },
    dispose: () => codeMode.close(),
  }
}

function toResult<T>(outcome: Outcome): ExecutionResult<T> {
  const logs = logLines(outcome.logs, { warn: 'WARN: ', error: 'ERROR: ' })
  if (outcome.status === 'completed') return { success: true, value: outcome.result as T, logs }
  const { name, message, code } = outcome.error
  return { success: false, error: { name, message, code }, logs }
}
