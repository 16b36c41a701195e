// Mastra code mode (`@mastra/core/tools`): a transport that needs no sandbox of a workspace.
import type { CodeModeToolResult, CodeModeTransport } from '@mastra/core/tools'
import { createCodeMode, type CodeModeOptions, type Outcome } from '../index.ts'
import {
  frameworkLimits,
  globalFunctions,
  logLines,
  withoutFence,
  type HostCall,
} from './guest-globals.ts'

/** What `createCodeMode` of this package takes, but for the tools: those are Mastra's. */
export type NativeTransportOptions = Omit<
  CodeModeOptions,
  'tools' | 'allow' | 'except' | 'exclusive' | 'name'
>

type TransportRun = Parameters<CodeModeTransport['run']>[0]

/**
 * The second argument of Mastra's `createCodeMode(config, transport)`. Programs find the tools as `external_<id>(input)`; Mastra validates, traces and
 * runs them. Its `timeout` wins over `limits.timeoutMs`. 1,000 calls, 32 at a time and 1,048,576 characters of output by default.
 */
export function createNativeTransport(options: NativeTransportOptions = {}): CodeModeTransport {
  return { requiresSandbox: false, run: (run) => runProgram(run, options) }
}

async function runProgram(
  run: TransportRun,
  options: NativeTransportOptions,
): Promise<CodeModeToolResult> {
  const { tools, prelude } = globalFunctions(
    Object.fromEntries(run.toolIds.map((id) => [`external_${id}`, dispatcher(id, run)])),
  )
  await using codeMode = createCodeMode({
    ...options,
    tools,
    limits: { ...frameworkLimits, ...options.limits, timeoutMs: run.timeout },
  })
  const { abortSignal } = run
  const program = prelude + withoutFence(run.program)
  return toResult(await codeMode.run(program, abortSignal ? { abortSignal } : {}))
}

function dispatcher(
  id: string,
  { dispatch, onExternalCall, onExternalResult }: TransportRun,
): HostCall {
  return async ([input]) => {
    onExternalCall?.(id, input)
    const began = performance.now()
    try {
      const result = await dispatch(id, input)
      onExternalResult?.(id, performance.now() - began)
      return result
    } catch (error) {
      onExternalResult?.(id, performance.now() - began, error)
      throw error
    }
  }
}

function toResult(outcome: Outcome): CodeModeToolResult {
  const logs = logLines(outcome.logs, { warn: '[warn] ', error: '[error] ' })
  if (outcome.status === 'completed') return { success: true, result: outcome.result, logs }
  const { message, name, line } = outcome.error
  return { success: false, error: { message, name, ...(line === undefined ? {} : { line }) }, logs }
}
