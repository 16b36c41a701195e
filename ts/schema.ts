// Schemas of tools: reads what the host gave (Standard Schema, AI SDK, JSON Schema) into one shape, once, at creation.
import { wrongType } from './expect.ts'
import type { JsonSchema } from './json.ts'
import { printByCompanion } from './schema-companions.ts'

/** Zod 4, Valibot, ArkType, ... through Standard Schema; AI SDK `jsonSchema()`; or plain JSON Schema; or a function that gives one, as the AI SDK has them. */
export type Schema = EagerSchema | (() => EagerSchema)
type EagerSchema = JsonSchema | StandardSchemaLike | AiSdkSchemaLike

/** What every Standard Schema library gives its schemas. */
export interface StandardSchemaLike {
  readonly '~standard': { readonly version: 1; readonly vendor: string }
}

/** What `jsonSchema()` of the AI SDK returns. */
export interface AiSdkSchemaLike {
  readonly jsonSchema: unknown
}

/** A validator that lives in JavaScript. */
export type Validator = (value: unknown) => Validated | Promise<Validated>
export type Validated = { readonly value: unknown } | { readonly problem: string }

export interface ReadSchema {
  /** JSON Schema as JSON text; undefined where the library cannot print one. */
  readonly jsonText: string | undefined
  /** Undefined where the native side validates against `jsonText`. */
  readonly validator: Validator | undefined
}

interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[]
}
interface StandardResult {
  readonly value?: unknown
  readonly issues?: readonly StandardIssue[]
}
interface Standard {
  readonly vendor: string
  readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>
  readonly jsonSchema?: Record<Direction, (options: { target: string }) => unknown>
}
type Direction = 'input' | 'output'
type Loose = Record<PropertyKey, unknown>

/** Issues told to the script; more would only cost it context. */
const shownIssues = 5

/** Reads a schema. Throws a TypeError that names `path` where it is none. */
export function readSchema(path: string, schema: unknown, direction: Direction): ReadSchema {
  if (typeof schema === 'boolean') return plain(path, schema)
  const isObject = typeof schema === 'object' && schema !== null && !Array.isArray(schema)
  if (!isObject && typeof schema !== 'function') {
    throw wrongType(path, 'a Standard Schema, an AI SDK schema or a JSON Schema', schema)
  }
  const loose = schema as Loose
  const standard = loose['~standard'] as Standard | undefined
  if (standard !== undefined) return readStandard(path, loose, standard, direction)
  // The AI SDK also has schemas made on first use, as functions.
  if (typeof schema === 'function') return readSchema(path, (schema as () => unknown)(), direction)
  if ('jsonSchema' in loose) return readAiSdk(path, loose)
  return plain(path, schema)
}

function plain(path: string, schema: unknown): ReadSchema {
  let text: string | undefined
  try {
    text = JSON.stringify(schema)
  } catch {
    text = undefined
  }
  if (text === undefined)
    throw new TypeError(`Expected \`${path}\` to be JSON, it cannot be copied`)
  return { jsonText: text, validator: undefined }
}

function readAiSdk(path: string, schema: Loose): ReadSchema {
  const inner = schema['jsonSchema']
  if (typeof (inner as { then?: unknown } | null)?.then === 'function') {
    throw new TypeError(`Expected \`${path}.jsonSchema\` to be a JSON Schema, got a promise of one`)
  }
  const { jsonText } = plain(`${path}.jsonSchema`, inner)
  const validate = schema['validate']
  if (typeof validate !== 'function') return { jsonText, validator: undefined }
  return { jsonText, validator: (value) => whenReady(validate.call(schema, value), judgeAiSdk) }
}

function judgeAiSdk(result: unknown): Validated {
  const { success, value, error } = result as Loose
  if (success === true) return { value }
  const message = (error as Loose | undefined)?.['message']
  return { problem: typeof message === 'string' ? message : 'not valid' }
}

function readStandard(path: string, schema: Loose, standard: Standard, to: Direction): ReadSchema {
  if (typeof standard.validate !== 'function')
    throw wrongType(`${path}["~standard"].validate`, 'a function', standard.validate)
  return {
    jsonText: printStandard(schema, standard, to),
    validator: (value) => whenReady(standard.validate(value), judgeStandard),
  }
}

/** JSON Schema of a Standard Schema where its library prints one; a schema it cannot express is left out, not refused. */
function printStandard(
  schema: Loose,
  standard: Standard,
  direction: Direction,
): string | undefined {
  const attempts = [
    () => standard.jsonSchema?.[direction]({ target: 'draft-2020-12' }),
    () => callMethod(schema, 'toJSONSchema', { io: direction, unrepresentable: 'any' }),
    () => callMethod(schema, 'toJsonSchema'),
    () => printByCompanion(standard.vendor, schema, direction),
  ]
  for (const attempt of attempts) {
    try {
      const printed = attempt()
      if (printed !== undefined) return JSON.stringify(printed)
    } catch {
      // The next way may know how.
    }
  }
  return undefined
}

function callMethod(schema: Loose, name: string, ...args: unknown[]): unknown {
  const method = schema[name]
  return typeof method === 'function' ? (method.apply(schema, args) as unknown) : undefined
}

function judgeStandard(result: StandardResult): Validated {
  if (result.issues === undefined) return { value: result.value }
  const lines = result.issues.slice(0, shownIssues).map(describeIssue)
  const rest = result.issues.length - lines.length
  if (rest > 0) lines.push(`and ${rest} more`)
  return { problem: lines.join('; ') || 'not valid' }
}

function describeIssue({ path, message }: StandardIssue): string {
  const keys = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part))
  return keys.length > 0 ? `${keys.join('.')}: ${message}` : message
}

function whenReady<T>(result: T | Promise<T>, judge: (result: T) => Validated) {
  return result instanceof Promise ||
    typeof (result as { then?: unknown } | null)?.then === 'function'
    ? Promise.resolve(result).then(judge)
    : judge(result as T)
}
