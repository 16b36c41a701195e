// How a step of the gate says no. Not an Error: it carries no stack, and nothing but these fields can reach a script.

export interface RefusalDetails {
  readonly status: 'denied' | 'error'
  /** What the script gets: the message of its ToolError. */
  readonly message: string
  /** The host's own error, for events and traces only. */
  readonly hostError?: unknown
  /** Set by a guardrail that blocks: the whole run ends with this reason. */
  readonly blocksRun?: string
}

export class Refusal {
  readonly status: 'denied' | 'error'
  readonly message: string
  readonly hostError: unknown
  readonly blocksRun: string | undefined

  constructor(details: RefusalDetails) {
    this.status = details.status
    this.message = details.message
    this.hostError = details.hostError
    this.blocksRun = details.blocksRun
  }
}

export const deniedWith = (message: string) => new Refusal({ status: 'denied', message })
export const failedWith = (message: string) => new Refusal({ status: 'error', message })

/** The message of a thrown value, whatever it is; undefined where it has none. Never throws. */
export function messageOf(thrown: unknown): string | undefined {
  if (typeof thrown === 'string') return thrown
  try {
    const message = (thrown as { message?: unknown } | null | undefined)?.message
    return typeof message === 'string' ? message : undefined
  } catch {
    return undefined
  }
}

/** `Name: message` of the host's own error, for the host's eyes. Never throws. */
export function describeHostError(thrown: unknown): string {
  let name: unknown
  try {
    name = (thrown as { name?: unknown } | null | undefined)?.name
  } catch {
    name = undefined
  }
  const message = messageOf(thrown) ?? 'no message'
  return typeof name === 'string' ? `${name}: ${message}` : message
}
