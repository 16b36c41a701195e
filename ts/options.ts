// Options: their types, and the reading of them. What is wrong is refused here, with the option's path and value.
import type { ApprovalDecision, Approve } from './approval.ts'
import { dialects, type Dialect } from './dialect.ts'
import type { CodeModeEngine } from './engine.ts'
import { IsolationUnavailableError } from './errors.ts'
import type { CodeModeEvent } from './events.ts'
import {
  expectArray,
  expectBoolean,
  expectFunction,
  expectKnownKeys,
  expectObject,
  expectOneOf,
  expectText,
  outOfRange,
  wrongType,
} from './expect.ts'
import type { Guardrail, Hooks, ToolCall } from './hooks.ts'
import { checkInteger, checkLimits, type Limits } from './limits.ts'
import { checkRules, type PermissionMode, type PermissionRule } from './permissions.ts'
import { readTools, type ReadTools, type Tool } from './tools.ts'

export interface CodeModeOptions {
  /** By name, or a list of tools that carry their name. Any non-empty name works, also one that is no identifier. */
  readonly tools: Record<string, Tool> | readonly (Tool & { readonly name: string })[]
  /**
   * Names a script may call. Unknown names are skipped; `run_code` is refused.
   * @default every tool but those in `except`
   */
  readonly allow?: readonly string[]
  /** Tools that stay in the conversation and out of scripts. */
  readonly except?: readonly string[]
  /**
   * True takes the script's tools off the model's list (`modelTools`).
   * @default false
   */
  readonly exclusive?: boolean
  readonly limits?: Partial<Limits>
  /**
   * `thread`: in this process. `process`: each run in an OS-sandboxed process of its own (Linux). Where that cannot be had
   * createCodeMode throws an IsolationUnavailableError; it is never replaced by `thread`.
   * @default 'thread'
   */
  readonly isolation?: 'thread' | 'process'
  readonly hooks?: Hooks
  readonly guardrails?: readonly Guardrail[]
  readonly permissions?: readonly PermissionRule[]
  /**
   * `plan` lets only readOnly tools run. `bypass` asks nobody; rules that deny still do.
   * @default 'default'
   */
  readonly mode?: PermissionMode
  /**
   * Answers a call that needs approval while the script waits (its clock stopped). Without it such a call throws in the script:
   * "Tool x needs approval; call it directly, not from run_code."
   */
  readonly approve?: (
    call: ToolCall & { reason: string },
  ) => ApprovalDecision | Promise<ApprovalDecision>
  /** The token of a provider for `context.getToken`; undefined where the user has to sign in first. */
  readonly getToken?: (
    provider: string,
    context: unknown,
  ) => string | undefined | Promise<string | undefined>
  /** Every event of every run. Called synchronously; one that throws changes nothing. */
  readonly onEvent?: (event: CodeModeEvent) => void
  /**
   * How much of the catalogue the description and `signatures` may spell out, in tokens as the package counts them (about those
   * of a model); beyond it namespaces take turns, the description says PARTIAL, and scripts find the rest with `tools.search`.
   * @default 6_000 tokens
   */
  readonly catalog?: { readonly budgetTokens?: number }
  /**
   * Names the script finds its tools under, for models that were taught others: `codex` has `tools.x` and identifiers in `ALL_TOOLS`,
   * `cloudflare` `codemode.x`, `tanstack` and `mastra` `external_x`. `tools` is there in each. Two tools that would have one
   * `external_` name are refused.
   * @default 'native'
   */
  readonly dialect?: Dialect
  /**
   * Another language's engine: its programs pass the same gate.
   * @default the built-in QuickJS engine
   */
  readonly engine?: CodeModeEngine
  /**
   * OpenTelemetry spans and metrics when `@opentelemetry/api` is installed. Content (arguments, results) only with `recordContent`.
   * @default true, no content
   */
  readonly telemetry?: boolean | { readonly recordContent?: boolean }
  /** Groups of globals that are off by default. Eval, Atomics and SharedArrayBuffer cannot be turned on. */
  readonly features?: readonly ('typedArrays' | 'weakRefs')[]
  /**
   * Runs that may be live at one time in this instance, programs of sessions among them; one more fails as `overloaded`, with
   * nothing run. All instances of a process share 50,000 runs on threads and 2,000 in processes.
   * @default none of its own
   */
  readonly maxLiveRuns?: number
  /**
   * Name of the model's tool: 1 to 64 letters, digits, `_` and `-`.
   * @default 'run_code'
   */
  readonly name?: string
}

/** Options after reading: checked, copied, defaults filled in. */
export interface ReadOptions {
  readonly tools: ReadTools
  readonly exclusive: boolean
  readonly limits: Partial<Limits>
  readonly hooks: Hooks | undefined
  readonly guardrails: readonly Guardrail[]
  readonly permissions: readonly PermissionRule[]
  readonly mode: PermissionMode
  readonly approve: Approve | undefined
  readonly getToken: CodeModeOptions['getToken']
  readonly onEvent: CodeModeOptions['onEvent']
  readonly telemetry: { readonly recordContent: boolean } | undefined
  readonly features: readonly string[]
  readonly budgetTokens: number
  readonly dialect: Dialect
  readonly isolation: 'thread' | 'process'
  readonly maxLiveRuns: number
  readonly name: string
  readonly engine: CodeModeEngine | undefined
}

