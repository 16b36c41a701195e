// Records what tools answered in a run, and answers the same without them.
import type { Json, Outcome, Tool } from '../index.ts'
import { stable } from './mock-tools.ts'

/** A run as a fixture: plain JSON, made to be kept in a file. */
export interface Recording {
  readonly version: 1
  readonly source: string
  readonly calls: readonly RecordedCall[]
  readonly outcome: RecordedOutcome
}

export interface RecordedCall {
  readonly tool: string
  readonly input: Json
  readonly result?: Json
  readonly error?: string
}

export type RecordedOutcome =
  | { readonly status: 'completed'; readonly result: Json }
  | { readonly status: 'failed'; readonly code: string; readonly message: string }

/** Makes a recording of a run that ended. Throws an Error where a call has no end: such a run cannot be replayed. */
export function recordRun(source: string, outcome: Outcome): Recording {
  const calls = outcome.calls.map(({ toolName, input, status, result, error }): RecordedCall => {
    if (status === 'cancelled' || status === 'pending')
      throw new Error(`Cannot record a run whose call of ${toolName} has not ended (${status})`)
    if (status === 'done')
      return { tool: toolName, input, ...(result === undefined ? {} : { result }) }
    return { tool: toolName, input, error: error ?? 'The tool failed' }
  })
  return {
    version: 1,
    source,
    calls,
    outcome:
      outcome.status === 'completed'
        ? { status: 'completed', result: outcome.result }
        : { status: 'failed', code: outcome.error.code, message: outcome.error.message },
  }
}

export interface Replay {
  /** For `createCodeMode({ tools })`: they answer as recorded, the same input with the answers in their recorded order. */
  readonly tools: Record<string, Tool>
  /** Recorded calls that were not made (yet). */
  readonly unused: readonly RecordedCall[]
  /** Calls that were made and are not recorded; each also throws in the program. */
  readonly unexpected: readonly { readonly tool: string; readonly input: Json }[]
  /** Throws an Error that names what differs, unless exactly the recorded calls were made. */
  expectComplete(): void
}

/**
 * Tools that answer from a recording, without anything live. `definitions` gives the tools their schemas: arguments are then checked as they were.
 * Throws a TypeError for what is no recording.
 */
export function replayTools(
  recording: Recording,
  definitions: Readonly<Record<string, Partial<Tool>>> = {},
): Replay {
  if (recording?.version !== 1 || !Array.isArray(recording.calls))
    throw new TypeError('Expected `recording` to be a recording of version 1')
  const waiting = [...recording.calls]
  const unexpected: { tool: string; input: Json }[] = []
  const answer = (tool: string, input: Json): Json | undefined => {
    const wanted = stable(input)
    const at = waiting.findIndex((call) => call.tool === tool && stable(call.input) === wanted)
    const [call] = at < 0 ? [] : waiting.splice(at, 1)
    if (call === undefined) {
      unexpected.push({ tool, input })
      throw new Error(`No recorded call of ${tool} with ${wanted}`)
    }
    if (call.error !== undefined) throw new Error(call.error)
    return call.result
  }
  const names = new Set([...recording.calls.map((call) => call.tool), ...Object.keys(definitions)])
  const tools = [...names].map((name): [string, Tool] => [
    name,
    {
      inputSchema: true,
      ...definitions[name],
      execute: (input: Json) => answer(name, input),
    },
  ])
  return {
    tools: Object.fromEntries(tools),
    get unused() {
      return waiting
    },
    unexpected,
    expectComplete: () => expectComplete(waiting, unexpected),
  }
}

function expectComplete(
  unused: readonly RecordedCall[],
  unexpected: readonly { tool: string; input: Json }[],
): void {
  const tell = (calls: readonly { tool: string; input: Json }[]) =>
    calls.map(({ tool, input }) => `${tool}(${stable(input)})`).join(', ')
  const parts = [
    ...(unused.length > 0 ? [`not made: ${tell(unused)}`] : []),
    ...(unexpected.length > 0 ? [`not recorded: ${tell(unexpected)}`] : []),
  ]
  if (parts.length > 0) throw new Error(`The run differs from its recording; ${parts.join('; ')}`)
}
