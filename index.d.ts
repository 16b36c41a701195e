//#region ts/json.d.ts
/** A value that JSON text can hold. */
type Json = null | boolean | number | string | Json[] | {
  [key: string]: Json;
};
/** JSON Schema draft 7 or 2020-12, as data. */
type JsonSchema = Record<string, unknown> | boolean;
//#endregion
//#region ts/outcome.d.ts
/** One tool call of a run. */
interface CallRecord {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments the script gave. */
  readonly input: Json;
  /** `cancelled`: the run ended first. `denied`: a hook, a rule, a guardrail or an approval said no. */
  readonly status: 'done' | 'error' | 'denied' | 'cancelled' | 'pending';
  /** What the script got; absent where the tool gave `undefined`. */
  readonly result?: Json;
  /** The message the script got; for a cancelled call, what became of it. */
  readonly error?: string;
  /** Milliseconds from the moment the host asked for the run to the moment the script made the call. Every run sets it. */
  readonly startedMs?: number;
  /** Milliseconds from the moment the script made the call, waits for a slot and for approval included. */
  readonly durationMs: number;
  /** Milliseconds of `durationMs` that the call waited for somebody's approval; absent where nobody was asked. */
  readonly approvalMs?: number;
}
interface OutcomeBase {
  /** Console lines (`warn: ` and `error: ` in front of those levels) and notes of ours for the model (`note: ` in front). */
  readonly logs: readonly string[];
  /** What the script gave to `text()`, in order. */
  readonly text: readonly string[];
  /** Media that tools returned, whose bytes the script saw only as references, in the order in which the calls succeeded. */
  readonly artifacts: readonly Artifact[];
  /**
   * How many tool calls the script made: those refused by a schema or the gate count; arguments that are not JSON (a TypeError in the script),
   * unknown tools (a catchable TypeError that names the nearest tool, never refused before the run) and the call over the limit do not.
   */
  readonly toolCalls: number;
  /** One record per tool call, in the order in which the script made them. */
  readonly calls: readonly CallRecord[];
  /** Milliseconds of wall and CPU time, and the most bytes the script's heap held. */
  readonly stats: {
    readonly wallMs: number;
    readonly cpuMs: number;
    readonly peakMemoryBytes: number;
  };
}
/** Media from a tool result. Its JSON has the number of bytes in the place of the bytes. */
interface Artifact {
  /** What the script knows it by, in `{ artifact: id, mediaType, bytes, name }`. */
  readonly id: string;
  readonly mediaType: string;
  readonly name?: string;
  readonly bytes: Uint8Array;
  /** The call whose result it came with. */
  readonly toolCallId: string;
}
interface Completed extends OutcomeBase {
  readonly status: 'completed';
  /** What the script returned; `undefined` became null. */
  readonly result: Json;
}
interface Failed extends OutcomeBase {
  readonly status: 'failed';
  readonly error: RunFailure;
}
type Outcome = Completed | Failed;
type FailureCode = 'script_error' | 'syntax_error' | 'timeout' | 'cpu_timeout' | 'memory_limit' | 'tool_call_limit' | 'output_limit' | 'source_limit' | 'not_serializable' | 'aborted' | 'stopped' | 'guardrail' | 'overloaded' | 'crashed' | 'internal';
interface RunFailure {
  readonly code: FailureCode;
  /** Name of what the script threw (`TypeError`, `ToolError`, ...), else the failure's own. */
  readonly name: string;
  readonly message: string;
  /** 1-based, in the model's own source. */
  readonly line?: number;
  /** 1-based, in the model's own source. */
  readonly column?: number;
  /** Bounded text for the model: cause, place, and the first five calls with arguments and results, each cut at 200 characters. */
  readonly modelText: string;
}
//#endregion
//#region ts/permissions.d.ts
type PermissionAction = 'allow' | 'ask' | 'deny';
/** `tool` is a name or a `*` glob. The strictest matching rule wins: deny, then ask, then allow; no rule means allow. */
interface PermissionRule {
  readonly tool: string;
  readonly action: PermissionAction;
  /** Narrows the rule to some arguments. One that throws, or gives no boolean, is a fault of the host: the call fails. */
  readonly when?: (input: Json) => boolean;
  /** Told to the script where the rule denies, and to `approve` where it asks. */
  readonly reason?: string;
}
/** `plan` lets only read-only tools run. `bypass` asks nobody; rules that deny still do, as do hooks and guardrails. */
type PermissionMode = 'default' | 'plan' | 'bypass';
//#endregion
//#region ts/events.d.ts
/** What happens in a run, in order. Every `tool.start` has its `tool.done` or `tool.error` before `run.done`, which is the last one. */
type CodeModeEvent = {
  type: 'run.start';
  toolCallId: string;
  code: string;
} | {
  type: 'run.log';
  toolCallId: string;
  line: string;
} | {
  type: 'run.done';
  toolCallId: string;
  outcome: Outcome;
} | {
  type: 'tool.start';
  toolCallId: string;
  parentToolCallId: string;
  toolName: string;
  input: Json;
} | {
  type: 'tool.partial';
  toolCallId: string;
  parentToolCallId: string;
  toolName: string;
  partial: Json;
} | {
  type: 'tool.done';
  toolCallId: string;
  parentToolCallId: string;
  toolName: string;
  result: Json;
  durationMs: number;
} | {
  type: 'tool.error';
  toolCallId: string;
  parentToolCallId: string;
  toolName: string; /** What the script got; where a check of the host failed, followed by the host's own error in brackets. */
  error: string;
  durationMs: number;
} | {
  type: 'permission.decision';
  toolCallId: string;
  parentToolCallId: string;
  toolName: string;
  action: PermissionAction;
  reason: string;
};
/** Live events of one run, for one reader. */
interface RunEvents extends AsyncIterable<CodeModeEvent> {
  /** Events that were not kept because 10,000 waited to be read. */
  readonly missed: number;
}
//#endregion
//#region ts/dialect.d.ts
/** `native` and `codex`: `tools.x(args)`. `cloudflare`: `codemode.x(args)`. `tanstack` and `mastra`: `external_x(args)`. */
type Dialect = 'native' | 'codex' | 'cloudflare' | 'tanstack' | 'mastra';
//#endregion
//#region ts/limits.d.ts
/** Every limit has its unit in its name; all can be set for an instance and narrowed or widened for one run. */
interface Limits {
  /**
   * Whole run in milliseconds, waits for tools included, waits for approvals not.
   * @default 30_000
   */
  timeoutMs: number;
  /**
   * CPU milliseconds the script itself may burn.
   * @default equal to timeoutMs
   */
  cpuTimeoutMs: number;
  /**
   * One tool call in milliseconds, from the moment the tool is entered. Over it the call fails in the script; the run goes on.
   * @default none beyond timeoutMs
   */
  toolTimeoutMs: number;
  /**
   * How many milliseconds one call may wait for an approval.
   * @default 300_000
   */
  approvalTimeoutMs: number;
  /**
   * Real bytes held by the script's heap; below 1_048_576 a RangeError. Does not cover memory of the host or of tools.
   * @default 67_108_864
   */
  memoryLimitBytes: number;
  /**
   * Bytes of the script's stack: with the default a recursion 1,000 deep works.
   * @default 1_048_576
   */
  stackLimitBytes: number;
  /**
   * Tool calls of one run; the call over the limit is not made and ends the run.
   * @default 50
   */
  maxToolCalls: number;
  /**
   * Calls running at one time in one run; more wait in order. A call that waits for an approval does not count.
   * @default 8
   */
  toolConcurrency: number;
  /**
   * Characters of the result as JSON, plus each log line and one for its end. Over it the run fails as `output_limit`; nothing is cut.
   * @default 20_000
   */
  maxOutputChars: number;
  /**
   * Characters of the source.
   * @default 131_072
   */
  maxSourceChars: number;
  /**
   * Characters of one call's arguments as JSON.
   * @default 1_000_000
   */
  maxToolArgChars: number;
  /**
   * How many milliseconds an ended run waits for calls it aborted.
   * @default 1_000
   */
  abortGraceMs: number;
  /**
   * Bytes of one tool result as JSON, and of each artifact in it.
   * @default 16_777_216
   */
  maxToolResultBytes: number;
  /**
   * Bytes of all artifacts of one run, or of those a session keeps. Over it the call that returned them fails in the script.
   * @default 67_108_864
   */
  maxArtifactBytes: number;
}
//#endregion
//#region ts/session.d.ts
interface SessionOptions {
  /**
   * How many milliseconds exec and wait watch a program, at most: they return as soon as it ends.
   * @default 60_000
   */
  readonly observeMs?: number;
  /**
   * Total life of one program in milliseconds, from its exec; waiting never extends it. It takes the place of `limits.timeoutMs`.
   * @default 3_600_000
   */
  readonly wallMs?: number;
  /**
   * Programs per session; the exec after that is refused.
   * @default 16
   */
  readonly maxPrograms?: number;
  /**
   * Milliseconds for cleanup before it counts as failed: `close()` rejects, the session is of no further use. It takes the place of
   * `limits.abortGraceMs`, and its clock starts when a program ended or `close()` was called.
   * @default 5_000
   */
  readonly cleanupMs?: number;
  /**
   * Characters of output in one result; what is over it comes with the next wait.
   * @default 20_000
   */
  readonly maxChunkChars?: number;
  /**
   * Characters of all keys and values (as JSON) that programs may `store()`.
   * @default 1_000_000
   */
  readonly maxStoreChars?: number;
  /**
   * Limits of the programs; those left out are the instance's. `maxToolCalls` counts over the whole session, every other one per
   * program. `timeoutMs` and `abortGraceMs` have no effect: see `wallMs` and `cleanupMs`.
   */
  readonly limits?: Partial<Limits>;
  /**
   * A counter that the host shares between sessions and the calls a model makes directly: each tool call of a program adds one,
   * and none is made once it is at `limits.maxToolCalls`.
   * @default one of the session's own
   */
  readonly toolCallCounter?: ToolCallCounter;
  /** The owner's: aborting it closes the session, its program ends as `terminated`. */
  readonly abortSignal?: AbortSignal;
  /** Given to tools, hooks, guardrails, approvals and `getToken` as it is. */
  readonly context?: unknown;
  /** Called beside the instance's own listener, with the events of every program. exec, wait and stop have no events. */
  readonly onEvent?: (event: CodeModeEvent) => void;
}
/** Tool calls made so far, by whoever shares it. */
interface ToolCallCounter {
  made: number;
}
interface ProgramResult {
  /**
   * `still_working`: call wait for more. The others are final: `completed` with `value`; `error` where the program failed or went over
   * a limit, its life among them; `terminated` where stop, close or an abort ended it.
   */
  readonly status: 'still_working' | 'completed' | 'error' | 'terminated';
  /** Only what was produced since the previous exec or wait: console lines and `text()`, in order, each with a line end. */
  readonly output: string;
  readonly value?: Json;
  readonly error?: RunFailure;
  /** Images, files and other media that tools returned: once, with the result that ends or observes the program. */
  readonly artifacts?: readonly Artifact[];
}
/** Of one exec, wait or stop. */
interface ControlOptions {
  /** Id of the model's call. That of exec is the program's: its tool calls are `<id>:<n>`. */
  readonly toolCallId?: string;
  /** Of the surrounding call. Aborting it while the operation is in progress ends the program as `terminated`. */
  readonly abortSignal?: AbortSignal;
}
/** A control of a session as a tool for the model, same shape as `CodeMode.tool`. */
interface SessionTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** exec takes `{ code: string }`, wait and stop take `{}`. Rejects as the session's method does. */
  execute(input: any, options?: ControlOptions): Promise<ProgramResult>;
}
/**
 * Programs that are watched instead of awaited, one at a time. One operation at a time: a second one is refused at once with a
 * SessionError, `close()` is not. Every operation rejects with a SessionError where it cannot be done, with a TypeError for misuse.
 */
