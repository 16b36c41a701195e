// The gate: the one way from a script's tool call to a tool, and back. It knows nothing of transport.
//
// Every call passes the same steps in the same order:
//   look up → validate → pre-hooks → validate again → permission and mode → guardrails → approval
//   → slot → execute → collect → redact → post-hooks → serialise
// Steps that nothing configures are left out when the instance is created. A step goes on, throws a `Refusal`, or throws
// anything else: that is a fault of the host, and the script gets a fixed sentence.
import { askForApproval, judgeAnswer, type Approve } from './approval.ts'
import { bringBack, refersToArtifacts, setAside } from './artifacts.ts'
import type { Call, GatedTool } from './call.ts'
import type { Guardrail, Hooks } from './hooks.ts'
import { copyJson, encodeJson, freezeJson, NotJson, parseJson, type Json } from './json.ts'
import { decide, rulesFor, type PermissionMode, type PermissionRule } from './permissions.ts'
import { deniedWith, failedWith, Refusal } from './refusal.ts'
import * as sentences from './sentences.ts'
import type { Validated } from './schema.ts'
import { executeTool, isAsyncIterable, collectPartials, toolFailure } from './tool-execution.ts'
import type { ScriptTool, ToolContext } from './tools.ts'

export interface GateOptions {
  readonly hooks: Hooks | undefined
  readonly guardrails: readonly Guardrail[]
  readonly permissions: readonly PermissionRule[]
  readonly mode: PermissionMode
  readonly approve: Approve | undefined
  /** Checks arguments (JSON text) against the JSON Schema of a tool; the problem, or null. */
  readonly validate: (tool: number, input: string) => string | null
  readonly toolContext: (call: Call) => ToolContext
}

export interface Step {
  readonly name: string
  /** Starts the step. What it gives, or resolves, goes to `finish`; `parked` means that somebody else resumes the call. */
  begin(call: Call): unknown
  finish?(call: Call, given: unknown): void
  /** Turns what the step threw into a refusal; without it the throw is a fault of the host. */
  refusal?(call: Call, thrown: unknown): Refusal
}

const parked = Symbol('parked')

/** Finds the tool of a call. The native side answers unknown names itself; an index out of range is our fault. */
export function lookUp(tools: readonly GatedTool[], index: number): GatedTool {
  const tool = tools[index]
  if (tool === undefined) throw new RangeError(`There is no tool ${index}`)
  return tool
}

/** The active steps for one tool, in order. */
export function stepsFor(tool: ScriptTool, options: GateOptions): readonly Step[] {
  const { hooks, guardrails, mode, approve } = options
  const rules = rulesFor(tool.name, options.permissions)
  const { preToolCall, postToolCall } = hooks ?? {}
  const steps: Step[] = [validate(tool, options.validate)]
  if (preToolCall) steps.push(preHooks(preToolCall.bind(hooks)))
  if (preToolCall) steps.push(validateAgain(options.validate))
  steps.push(permission(rules, mode))
  if (guardrails.length > 0) steps.push(guard(guardrails))
  const asks = tool.needsApproval && mode !== 'bypass'
  if (asks) steps.push(needsApproval(options.toolContext))
  if (asks || rules.some((rule) => rule.action === 'ask')) steps.push(approval(approve))
  steps.push(slot, execute(options.toolContext), collect, redact)
  if (postToolCall) steps.push(postHooks(postToolCall.bind(hooks)))
  steps.push(serialise)
  return steps
}

/** Takes a call as far as it gets without waiting. */
export function advance(call: Call): void {
  const { steps } = call.tool
  while (!call.ended) {
    if (call.run.over) return call.run.cancel(call, sentences.endedBefore)
    const step = steps[call.step++]
    if (step === undefined) return call.run.succeed(call)
    try {
      const given = step.begin(call)
      if (given === parked) return
      if (isThenable(given)) return wait(call, step, given)
      step.finish?.(call, given)
    } catch (thrown) {
      return refuse(call, step, thrown)
    }
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    value instanceof Promise ||
    (typeof value === 'object' &&
      value !== null &&
      typeof (value as { then?: unknown }).then === 'function')
  )
}

function wait(call: Call, step: Step, given: PromiseLike<unknown>): void {
  const promise = given instanceof Promise ? given : Promise.resolve(given)
  promise.then(
    (value: unknown) => resume(call, step, value),
    (thrown: unknown) => refuse(call, step, thrown),
  )
}

