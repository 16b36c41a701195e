// The one next step for the model, by what ended the run. Words of one kind of failure stay out of the others.
import type { CallRecord, FailureCode } from './outcome.ts'

export interface Failing {
  readonly code: FailureCode
  readonly line?: number | undefined
  /** The call whose error ended the program. */
  readonly culprit?: CallRecord | undefined
  /** The culprit's arguments broke its schema. */
  readonly invalid: boolean
  /** Something was found in the program that explains it. */
  readonly found: boolean
}

export function nextStep(failing: Failing): string {
  const { code, line, found } = failing
  switch (code) {
    case 'syntax_error':
      return `correct ${line === undefined ? 'it' : `line ${line}`} and send the whole program again.`
    case 'script_error':
      return found
        ? 'correct what was found and send the whole program again.'
        : afterScriptError(failing)
    case 'not_serializable':
      return 'return plain data: strings, finite numbers, booleans, null, lists and objects of those; await every promise first.'
    case 'source_limit':
      return 'send a shorter program: get data from tools instead of writing it out, or split the work.'
    case 'timeout':
      return 'make fewer calls, put independent ones in one `Promise.all`, or split the work over several programs.'
    case 'cpu_timeout':
      return 'compute less: look for a loop that does not end, or let a tool do the work.'
    case 'memory_limit':
      return 'hold less at one time: handle items one by one and keep only the fields that are needed.'
    case 'tool_call_limit':
      return 'make fewer calls in one program: filter first, or go on in a second program where this one ended.'
    case 'output_limit':
      return 'return less: only the fields and rows that were asked for, `list.slice(0, 20)` or a count instead of a whole list; log less.'
    case 'overloaded':
      return 'send the same program again, later.'
    case 'aborted':
    case 'stopped':
      return 'do not send it again unless you are asked to.'
    case 'guardrail':
      return 'do not make that call again; go on without it, or ask the user.'
    case 'crashed':
    case 'internal':
      return 'this is no fault of the program; send it again only if its calls may be made twice.'
  }
}

function afterScriptError({ culprit, invalid, line }: Failing): string {
  if (culprit === undefined)
    return `correct ${line === undefined ? 'the program' : `line ${line}`} and send the whole program again.`
  const tool = culprit.toolName.slice(0, 80)
  if (invalid) return `call ${tool} with arguments that fit its declaration.`
  if (culprit.status === 'denied')
    return `do without this call of ${tool}, or do what its message says; the same call is refused again.`
  return `do what the message of ${tool} says, or put the call in try/catch if the program can go on without its result.`
}
