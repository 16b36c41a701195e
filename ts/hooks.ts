// What hooks, guardrails and approvals are told about a call, and what they may answer.
import type { Json } from './json.ts'

/** One tool call as the host's checks see it. A frozen copy: changing it changes nothing. */
export interface ToolCall {
  /** `<run id>:<n>`. */
  readonly toolCallId: string
  /** Id of the run. */
  readonly parentToolCallId: string
  readonly toolName: string
  /** Validated arguments; after a hook replaced them, the new ones. */
  readonly input: Json
  /** What the host passed to `run()`. */
  readonly context: unknown
}

/** A hook that throws or answers with something else is a fault of the host: the call fails, its message stays on the host. */
export interface Hooks {
  /** Before permission checks. May refuse, or replace the arguments (validated again). */
  preToolCall?(
    call: ToolCall,
  ): void | { deny: string } | { input: Json } | Promise<void | { deny: string } | { input: Json }>
  /** After the tool, on its redacted result. May replace it. */
  postToolCall?(
    call: ToolCall & { result: Json },
  ): void | { result: Json } | Promise<void | { result: Json }>
}

/** A guardrail that blocks stops the whole run; the script cannot catch it. */
export type Guardrail = (
  call: ToolCall,
) => void | { block: string } | Promise<void | { block: string }>