function resume(call: Call, step: Step, value: unknown): void {
  const ran = call.executing
  call.executing = false
  if (call.ended) return
  if (call.run.over)
    return call.run.cancel(call, ran ? sentences.endedThenDone : sentences.endedBefore)
  try {
    step.finish?.(call, value)
  } catch (thrown) {
    return refuse(call, step, thrown)
  }
  advance(call)
}

function refuse(call: Call, step: Step, thrown: unknown): void {
  const ran = call.executing
  call.executing = false
  if (call.ended) return
  const refusal = toRefusal(call, step, thrown)
  if (!call.run.over) return call.run.refuse(call, refusal)
  call.run.cancel(call, ran ? sentences.endedThenFailed(refusal.message) : sentences.endedBefore)
}

function toRefusal(call: Call, step: Step, thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown
  if (step.refusal) return step.refusal(call, thrown)
  const message = sentences.checkFailed(call.tool.name)
  return new Refusal({ status: 'error', message, hostError: thrown })
}

/** After the tool ran, a fault must not read as if it had not. */
function withheld(call: Call, thrown: unknown): Refusal {
  const message = sentences.resultWithheld(call.tool.name)
  return new Refusal({ status: 'error', message, hostError: thrown })
}

// ---------------------------------------------------------------- before the tool

function validate({ input, validator }: ScriptTool, check: GateOptions['validate']): Step {
  return {
    name: 'validate',
    begin(call) {
      // The record keeps its own copy: a tool may change the arguments it gets.
      call.args = copyArguments(call, call.input)
      const problem = call.problem ?? (input === undefined ? objectProblem(call.input) : null)
      if (problem !== null && !isValidInFull(call, check))
        throw failedWith(sentences.invalidArguments(call.tool.name, problem))
      return validator?.(call.args)
    },
    finish: (call, given) => judgeValidated(call, given as Validated | undefined),
  }
}

/** A tool without a schema takes any one object. */
function objectProblem(input: Json): string | null {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  return isObject ? null : 'expected one object'
}

/** What the tool gets: a copy, with artifacts in the place of references to them. */
function copyArguments(call: Call, input: Json): unknown {
  try {
    if (call.run.keepsArtifacts && refersToArtifacts(call, input)) return bringBack(call, input)
    return copyJson(input)
  } catch (thrown) {
    if (thrown instanceof Refusal) throw thrown
    throw failedWith(sentences.invalidArguments(call.tool.name, 'they are nested too deeply'))
  }
}

/** A schema may describe the media block itself and not the reference that the script has. */
function isValidInFull(call: Call, check: GateOptions['validate']): boolean {
  if (call.tool.input === undefined || !call.run.keepsArtifacts) return false
  if (!refersToArtifacts(call, call.judgedInput)) return false
  return check(call.tool.index, JSON.stringify(call.args)) === null
}

function judgeValidated(call: Call, validated: Validated | undefined): void {
  if (validated === undefined) return
  if ('problem' in validated)
    throw failedWith(sentences.invalidArguments(call.tool.name, validated.problem))
  call.args = validated.value
}

function preHooks(hook: NonNullable<Hooks['preToolCall']>): Step {
  return {
    name: 'preHooks',
    begin: (call) => hook(call.view()),
    finish(call, given) {
      if (given === undefined || given === null) return
      const { deny, input } = given as { deny?: unknown; input?: unknown }
      if (typeof deny === 'string') throw deniedWith(deny || sentences.denied(call.tool.name))
      if (deny !== undefined || input === undefined)
        throw new TypeError('`preToolCall` gave neither { deny: string } nor { input }')
      call.replaceInput(toJson(input))
    },
  }
}

function toJson(value: unknown): Json {
  const { text } = encodeJson(value)
  if (text === undefined) throw new TypeError('a hook gave undefined where JSON is needed')
  return parseJson(text) as Json
}

function validateAgain(check: GateOptions['validate']): Step {
  return {
    name: 'validateAgain',
    begin(call) {
      if (!call.wasReplaced) return undefined
      call.args = copyArguments(call, call.judgedInput)
      if (call.tool.validator) return call.tool.validator(call.args)
      const problem =
        call.tool.input === undefined
          ? objectProblem(call.judgedInput)
          : check(call.tool.index, JSON.stringify(call.judgedInput))
      return problem === null || isValidInFull(call, check) ? undefined : { problem }
    },
    finish: (call, given) => judgeValidated(call, given as Validated | undefined),
  }
}

