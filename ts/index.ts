// Everything an application can import from `codemode-native`.
export { createCodeMode } from './create-code-mode.ts'
export { quickJsEngine } from './quickjs-engine.ts'
export {
  ApprovalNeededError,
  CodeModeClosedError,
  CodeModeError,
  CodeModeInternalError,
  IsolationUnavailableError,
  NotAvailableError,
  SessionError,
  SignInNeededError,
} from './errors.ts'

export type { ApprovalDecision } from './approval.ts'
export type {
  CheckReport,
  CodeMode,
  CodeModeTool,
  Diagnostics,
  Run,
  RunOptions,
} from './code-mode.ts'
export type { CodeModeEngine, EngineHost, EngineSession, EngineSessionHost } from './engine.ts'
export type { QuickJsOptions } from './quickjs-engine.ts'
export type { CodeModeEvent, RunEvents } from './events.ts'
export type { Guardrail, Hooks, ToolCall } from './hooks.ts'
export type { Json, JsonSchema } from './json.ts'
export type { Limits } from './limits.ts'
export type { CodeModeOptions } from './options.ts'
export type {
  Artifact,
  CallRecord,
  Completed,
  Failed,
  FailureCode,
  Outcome,
  OutcomeBase,
  RunFailure,
} from './outcome.ts'
export type { PermissionAction, PermissionMode, PermissionRule } from './permissions.ts'
export type { AiSdkSchemaLike, Schema, StandardSchemaLike } from './schema.ts'
export type { SessionErrorCode } from './errors.ts'
export type {
  ControlOptions,
  ProgramResult,
  Session,
  SessionOptions,
  SessionTool,
  ToolCallCounter,
} from './session.ts'
export type { Tool, ToolContext } from './tools.ts'
