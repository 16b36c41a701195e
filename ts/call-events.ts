// What events say of one call.
import type { Call } from './call.ts'
import type { CodeModeEvent } from './events.ts'
import { cutText, defineResult } from './json.ts'
import { describeHostError } from './refusal.ts'

export function aboutCall(call: Call) {
  return {
    toolCallId: call.id,
    parentToolCallId: call.run.id,
    toolName: call.tool.name,
  }
}

/** `hostError` is what the host alone learns. */
export function callEnded(call: Call, hostError: unknown): CodeModeEvent {
  const { durationMs } = call
  if (call.status === 'done') {
    const event = { type: 'tool.done' as const, ...aboutCall(call), result: null, durationMs }
    if (call.text !== undefined) defineResult(event, call.text)
    return event
  }
  const error =
    hostError === undefined
      ? (call.error ?? '')
      : `${call.error} (${cutText(describeHostError(hostError), 1_000)})`
  return { type: 'tool.error', ...aboutCall(call), error, durationMs }
}
