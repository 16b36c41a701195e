// One tool call of a run: what the gate and the run know of it. No policy here.
import type { ArtifactShelf } from './artifacts.ts'
import { freezeJson, type Json } from './json.ts'
import type { ToolCall } from './hooks.ts'
import type { ResolvedLimits } from './limits.ts'
import type { CallRecord } from './outcome.ts'
import type { PermissionAction } from './permissions.ts'
import type { Redactor } from './redaction.ts'
import type { Refusal } from './refusal.ts'
import type { Slots } from './slots.ts'
import type { Step } from './tool-gate.ts'
import type { CallTrace } from './telemetry.ts'
import type { ScriptTool, ToolContext } from './tools.ts'

export interface GatedTool extends ScriptTool {
  /** The steps of the gate that are active for this tool, in their fixed order. */
  readonly steps: readonly Step[]
}

/** What the gate may ask of the run a call belongs to. */
export interface CallOwner {
  readonly id: string
  readonly context: unknown
  /** Name of the model's tool. */
  readonly modelTool: string
  readonly limits: ResolvedLimits
  readonly slots: Slots
  /** True as soon as the run has ended or is being stopped: nothing new may start. */
  readonly over: boolean
  /** Where media of results are kept; made on first use. */
  readonly shelf: ArtifactShelf
  /** True where the shelf may hold something a script can refer to. */
  readonly keepsArtifacts: boolean
  /** Undefined until the first token is handed out. */
  readonly redactor: Redactor | undefined
  /** True where somebody listens to events. */
  readonly listening: boolean
  handOut(token: string): void
  pauseClock(): void
  resumeClock(): void
  note(line: string): void
  reportPartial(call: Call, json: string | undefined): void
  reportDecision(call: Call, action: PermissionAction, reason: string): void
  reportHostFault(error: unknown): void
  succeed(call: Call): void
  refuse(call: Call, refusal: Refusal): void
  /** Ends a call that the run has outlived. */
  cancel(call: Call, how: string): void
}

export class Call {
  /** Arguments as `execute` gets them: validated, perhaps transformed by the schema, perhaps replaced by a hook. */
  args: unknown
  /** Index of the next step. */
  step = 0
  /** Settled for the script and for the records. */
  ended = false
  /** Host code of the tool itself is running; an ended run waits for it. */
  executing = false
  hasSlot = false
  timer: NodeJS.Timeout | undefined
  /** Why somebody has to approve it. */
  askReason: string | undefined
  value: unknown
  /** The result as JSON text; undefined is `undefined` in the script. */
  text: string | undefined
  status: CallRecord['status'] = 'pending'
  error: string | undefined
  durationMs = 0
  /** How long somebody was asked. */
  approvalMs: number | undefined
  readonly startedAt = performance.now()
  trace: CallTrace | undefined
  #controller: AbortController | undefined
  #abortReason: (() => unknown) | undefined
  #replaced: Json | undefined
  #frozen = false
  #context: ToolContext | undefined

  constructor(
    readonly run: CallOwner,
    readonly number: number,
    readonly tool: GatedTool,
    readonly input: Json,
    /** Why the native side found the arguments invalid. */
    readonly problem: string | null,
  ) {}

  get id(): string {
    return `${this.run.id}:${this.number}`
  }

  /** The script's arguments, frozen: for records, events and checks. */
  get shownInput(): Json {
    if (!this.#frozen) {
      this.#frozen = true
      freezeJson(this.input)
    }
    return this.input
  }

  /** What checks judge: the script's arguments, or what a hook put in their place. */
  get judgedInput(): Json {
    return this.#replaced === undefined ? this.shownInput : this.#replaced
  }

  /** A hook's arguments take the place of the script's; they have to be validated again. */
  replaceInput(input: Json): void {
    this.#replaced = freezeJson(input)
  }

  get wasReplaced(): boolean {
    return this.#replaced !== undefined
  }

  view(): ToolCall {
    return {
      toolCallId: this.id,
      parentToolCallId: this.run.id,
      toolName: this.tool.name,
      input: this.judgedInput,
      context: this.run.context,
    }
  }

  /** Made on first use: an AbortController costs more than the rest of a call. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#abortReason) this.#controller.abort(this.#abortReason())
    }
    return this.#controller.signal
  }

  abort(reason: () => unknown): void {
    if (this.#abortReason) return
    this.#abortReason = reason
    this.#controller?.abort(reason())
  }

  toolContext(getToken: (call: Call, provider: string) => Promise<string>): ToolContext {
    return (this.#context ??= new CallContext(this, getToken))
  }
}

// A class with a getter: an accessor in an object literal costs more than the rest of a call.
class CallContext implements ToolContext {
  readonly toolCallId: string
  readonly parentToolCallId: string
  readonly toolName: string
  readonly context: unknown
  readonly #call: Call
  readonly #getToken: (call: Call, provider: string) => Promise<string>

  constructor(call: Call, getToken: (call: Call, provider: string) => Promise<string>) {
    this.#call = call
    this.#getToken = getToken
    this.toolCallId = call.id
    this.parentToolCallId = call.run.id
    this.toolName = call.tool.name
    this.context = call.run.context
  }

  /** A function that needs no `this`. */
  get getToken(): (provider: string) => Promise<string> {
    return (provider) => this.#getToken(this.#call, provider)
  }

  get abortSignal(): AbortSignal {
    return this.#call.signal
  }
}
