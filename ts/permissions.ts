// Permission rules: matched to the tools once at creation, decided per call. The strictest matching rule wins.
import { expectArray, expectFunction, expectObject, expectOneOf, expectText } from './expect.ts'
import type { Json } from './json.ts'

export type PermissionAction = 'allow' | 'ask' | 'deny'

/** `tool` is a name or a `*` glob. The strictest matching rule wins: deny, then ask, then allow; no rule means allow. */
export interface PermissionRule {
  readonly tool: string
  readonly action: PermissionAction
  /** Narrows the rule to some arguments. One that throws, or gives no boolean, is a fault of the host: the call fails. */
  readonly when?: (input: Json) => boolean
  /** Told to the script where the rule denies, and to `approve` where it asks. */
  readonly reason?: string
}

/** `plan` lets only read-only tools run. `bypass` asks nobody; rules that deny still do, as do hooks and guardrails. */
export type PermissionMode = 'default' | 'plan' | 'bypass'

export interface Decision {
  readonly action: PermissionAction
  readonly reason: string
}

const strictness: readonly PermissionAction[] = ['deny', 'ask', 'allow']
const noRule: Decision = { action: 'allow', reason: 'no rule matches' }
const deniedByPlan: Decision = { action: 'deny', reason: 'denied by plan mode' }

export function checkRules(path: string, rules: unknown): void {
  expectArray(path, rules)
  rules.forEach((rule, i) => {
    const at = `${path}[${i}]`
    expectObject(at, rule)
    const { tool, action, when, reason } = rule as Record<string, unknown>
    expectText(`${at}.tool`, tool)
    expectOneOf(`${at}.action`, action, strictness)
    if (when !== undefined) expectFunction(`${at}.when`, when)
    if (reason !== undefined) expectText(`${at}.reason`, reason)
  })
}

/** The rules that speak of one tool, strictest first. */
export function rulesFor(
  tool: string,
  rules: readonly PermissionRule[],
): readonly PermissionRule[] {
  const matching = rules.filter((rule) => matchesGlob(rule.tool, tool)).map((rule) => ({ ...rule }))
  return strictness.flatMap((action) => matching.filter((rule) => rule.action === action))
}

/** `*` stands for any characters, none included; everything else for itself. Linear in both lengths. */
export function matchesGlob(glob: string, name: string): boolean {
  const [head = '', ...parts] = glob.split('*')
  const tail = parts.pop()
  if (tail === undefined) return glob === name
  if (!name.startsWith(head) || name.length < head.length + tail.length) return false
  let from = head.length
  const end = name.length - tail.length
  for (const part of parts) {
    const at = name.indexOf(part, from)
    if (at < 0 || at + part.length > end) return false
    from = at + part.length
  }
  return name.endsWith(tail)
}

/** Decides one call. Throws where a rule's predicate does; the gate then fails closed. */
export function decide(
  tool: { readonly name: string; readonly readOnly: boolean },
  rules: readonly PermissionRule[],
  mode: PermissionMode,
  call: { readonly judgedInput: Json },
): Decision {
  const rule = rules.find((candidate) => applies(candidate, call))
  const decision: Decision =
    rule === undefined
      ? noRule
      : { action: rule.action, reason: rule.reason ?? defaultReason(tool.name, rule.action) }
  if (decision.action === 'deny') return decision
  if (mode === 'plan' && !tool.readOnly) return deniedByPlan
  if (mode === 'bypass' && decision.action === 'ask')
    return { action: 'allow', reason: 'bypass mode' }
  return decision
}

function applies(rule: PermissionRule, call: { readonly judgedInput: Json }): boolean {
  if (rule.when === undefined) return true
  const answer: unknown = rule.when(call.judgedInput)
  if (typeof answer !== 'boolean')
    throw new TypeError(`\`when\` of the permission rule for ${rule.tool} gave no boolean`)
  return answer
}

function defaultReason(tool: string, action: PermissionAction): string {
  if (action === 'deny') return `Tool ${tool} is denied by a permission rule.`
  return action === 'ask' ? 'a permission rule asks' : 'a permission rule allows'
}