interface Session {
  /** Starts a program. Resolves when it ended, called `yield_control()`, filled a chunk of output, or after `observeMs`. */
  exec(code: string, options?: ControlOptions): Promise<ProgramResult>;
  /** Watches the program again, as exec does. At once where it ended meanwhile. */
  wait(options?: ControlOptions): Promise<ProgramResult>;
  /** Ends the program and resolves once its tools settled. A program that ended first stays what it is. */
  stop(options?: ControlOptions): Promise<ProgramResult>;
  /** exec, wait and stop as tools for the model. They do not count as tool calls. */
  readonly tools: readonly SessionTool[];
  /**
   * Ends the program, waits for its tools, and frees everything. Rejects with a SessionError (`cleanup_failed`) where that took longer
   * than `cleanupMs`. Idempotent: the same promise each time.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
//#endregion
//#region ts/code-mode.d.ts
interface CodeMode {
  /** The one tool for the model: AI SDK tool shape plus `name`; `inputSchema` is JSON Schema of `{ code: string }`. */
  readonly tool: CodeModeTool;
  /** `tool` and, unless `exclusive`, the tools themselves; always those that scripts may not call. */
  readonly modelTools: Record<string, unknown>;
  /** The TypeScript declarations that stand in `tool.description`: valid as a `.d.ts`, declaring one value `tools`. */
  readonly signatures: string;
  /**
   * Runs one program. Never rejects for what the script did: errors are results.
   * Rejects with a TypeError or RangeError for misuse, a CodeModeClosedError after `close()`, a CodeModeInternalError for a fault of ours.
   */
  run(code: string, options?: RunOptions): Promise<Outcome>;
  /** The same, with live events and a handle to stop it. Throws where `run` rejects for misuse or a closed instance. */
  start(code: string, options?: RunOptions): Run;
  /**
   * Programs that are watched instead of awaited: exec, wait, stop. Closed with the instance. Throws a TypeError or RangeError for misuse,
   * a CodeModeClosedError after `close()`.
   */
  openSession(options?: SessionOptions): Session;
  /**
   * Diagnostics without running anything: syntax, unknown tools, arguments that a schema will refuse, promises nobody awaits, code
   * that is never reached. Takes well under a millisecond for 100 lines. Throws a TypeError where `code` is no string, a
   * CodeModeClosedError after `close()`. `run` itself refuses for syntax alone: a branch that is wrong may never run.
   */
  check(code: string): CheckReport;
  /** Live runs, pending calls, worker threads, stuck threads. All zero after `close()`, but for threads that are stuck. */
  diagnostics(): Diagnostics;
  /** Stops what runs (outcomes `stopped`), waits for it and frees everything. Idempotent. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
interface CodeModeTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /**
   * Resolves `{ result, logs, toolCalls }`, with `artifacts` where tools returned media; rejects with a CodeModeError whose message is
   * what the model should read.
   */
  execute(input: {
    code: string;
  }, options?: RunOptions): Promise<{
    result: Json;
    logs: string[];
    toolCalls: number;
    artifacts?: Artifact[];
  }>;
}
/** A run that was started. */
interface Run {
  readonly toolCallId: string;
  readonly outcome: Promise<Outcome>;
  /** Ends after `run.done`. A slow reader never slows the run; what it missed beyond 10,000 events is counted, not kept. */
  readonly events: RunEvents;
  /** Ends the run as `stopped`. Idempotent; a run that completed first stays completed. */
  stop(reason?: string): Promise<Outcome>;
}
interface RunOptions {
  /**
   * The run_code call's id.
   * @default a fresh unguessable id
   */
  readonly toolCallId?: string;
  /** Aborting it ends the run as `aborted`; one that is already aborted runs nothing. */
  readonly abortSignal?: AbortSignal;
  /** Given to tools, hooks, guardrails, approvals and `getToken` as it is. */
  readonly context?: unknown;
  /** Limits of this run; those left out are the instance's. */
  readonly limits?: Partial<Limits>;
  /** Called beside the instance's own listener. One that throws changes nothing. */
  readonly onEvent?: (event: CodeModeEvent) => void;
}
/** What `check` found. */
interface CheckReport {
  /** No diagnostic is an error. */
  readonly ok: boolean;
  /** At most 100, in order of their places. */
  readonly diagnostics: readonly {
    /** `error`: the program cannot run, or this call will fail when it is reached. `warning`: hardly what was meant. */readonly severity: 'error' | 'warning'; /** One sentence that says what to write instead where that can be told. */
    readonly message: string; /** 1-based, in the source as it was given. */
    readonly line: number; /** 1-based, in UTF-16 code units. */
    readonly column: number;
  }[];
  /** Tools of this code mode that the program names, by their registered names, in order of first appearance. */
  readonly plannedTools: readonly string[];
}
interface Diagnostics {
  readonly liveRuns: number;
  /** Tool calls of live runs that have not ended, those that wait included. */
  readonly pendingCalls: number;
  readonly workerThreads: number;
  readonly stuckThreads: number;
  /** Protections in force in process isolation (`landlock`, `seccomp`, `netns`, ...); empty in thread isolation. */
  readonly protections: readonly string[];
  readonly childProcesses: number;
}
//#endregion
//#region ts/hooks.d.ts
/** One tool call as the host's checks see it. A frozen copy: changing it changes nothing. */
interface ToolCall {
  /** `<run id>:<n>`. */
  readonly toolCallId: string;
  /** Id of the run. */
  readonly parentToolCallId: string;
  readonly toolName: string;
  /** Validated arguments; after a hook replaced them, the new ones. */
  readonly input: Json;
  /** What the host passed to `run()`. */
  readonly context: unknown;
}
/** A hook that throws or answers with something else is a fault of the host: the call fails, its message stays on the host. */
interface Hooks {
  /** Before permission checks. May refuse, or replace the arguments (validated again). */
  preToolCall?(call: ToolCall): void | {
    deny: string;
  } | {
    input: Json;
  } | Promise<void | {
    deny: string;
  } | {
    input: Json;
  }>;
  /** After the tool, on its redacted result. May replace it. */
  postToolCall?(call: ToolCall & {
    result: Json;
  }): void | {
    result: Json;
  } | Promise<void | {
    result: Json;
  }>;
}
/** A guardrail that blocks stops the whole run; the script cannot catch it. */
type Guardrail = (call: ToolCall) => void | {
  block: string;
} | Promise<void | {
  block: string;
}>;
//#endregion
//#region ts/schema.d.ts
/** Zod 4, Valibot, ArkType, ... through Standard Schema; AI SDK `jsonSchema()`; or plain JSON Schema; or a function that gives one, as the AI SDK has them. */
type Schema = EagerSchema | (() => EagerSchema);
type EagerSchema = JsonSchema | StandardSchemaLike | AiSdkSchemaLike;
/** What every Standard Schema library gives its schemas. */
interface StandardSchemaLike {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
  };
}
/** What `jsonSchema()` of the AI SDK returns. */
interface AiSdkSchemaLike {
  readonly jsonSchema: unknown;
}
//#endregion
//#region ts/tools.d.ts
/** An AI SDK `tool()` and an MCP tool definition with an `execute` are both valid here as they are. */
interface Tool<Input = any, Output = unknown> {
  readonly description?: string;
  /** Without one the tool takes any one JSON object; a call without arguments gives `{}`. Violations are a ToolError in the script. */
  readonly inputSchema?: Schema;
  /** Gives the tool a declared result type in the signature the model sees. Results are not checked against it. */
  readonly outputSchema?: Schema;
  /** May return a value, a promise, or an async iterable (each item a `tool.partial` event, the last one the result). */
  execute(input: Input, context: ToolContext): Output | Promise<Output> | AsyncIterable<Output>;
  /**
   * Changes nothing: callable in plan mode; may be served again from a ledger.
   * @default false
   */
  readonly readOnly?: boolean;
  /** True, or a function that says so per call, on validated arguments. One that throws is a fault of the host: the call fails. */
  readonly needsApproval?: boolean | ((input: Input, context: ToolContext) => boolean | Promise<boolean>);
  /**
   * Milliseconds for one call of this tool, from the moment `execute` is entered.
   * @default limits.toolTimeoutMs
   */
  readonly timeoutMs?: number;
  /**
   * Calls of this tool at one time in one run; more wait in order.
   * @default limits.toolConcurrency
   */
  readonly maxConcurrency?: number;
}
/** What a tool gets beside its arguments. */
interface ToolContext {
  /** `<run_code call id>:<n>`, n from 1 in the order in which the script made the calls. Equal on a re-run: an idempotency key. */
  readonly toolCallId: string;
  readonly parentToolCallId: string;
  readonly toolName: string;
  /** Aborted when the run ends, is stopped, or this call times out. */
  readonly abortSignal: AbortSignal;
  /** What the host passed to `run()`: principal, tenant, request, ... */
  readonly context: unknown;
  /** Rejects with a SignInNeededError where the host has no token. What it resolves is redacted from the tool's result. */
  getToken(provider: string): Promise<string>;
}
//#endregion
//#region ts/approval.d.ts
/**
 * No answer within `approvalTimeoutMs`: the call throws a ToolError in the script, its record is `denied`, the run goes on.
 * `'pause'` is reserved; until runs can be paused it is refused as a host fault.
 */
