// Tools for tests: they answer as they are told, and remember how they were called.
import type { Json, Tool, ToolContext } from '../index.ts'

export interface MockCall {
  readonly input: Json
  readonly toolCallId: string
  /** What the run was given as `context`. */
  readonly context: unknown
}

/** What a mock answers with: a value, a function of the input, or an error to throw. A list answers one call after the other. */
export type MockAnswer = Json | Error | ((input: never, context: ToolContext) => unknown)

export interface MockTool extends Tool<Json> {
  /** Every call that reached the tool, in order. Calls that the gate refused do not. */
  readonly calls: readonly MockCall[]
  /** Answers to come, before the answer it was made with. */
  answerOnce(...answers: readonly MockAnswer[]): MockTool
  /** Takes the place of the answer it was made with. */
  answer(answer: MockAnswer): MockTool
  /** Forgets calls and answers to come. */
  reset(): void
  /** Throws an Error that lists the calls, unless there was one with exactly this input. */
  expectCalledWith(input: Json): void
  /** Throws an Error that lists the calls, unless there were exactly `times`. */
  expectCalledTimes(times: number): void
}

/** A tool that answers with `answer` (default: null). `definition` adds a schema, `readOnly` and so on. */
export function mockTool(answer: MockAnswer = null, definition: Partial<Tool> = {}): MockTool {
  const calls: MockCall[] = []
  let standing = answer
  let coming: MockAnswer[] = []
  const tool: MockTool = {
    ...definition,
    calls,
    execute(input: Json, context) {
      const { toolCallId, context: given } = context
      calls.push({ input: structuredClone(input), toolCallId, context: given })
      return give(coming.length > 0 ? (coming.shift() as MockAnswer) : standing, input, context)
    },
    answerOnce(...answers) {
      coming.push(...answers)
      return tool
    },
    answer(next) {
      standing = next
      return tool
    },
    reset() {
      calls.length = 0
      coming = []
    },
    expectCalledWith(input) {
      const wanted = stable(input)
      if (!calls.some((call) => stable(call.input) === wanted))
        throw new Error(`Expected a call with ${wanted}, got ${list(calls)}`)
    },
    expectCalledTimes(times) {
      if (calls.length !== times)
        throw new Error(`Expected ${times} ${times === 1 ? 'call' : 'calls'}, got ${list(calls)}`)
    },
  }
  return tool
}

/** One mock for each name. */
export function mockTools<Names extends string>(
  answers: Readonly<Record<Names, MockAnswer>>,
): Record<Names, MockTool> {
  const entries = Object.entries(answers) as [Names, MockAnswer][]
  return Object.fromEntries(entries.map(([name, answer]) => [name, mockTool(answer)])) as Record<
    Names,
    MockTool
  >
}

function give(answer: MockAnswer, input: Json, context: ToolContext): unknown {
  if (answer instanceof Error) throw answer
  return typeof answer === 'function' ? answer(input as never, context) : answer
}

function list(calls: readonly MockCall[]): string {
  if (calls.length === 0) return 'none'
  return `${calls.length}: ${calls.map((call) => stable(call.input)).join(', ')}`
}

/** JSON with sorted keys: two inputs that say the same are the same text. */
export function stable(value: Json | undefined): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
