// The bounded text a model reads when its program failed: cause, place, first calls.
import type { CallRecord } from './outcome.ts'
import { cutText, stringifyJson, type Json } from './json.ts'

/** Characters of arguments and of results shown per call. */
const partLimit = 200
const shownCalls = 5
const messageLimit = 1_000
const lineLimit = 120
const totalLimit = 3_999

export interface FailurePlace {
  readonly name: string
  readonly message: string
  readonly line?: number | undefined
  readonly column?: number | undefined
}

export function modelText(
  failure: FailurePlace,
  code: string,
  calls: readonly CallRecord[],
): string {
  const parts = [cutText(headline(failure), messageLimit)]
  const { line } = failure
  if (line !== undefined) parts.push(codeFrame(code, line, failure.column))
  if (calls.length > 0) parts.push(describeCalls(calls))
  return cutText(parts.join('\n\n'), totalLimit)
}

function headline({ name, message }: FailurePlace): string {
  if (message === '') return name
  return message.startsWith(`${name}:`) ? message : `${name}: ${message}`
}

/** The line, its neighbours, and a mark under the column. */
function codeFrame(code: string, line: number, column: number | undefined): string {
  const lines = code.split(/\r\n|[\n\r\u2028\u2029]/)
  const from = Math.max(1, line - 1)
  const to = Math.min(lines.length, line + 1)
  const width = String(to).length
  const frame = [column === undefined ? `At line ${line}:` : `At line ${line}, column ${column}:`]
  for (let n = from; n <= to; n++) {
    const mark = n === line ? '>' : ' '
    frame.push(`${mark} ${String(n).padStart(width)} | ${(lines[n - 1] ?? '').slice(0, lineLimit)}`)
    if (n === line && column !== undefined && column <= lineLimit)
      frame.push(`  ${' '.repeat(width)} | ${' '.repeat(column - 1)}^`)
  }
  return frame.join('\n')
}

function describeCalls(calls: readonly CallRecord[]): string {
  const shown = calls.slice(0, shownCalls)
  const head =
    calls.length > shown.length
      ? `The first ${shown.length} of ${calls.length} tool calls:`
      : `Tool ${calls.length === 1 ? 'call' : 'calls'} made:`
  return [head, ...shown.map((call, i) => `${i + 1}. ${describeCall(call)}`)].join('\n')
}

function describeCall(call: CallRecord): string {
  const input = cutText(stringifyJson(call.input), partLimit)
  return `${cutText(call.toolName, 80)}(${input}) ${describeEnd(call)}`
}

function describeEnd(call: CallRecord): string {
  const error = () => cutText(JSON.stringify(call.error ?? ''), partLimit)
  switch (call.status) {
    case 'done':
      return `-> ${cutText(show(call.result), partLimit)}`
    case 'pending':
      return 'did not end'
    case 'cancelled':
      return 'was still running when the run ended'
    default:
      return `threw ToolError ${error()}`
  }
}

function show(result: Json | undefined): string {
  return result === undefined ? 'undefined' : stringifyJson(result)
}