type ApprovalDecision = 'approve' | 'deny' | {
  deny: string;
} | 'pause';
//#endregion
//#region ts/engine.d.ts
/**
 * Another language behind the same gate. What the host does for every engine: the gate, numbers and limits of calls, limits of source,
 * arguments, output and wall time, events, records, artifacts, sessions. What an engine does itself: parse and run the program in a
 * sandbox of its own, within CPU time, memory and stack, and end at once when the signal is aborted.
 */
interface CodeModeEngine {
  /** As a model would name it: `JavaScript`, `Python`. */
  readonly language: string;
  /**
   * For logs and errors.
   * @default the language
   */
  readonly name?: string;
  /** The part of the tool description that tells the model how to write programs. `signatures` are TypeScript declarations of the tools. */
  instructions(catalog: {
    readonly signatures: string;
    readonly toolNames: readonly string[];
  }): string;
  /** Called once for each program, so that programs share nothing. An engine that keeps interpreters warm keeps them in itself. */
  openSession(host: EngineHost): EngineSession;
}
/** All that an engine can reach of the host. */
interface EngineHost {
  /**
   * Calls a tool by name; goes through the whole gate. Rejects with the error that the program should see: an Error named `ToolError`
   * with the message for the program, a TypeError for an unknown tool or arguments that are not JSON. Resolves undefined where the tool
   * gave nothing. Rejects with a `StopError` that no program may catch once the run is over: `abortSignal` is aborted then.
   */
  callTool(name: string, input: Json): Promise<Json>;
  /** A console line. Prefix those of a warning with `warn: `, of an error with `error: `. */
  log(line: string): void;
  /** What the program gave to `text()`, or what its language has in its place. */
  text(line: string): void;
  /** Every default filled in. Where no tool call has a clock of its own, `toolTimeoutMs` is `timeoutMs`. */
  readonly limits: Limits;
  /** Aborted when the program has to end: a limit, stop, close, the caller's signal. */
  readonly abortSignal: AbortSignal;
  /** The tools a program may call. */
  readonly tools: readonly {
    readonly name: string;
    readonly description?: string;
  }[];
  /** Present in sessions only. */
  readonly session?: EngineSessionHost;
}
/** What a program of a session may use beside the rest. */
interface EngineSessionHost {
  /** What earlier programs stored. */
  readonly values: ReadonlyMap<string, Json>;
  readonly maxStoreChars: number;
  /** Keeps a value for later programs, or removes it. Throws a RangeError over `maxStoreChars`, a TypeError for what is not JSON. */
  store(key: string, value: Json | undefined): void;
  /** Shows the output so far to whoever watches. */
  yieldControl(): void;
}
interface EngineSession {
  /**
   * Runs one program to its end. Must honour the signal and the limits; must not throw for what the program did. Where it does throw, the
   * run fails as `internal`; where it does not come back within 250 ms of the signal, the run ends without it.
   */
  execute(code: string): Promise<{
    readonly status: 'completed';
    readonly result: Json;
  } | {
    readonly status: 'failed';
    readonly error: Omit<RunFailure, 'modelText'>;
  }>;
  /** Frees what the program left. A rejection is a failed cleanup: a session of the host can then not be used further. */
  close(): Promise<void>;
}
//#endregion
//#region ts/options.d.ts
interface CodeModeOptions {
  /** By name, or a list of tools that carry their name. Any non-empty name works, also one that is no identifier. */
  readonly tools: Record<string, Tool> | readonly (Tool & {
    readonly name: string;
  })[];
  /**
   * Names a script may call. Unknown names are skipped; `run_code` is refused.
   * @default every tool but those in `except`
   */
  readonly allow?: readonly string[];
  /** Tools that stay in the conversation and out of scripts. */
  readonly except?: readonly string[];
  /**
   * True takes the script's tools off the model's list (`modelTools`).
   * @default false
   */
  readonly exclusive?: boolean;
  readonly limits?: Partial<Limits>;
  /**
   * `thread`: in this process. `process`: each run in an OS-sandboxed process of its own (Linux). Where that cannot be had
   * createCodeMode throws an IsolationUnavailableError; it is never replaced by `thread`.
   * @default 'thread'
   */
  readonly isolation?: 'thread' | 'process';
  readonly hooks?: Hooks;
  readonly guardrails?: readonly Guardrail[];
  readonly permissions?: readonly PermissionRule[];
  /**
   * `plan` lets only readOnly tools run. `bypass` asks nobody; rules that deny still do.
   * @default 'default'
   */
  readonly mode?: PermissionMode;
  /**
   * Answers a call that needs approval while the script waits (its clock stopped). Without it such a call throws in the script:
   * "Tool x needs approval; call it directly, not from run_code."
   */
  readonly approve?: (call: ToolCall & {
    reason: string;
  }) => ApprovalDecision | Promise<ApprovalDecision>;
  /** The token of a provider for `context.getToken`; undefined where the user has to sign in first. */
  readonly getToken?: (provider: string, context: unknown) => string | undefined | Promise<string | undefined>;
  /** Every event of every run. Called synchronously; one that throws changes nothing. */
  readonly onEvent?: (event: CodeModeEvent) => void;
  /**
   * How much of the catalogue the description and `signatures` may spell out, in tokens as the package counts them (about those
   * of a model); beyond it namespaces take turns, the description says PARTIAL, and scripts find the rest with `tools.search`.
   * @default 6_000 tokens
   */
  readonly catalog?: {
    readonly budgetTokens?: number;
  };
  /**
   * Names the script finds its tools under, for models that were taught others: `codex` has `tools.x` and identifiers in `ALL_TOOLS`,
   * `cloudflare` `codemode.x`, `tanstack` and `mastra` `external_x`. `tools` is there in each. Two tools that would have one
   * `external_` name are refused.
   * @default 'native'
   */
  readonly dialect?: Dialect;
  /**
   * Another language's engine: its programs pass the same gate.
   * @default the built-in QuickJS engine
   */
  readonly engine?: CodeModeEngine;
  /**
   * OpenTelemetry spans and metrics when `@opentelemetry/api` is installed. Content (arguments, results) only with `recordContent`.
   * @default true, no content
   */
  readonly telemetry?: boolean | {
    readonly recordContent?: boolean;
  };
  /** Groups of globals that are off by default. Eval, Atomics and SharedArrayBuffer cannot be turned on. */
  readonly features?: readonly ('typedArrays' | 'weakRefs')[];
  /**
   * Runs that may be live at one time in this instance, programs of sessions among them; one more fails as `overloaded`, with
   * nothing run. All instances of a process share 50,000 runs on threads and 2,000 in processes.
   * @default none of its own
   */
  readonly maxLiveRuns?: number;
  /**
   * Name of the model's tool: 1 to 64 letters, digits, `_` and `-`.
   * @default 'run_code'
   */
  readonly name?: string;
}
//#endregion
//#region ts/create-code-mode.d.ts
/**
 * Makes one code mode: its tools, its gate, its limits. Cheap until the first run; keeps no process alive while nothing runs.
 * Throws a TypeError or RangeError that names the wrong option, an IsolationUnavailableError, or a NotAvailableError.
 */
