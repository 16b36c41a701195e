// Proof that a run changed nothing.
import type { Outcome, Tool } from '../index.ts'

/**
 * Throws an Error that lists the calls, if a tool was entered that does not say `readOnly: true`. Calls that were denied or refused for their arguments
 * changed nothing; one that failed or was cancelled may have.
 */
export function expectNoSideEffects(
  outcome: Outcome,
  tools: Readonly<Record<string, Tool>> | readonly (Tool & { readonly name: string })[],
): void {
  const readOnly = new Set(
    (Array.isArray(tools) ? tools.map((tool) => [tool.name, tool] as const) : Object.entries(tools))
      .filter(([, tool]) => (tool as Tool).readOnly === true)
      .map(([name]) => name as string),
  )
  const writes = outcome.calls.filter(
    ({ toolName, status }) => status !== 'denied' && !readOnly.has(toolName),
  )
  if (writes.length === 0) return
  const told = writes.map(
    ({ toolName, input, status }) => `${toolName}(${JSON.stringify(input)}) ${status}`,
  )
  throw new Error(`Expected no side effects, got ${writes.length}: ${told.join(', ')}`)
}
