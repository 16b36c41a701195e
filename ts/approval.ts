// Approvals: asks the host while the script waits with its clock stopped. A late or second answer changes nothing.
import { NotAvailableError } from './errors.ts'
import type { Call } from './call.ts'
import type { ToolCall } from './hooks.ts'
import { deniedWith } from './refusal.ts'
import * as sentences from './sentences.ts'

/**
 * No answer within `approvalTimeoutMs`: the call throws a ToolError in the script, its record is `denied`, the run goes on.
 * `'pause'` is reserved; until runs can be paused it is refused as a host fault.
 */
export type ApprovalDecision = 'approve' | 'deny' | { deny: string } | 'pause'

/** Answers one call that needs approval; `reason` says why it does. */
export type Approve = (
  call: ToolCall & { reason: string },
) => ApprovalDecision | Promise<ApprovalDecision>

const timedOut = Symbol('timedOut')

/** Asks for a call that needs approval; resolves what `judgeAnswer` takes. Undefined where nobody has to be asked. */
export function askForApproval(call: Call, approve: Approve | undefined): unknown {
  const reason = call.askReason
  if (reason === undefined) return undefined
  if (approve === undefined)
    throw deniedWith(sentences.needsApproval(call.tool.name, call.run.modelTool))
  // Stopped before the host is asked: the time it takes to show a question is not the script's.
  call.run.pauseClock()
  try {
    const answer: unknown = approve({ ...call.view(), reason })
    if (isPromiseLike(answer)) return awaitAnswer(call, answer)
    call.run.resumeClock()
    return answer
  } catch (error) {
    call.run.resumeClock()
    throw error
  }
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

function awaitAnswer(call: Call, answer: PromiseLike<unknown>): Promise<unknown> {
  const limit = call.run.limits.approvalTimeoutMs
  const askedAt = performance.now()
  return new Promise<unknown>((resolve, reject) => {
    call.timer = setTimeout(resolve, limit, timedOut)
    Promise.resolve(answer).then(resolve, reject)
  }).finally(() => {
    clearTimeout(call.timer)
    call.timer = undefined
    call.approvalMs = performance.now() - askedAt
    call.run.resumeClock()
  })
}

/** Lets an approved call go on; throws for every other answer. */
export function judgeAnswer(call: Call, answer: unknown): void {
  if (call.askReason === undefined) return
  if (answer === 'approve') return call.run.reportDecision(call, 'allow', 'approved')
  const refusal = readRefusal(call, answer)
  call.run.reportDecision(call, 'deny', refusal)
  throw deniedWith(refusal)
}

function readRefusal(call: Call, answer: unknown): string {
  const { name } = call.tool
  if (answer === timedOut)
    return sentences.approvalTimedOut(name, call.run.limits.approvalTimeoutMs)
  if (answer === 'deny') return sentences.notApproved(name)
  if (answer === 'pause') throw new NotAvailableError("The approval decision 'pause'")
  const reason = (answer as { deny?: unknown } | null | undefined)?.deny
  if (typeof reason === 'string') return reason || sentences.notApproved(name)
  throw new TypeError("`approve` gave none of 'approve', 'deny' and { deny: string }")
}