declare function createCodeMode(options: CodeModeOptions): CodeMode;
//#endregion
//#region ts/quickjs-engine.d.ts
interface QuickJsOptions {
  /** Groups of globals that are off by default. */
  readonly features?: readonly ('typedArrays' | 'weakRefs')[];
}
/**
 * The built-in JavaScript engine for `createCodeMode({ engine })`. Without `engine` the same core is used by a shorter way; this one is
 * for hosts that wrap an engine, and it is held to the same conformance suite.
 */
declare function quickJsEngine(options?: QuickJsOptions): CodeModeEngine;
//#endregion
//#region ts/errors.d.ts
/** A failed run, as `tool.execute` throws it. Its message is `outcome.error.modelText`: what the model should read. */
declare class CodeModeError extends Error {
  readonly code: FailureCode;
  /** The whole outcome: logs, calls, numbers. */
  readonly outcome: Failed;
  constructor(outcome: Failed);
  /** True for a CodeModeError of any install of this package. */
  static isInstance(value: unknown): value is CodeModeError;
}
/** `isolation: 'process'` was asked for where it cannot be enforced. Nothing runs; it is never downgraded. */
declare class IsolationUnavailableError extends Error {
  static isInstance(value: unknown): value is IsolationUnavailableError;
}
/** A part of the contract that this version does not have. Nothing was done. */
declare class NotAvailableError extends Error {
  constructor(what: string);
  static isInstance(value: unknown): value is NotAvailableError;
}
/** The instance was closed; nothing ran. */
declare class CodeModeClosedError extends Error {
  constructor();
  static isInstance(value: unknown): value is CodeModeClosedError;
}
/** A fault of this package, never of the script. The instance can be used further. */
declare class CodeModeInternalError extends Error {
  static isInstance(value: unknown): value is CodeModeInternalError;
}
/**
 * `busy`: another operation is in progress. `no_program`: nothing to wait for or to stop. `program_active`: exec before the end of
 * the last program was told. `program_limit`: `maxPrograms` ran. `closed`: by `close()` or its owner's signal. `cleanup_failed`: what
 * the session started did not end in time, so nothing more is promised of it.
 */
