// The bounded text a model reads when its program failed: cause, place, what was found, first calls, what ran, one next step.
import { nextStep, type Failing } from './advice.ts'
import { codeFrame } from './code-frame.ts'
import { cutText, stringifyJson, type Json } from './json.ts'
import type { NativeDiagnostic } from './native.ts'
import type { CallRecord, FailureCode } from './outcome.ts'

/** Characters of arguments and of results shown per call. */
const partLimit = 200
const shownCalls = 5
const shownFindings = 3
const totalLimit = 3_999
const shortened = '(Shortened: … stands where text was cut.)'

/** What the parts may take, the roomiest first: the first that fits is taken. Calls keep their room. */
const sizes = [
  { message: 1_000, finding: 300, signature: 800 },
  { message: 600, finding: 150, signature: 300 },
  { message: 300, finding: 0, signature: 0 },
]
type Size = (typeof sizes)[number]
/** Cuts a text, and keeps in mind that it did. */
type Cut = (text: string, limit: number) => string

export interface ModelFailure {
  readonly code: FailureCode
  readonly name: string
  readonly message: string
  readonly line?: number | undefined
  readonly column?: number | undefined
}

/** What is known of the program beside its failure. */
export interface Background {
  /** Findings about the text, at their places. */
  readonly findings: readonly NativeDiagnostic[]
  /** Declarations of the tools that the failure is about. */
  readonly signatures: readonly string[]
  /** The call whose error ended the program. */
  readonly culprit?: CallRecord | undefined
  readonly invalid: boolean
}

const nothingKnown: Background = { findings: [], signatures: [], invalid: false }

export function modelText(
  failure: ModelFailure,
  code: string,
  calls: readonly CallRecord[],
  background: Background = nothingKnown,
): string {
  let text = ''
  for (const size of sizes) {
    text = compose(failure, code, calls, background, size)
    if (text.length <= totalLimit) return text
  }
  return cutText(text, totalLimit)
}

function compose(
  failure: ModelFailure,
  code: string,
  calls: readonly CallRecord[],
  background: Background,
  size: Size,
): string {
  let isCut = size !== sizes[0]
  const cut: Cut = (text, limit) => {
    isCut ||= text.length > limit
    return cutText(text, limit)
  }
  const parts: string[] = []
  if (failure.line !== undefined) {
    const frame = codeFrame(code, failure.line, failure.column)
    isCut ||= frame.isCut
    parts.push(frame.text)
  }
  parts.push(describeFindings(background.findings, size, cut))
  parts.push(describeSignatures(background.signatures, size, cut))
  parts.push(describeCalls(calls, cut))
  parts.push(describeEnd(failure, calls, background))
  const head = cut(headline(failure), size.message)
  const told = parts.filter((part) => part !== '')
  return [isCut ? `${head}\n${shortened}` : head, ...told].join('\n\n')
}

function headline({ name, message }: ModelFailure): string {
  if (message === '') return name
  return message.startsWith(`${name}:`) ? message : `${name}: ${message}`
}

function describeFindings(findings: readonly NativeDiagnostic[], size: Size, cut: Cut): string {
  if (findings.length === 0 || size.finding === 0) return ''
  const shown = findings
    .toSorted((a, b) => Number(b.error) - Number(a.error))
    .slice(0, shownFindings)
  const lines = shown.map(
    ({ message, line, column }) =>
      `- line ${line}, column ${column}: ${cut(message, size.finding)}`,
  )
  return ['Found in the program:', ...lines].join('\n')
}

function describeSignatures(signatures: readonly string[], size: Size, cut: Cut): string {
  if (signatures.length === 0 || size.signature === 0) return ''
  return [
    'Declared in `tools`:',
    ...signatures.map((text) => cut(text.trim(), size.signature)),
  ].join('\n')
}

function describeCalls(calls: readonly CallRecord[], cut: Cut): string {
  if (calls.length === 0) return ''
  const shown = calls.slice(0, shownCalls)
  const head =
    calls.length > shown.length
      ? `The first ${shown.length} of ${calls.length} tool calls:`
      : `Tool ${calls.length === 1 ? 'call' : 'calls'} made:`
  return [head, ...shown.map((call, i) => `${i + 1}. ${describeCall(call, cut)}`)].join('\n')
}

function describeCall(call: CallRecord, cut: Cut): string {
  const input = cut(stringifyJson(call.input), partLimit)
  return `${cut(call.toolName, 80)}(${input}) ${describeCallEnd(call, cut)}`
}

function describeCallEnd(call: CallRecord, cut: Cut): string {
  const error = () => cut(JSON.stringify(call.error ?? ''), partLimit)
  switch (call.status) {
    case 'done':
      return `-> ${cut(show(call.result), partLimit)}`
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

function describeEnd(
  { code, line }: ModelFailure,
  calls: readonly CallRecord[],
  { culprit, invalid, findings }: Background,
): string {
  const failing: Failing = { code, line, culprit, invalid, found: findings.length > 0 }
  return `${whatRan(code, calls)}\nNext: ${nextStep(failing)}`
}

const neverBegan = new Set<FailureCode>(['syntax_error', 'source_limit', 'overloaded'])

/** What was done and what was not: the model must know what a second program would do twice. */
function whatRan(code: FailureCode, calls: readonly CallRecord[]): string {
  if (neverBegan.has(code)) return 'Nothing ran: no tool was called.'
  if (calls.length === 0) return 'The program began, but called no tool.'
  const count = (...states: CallRecord['status'][]) =>
    calls.filter((call) => states.includes(call.status)).length
  const parts: [number, string][] = [
    [count('done'), 'done'],
    [count('error'), 'failed'],
    [count('denied'), 'denied'],
    [count('cancelled', 'pending'), 'cut off by the end of the run'],
  ]
  const told = parts.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`)
  const lasting = count('done') > 0 ? ' What is done stays done.' : ''
  const whole = `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}`
  return `Of ${whole}: ${told.join(', ')}.${lasting}`
}
