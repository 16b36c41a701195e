// The execute step: enters the tool, keeps its clock, follows an async iterable, and words what the tool throws.
import type { Call } from './call.ts'
import { ApprovalNeededError, SignInNeededError } from './errors.ts'
import { cutText, encodeJson, NotJson } from './json.ts'
import { failedWith, messageOf, type Refusal } from './refusal.ts'
import * as sentences from './sentences.ts'
import type { ToolContext } from './tools.ts'

/** Characters of a tool's error message that reach the script. */
const messageLimit = 8_192

export function executeTool(call: Call, context: ToolContext): unknown {
  const limit = call.tool.timeoutMs ?? call.run.limits.toolTimeoutMs
  if (limit !== undefined) call.timer = setTimeout(timeOut, limit, call, limit)
  call.executing = true
  const { trace, tool, args } = call
  return trace ? trace.within(() => tool.execute(args, context)) : tool.execute(args, context)
}

function timeOut(call: Call, limit: number): void {
  if (call.ended || call.run.over) return
  const message = sentences.toolTimedOut(call.tool.name, limit)
  call.abort(() => new DOMException(message, 'TimeoutError'))
  // What the tool still does is its own: the call has failed for the script, its slot is free again.
  call.run.refuse(call, failedWith(message))
}

/** Streams of Node and the web are data sources, not partial results: they are refused or noted, never consumed. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Symbol.asyncIterator in value &&
    !(value instanceof ReadableStream) &&
    typeof (value as { pipe?: unknown }).pipe !== 'function'
  )
}

/** Reports each item as a partial result; the last one is the result. Leaves the iterable when the call ends. */
export async function collectPartials(call: Call, items: AsyncIterable<unknown>): Promise<unknown> {
  call.executing = true
  let last: unknown
  for await (const item of items) {
    if (call.ended || call.run.over) break
    last = item
    if (call.run.listening) reportPartial(call, item)
  }
  return last
}

/** An item that is not JSON is left out: whether somebody listens must not change the call. */
function reportPartial(call: Call, item: unknown): void {
  try {
    const { text } = encodeJson(item)
    const { redactor } = call.run
    call.run.reportPartial(call, text && redactor ? redactor.json(text) : text)
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
  }
}

/** Whatever a tool throws: its message alone, bounded, without the tokens it was given. */
export function toolFailure(call: Call, thrown: unknown): Refusal {
  const { name } = call.tool
  if (ApprovalNeededError.isInstance(thrown))
    return failedWith(sentences.subAgentNeedsApproval(name, call.run.modelTool))
  const provider = providerOf(thrown)
  if (provider !== undefined)
    return failedWith(sentences.needsSignIn(name, cutText(provider, 200), call.run.modelTool))
  const message = messageOf(thrown) ?? sentences.toolFailed(name)
  const { redactor } = call.run
  return failedWith(cutText(redactor ? redactor.text(message) : message, messageLimit))
}

function providerOf(thrown: unknown): string | undefined {
  if (!SignInNeededError.isInstance(thrown)) return undefined
  try {
    return typeof thrown.provider === 'string' ? thrown.provider : undefined
  } catch {
    return undefined
  }
}