type SessionErrorCode = 'busy' | 'no_program' | 'program_active' | 'program_limit' | 'closed' | 'cleanup_failed';
/** An operation that a session refused; nothing was done. Only `close()` rejects with it (`cleanup_failed`) after it did something. */
declare class SessionError extends Error {
  readonly code: SessionErrorCode;
  constructor(code: SessionErrorCode, message: string);
  static isInstance(value: unknown): value is SessionError;
}
/** Throw it from a tool whose sub-agent waits for an approval. The script is told to leave that tool to a direct call. */
declare class ApprovalNeededError extends Error {
  constructor(message?: string);
  static isInstance(value: unknown): value is ApprovalNeededError;
}
/** The user has to sign in to `provider` first. `context.getToken` throws it; a tool may throw it itself. */
declare class SignInNeededError extends Error {
  readonly provider: string;
  constructor(provider: string);
  static isInstance(value: unknown): value is SignInNeededError;
}
//#endregion
export { type AiSdkSchemaLike, type ApprovalDecision, ApprovalNeededError, type Artifact, type CallRecord, type CheckReport, type CodeMode, CodeModeClosedError, type CodeModeEngine, CodeModeError, type CodeModeEvent, CodeModeInternalError, type CodeModeOptions, type CodeModeTool, type Completed, type ControlOptions, type Diagnostics, type EngineHost, type EngineSession, type EngineSessionHost, type Failed, type FailureCode, type Guardrail, type Hooks, IsolationUnavailableError, type Json, type JsonSchema, type Limits, NotAvailableError, type Outcome, type OutcomeBase, type PermissionAction, type PermissionMode, type PermissionRule, type ProgramResult, type QuickJsOptions, type Run, type RunEvents, type RunFailure, type RunOptions, type Schema, type Session, SessionError, type SessionErrorCode, type SessionOptions, type SessionTool, SignInNeededError, type StandardSchemaLike, type Tool, type ToolCall, type ToolCallCounter, type ToolContext, createCodeMode, quickJsEngine };