const defaultBudgetTokens = 6_000

const known = [
  ...['tools', 'allow', 'except', 'exclusive', 'limits', 'isolation', 'hooks', 'guardrails'],
  ...['permissions', 'mode', 'approve', 'getToken', 'onEvent', 'catalog', 'dialect', 'engine'],
  ...['telemetry', 'features', 'maxLiveRuns', 'name'],
]

export function readOptions(options: unknown): ReadOptions {
  expectObject('options', options)
  expectKnownKeys('', options, known)
  const given = options as CodeModeOptions
  checkAvailable(given)
  const name = given.name ?? 'run_code'
  if (typeof name !== 'string') throw wrongType('name', 'a string', name)
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw outOfRange('name', '1 to 64 letters, digits, `_` and `-`', name)
  if (given.limits !== undefined) checkLimits('limits', given.limits)
  const { maxLiveRuns } = given
  if (maxLiveRuns !== undefined) checkInteger('maxLiveRuns', maxLiveRuns, 1, 2_147_483_647)
  if (given.exclusive !== undefined) expectBoolean('exclusive', given.exclusive)
  const allow = readNames('allow', given.allow)
  const except = readNames('except', given.except)
  return {
    tools: readTools(given.tools, { allow, except, own: name }),
    exclusive: given.exclusive ?? false,
    limits: { ...given.limits },
    ...readGate(given),
    getToken: readFunction('getToken', given.getToken),
    onEvent: readFunction('onEvent', given.onEvent),
    telemetry: readTelemetry(given.telemetry),
    features: readFeatures(given.features),
    budgetTokens: readBudget(given.catalog),
    dialect: given.dialect ?? 'native',
    isolation: given.isolation ?? 'thread',
    maxLiveRuns: maxLiveRuns ?? Number.POSITIVE_INFINITY,
    name,
    engine: readEngine(given),
  }
}

function readGate(given: CodeModeOptions) {
  const { hooks, guardrails = [], permissions = [], mode = 'default' } = given
  if (hooks !== undefined) {
    expectObject('hooks', hooks)
    readFunction('hooks.preToolCall', hooks.preToolCall)
    readFunction('hooks.postToolCall', hooks.postToolCall)
  }
  expectArray('guardrails', guardrails)
  guardrails.forEach((guardrail, i) => expectFunction(`guardrails[${i}]`, guardrail))
  checkRules('permissions', permissions)
  expectOneOf('mode', mode, ['default', 'plan', 'bypass'])
  return {
    hooks,
    guardrails: [...guardrails],
    permissions: [...permissions],
    mode,
    approve: readFunction('approve', given.approve),
  }
}

/** Parts of the contract that this version refuses instead of doing something else. */
function checkAvailable({ isolation, dialect }: CodeModeOptions): void {
  if (isolation !== undefined) expectOneOf('isolation', isolation, ['thread', 'process'])
  if (dialect !== undefined) expectOneOf('dialect', dialect, dialects)
}

function readBudget(catalog: CodeModeOptions['catalog']): number {
  if (catalog === undefined) return defaultBudgetTokens
  expectObject('catalog', catalog)
  expectKnownKeys('catalog', catalog, ['budgetTokens'])
  const { budgetTokens = defaultBudgetTokens } = catalog
  checkInteger('catalog.budgetTokens', budgetTokens, 0, 2_147_483_647)
  return budgetTokens
}

/** Options that say how the built-in engine runs programs mean nothing to another one: they are refused, not ignored. */
function readEngine({ engine, features, isolation }: CodeModeOptions): CodeModeEngine | undefined {
  if (engine === undefined) return undefined
  expectObject('engine', engine)
  if (features !== undefined)
    throw new TypeError(
      'Expected `features` to be left out where `engine` is given: they are those of the built-in engine',
    )
  if (isolation === 'process')
    throw new IsolationUnavailableError(
      "`isolation: 'process'` is that of the built-in engine; the one given as `engine` isolates its programs itself",
    )
  expectText('engine.language', engine.language)
  if (engine.name !== undefined) expectText('engine.name', engine.name)
  expectFunction('engine.instructions', engine.instructions)
  expectFunction('engine.openSession', engine.openSession)
  return engine
}

function readNames(path: string, names: unknown): readonly string[] | undefined {
  if (names === undefined) return undefined
  expectArray(path, names)
  names.forEach((name, i) => expectText(`${path}[${i}]`, name))
  return [...(names as string[])]
}

function readFunction<T>(path: string, value: T): T {
  if (value !== undefined) expectFunction(path, value)
  return value
}

function readTelemetry(telemetry: CodeModeOptions['telemetry']) {
  if (telemetry === undefined || telemetry === true) return { recordContent: false }
  if (telemetry === false) return undefined
  if (typeof telemetry !== 'object' || telemetry === null)
    throw wrongType('telemetry', 'a boolean or an object', telemetry)
  expectKnownKeys('telemetry', telemetry, ['recordContent'])
  const { recordContent = false } = telemetry
  expectBoolean('telemetry.recordContent', recordContent)
  return { recordContent }
}

function readFeatures(features: unknown): readonly string[] {
  if (features === undefined) return []
  expectArray('features', features)
  features.forEach((feature, i) =>
    expectOneOf(`features[${i}]`, feature, ['typedArrays', 'weakRefs']),
  )
  return features as readonly string[]
}