function permission(rules: readonly PermissionRule[], mode: PermissionMode): Step {
  return {
    name: 'permission',
    begin(call) {
      const { action, reason } = decide(call.tool, rules, mode, call)
      call.run.reportDecision(call, action, reason)
      if (action === 'deny') throw deniedWith(reason)
      if (action === 'ask') call.askReason = reason
    },
  }
}

function guard(guardrails: readonly Guardrail[]): Step {
  const judge = (given: unknown) => {
    if (given === undefined || given === null) return
    const { block } = given as { block?: unknown }
    if (typeof block !== 'string') throw new TypeError('a guardrail gave no { block: string }')
    const message = sentences.guardrailStopped(block)
    throw new Refusal({ status: 'denied', message, blocksRun: message })
  }
  /** One after the other; asynchronous only from the first guardrail on that is. */
  const judgeFrom = (call: Call, from: number): unknown => {
    for (let i = from; i < guardrails.length; i++) {
      const given: unknown = guardrails[i]?.(call.view())
      if (!isThenable(given)) judge(given)
      else
        return Promise.resolve(given).then((answer) => {
          judge(answer)
          return call.ended ? undefined : judgeFrom(call, i + 1)
        })
    }
    return undefined
  }
  return { name: 'guardrails', begin: (call) => judgeFrom(call, 0) }
}

function needsApproval(toolContext: GateOptions['toolContext']): Step {
  return {
    name: 'needsApproval',
    begin(call) {
      const needs = call.tool.needsApproval
      return typeof needs === 'function' ? needs(call.args, toolContext(call)) : needs
    },
    finish(call, needs) {
      if (typeof needs !== 'boolean') throw new TypeError('`needsApproval` gave no boolean')
      if (!needs || call.askReason !== undefined) return
      call.askReason = 'the tool needs approval'
      call.run.reportDecision(call, 'ask', call.askReason)
    },
  }
}

function approval(approve: Approve | undefined): Step {
  return {
    name: 'approval',
    begin: (call) => askForApproval(call, approve),
    finish: judgeAnswer,
  }
}

// ---------------------------------------------------------------- the tool

const slot: Step = {
  name: 'slot',
  begin: (call) => (call.run.slots.take(call) ? undefined : parked),
}

function execute(toolContext: GateOptions['toolContext']): Step {
  return {
    name: 'execute',
    begin: (call) => executeTool(call, toolContext(call)),
    finish(call, value) {
      call.executing = false
      call.value = value
    },
    refusal: toolFailure,
  }
}

const collect: Step = {
  name: 'collect',
  begin: (call) => (isAsyncIterable(call.value) ? collectPartials(call, call.value) : call.value),
  finish(call, value) {
    if (call.timer !== undefined) clearTimeout(call.timer)
    const { text, emptied } = encodeJson(value, (held) => setAside(call, held))
    if (emptied.length > 0)
      for (const kind of emptied) call.run.note(sentences.emptied(call.tool.name, kind))
    call.text = text
    call.value = undefined
  },
  refusal: (call, thrown) =>
    thrown instanceof NotJson
      ? failedWith(sentences.notJson(call.tool.name, thrown.reason))
      : toolFailure(call, thrown),
}

// ---------------------------------------------------------------- after the tool

const redact: Step = {
  name: 'redact',
  begin(call) {
    const { redactor } = call.run
    if (redactor && call.text !== undefined) call.text = redactor.json(call.text)
  },
  refusal: withheld,
}

function postHooks(hook: NonNullable<Hooks['postToolCall']>): Step {
  return {
    name: 'postHooks',
    begin(call) {
      const result = call.text === undefined ? null : freezeJson(parseJson(call.text) as Json)
      return hook({ ...call.view(), result })
    },
    finish(call, given) {
      if (given === undefined || given === null) return
      if (typeof given !== 'object' || !('result' in given))
        throw new TypeError('`postToolCall` gave no { result }')
      call.text = encodeJson(given.result, (held) => setAside(call, held)).text
    },
    refusal: withheld,
  }
}

const serialise: Step = {
  name: 'serialise',
  begin(call) {
    const limit = call.run.limits.maxToolResultBytes
    // A UTF-16 code unit is at most three bytes: most results need no count.
    if (call.text === undefined || call.text.length * 3 <= limit) return
    const bytes = Buffer.byteLength(call.text)
    if (bytes > limit) throw failedWith(sentences.resultTooLarge(call.tool.name, bytes, limit))
  },
  refusal: withheld,
}
