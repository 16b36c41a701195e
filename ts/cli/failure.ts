// What ends a command: one line for a person, and an exit code.

/** Exit codes of every command. */
export const exitCodes = { ok: 0, failed: 1, misuse: 2 } as const

/** Ends the command with one line on standard error. */
export class CommandFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: number = exitCodes.misuse,
  ) {
    super(message)
    this.name = 'CommandFailure'
  }
}

/** The first line of an error's message: what a person needs, without the stack. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n', 1)[0]?.trim() || 'unknown error'
}
