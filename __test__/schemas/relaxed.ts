// A schema without what a TypeScript type cannot say, so that "the type takes a value" and "the schema takes it" mean the same.
import type { JsonSchema } from '../../ts/index.ts'

/**
 * Rules without a type: ranges, lengths, expressions, formats, counts, "not", "exactly one", conditions, keys by expression.
 * `integer` is `number`. Of these one direction holds alone: what the schema takes, the type takes.
 */
const unsayable = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  ...['minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains', 'maxContains'],
  ...['minProperties', 'maxProperties', 'propertyNames', 'dependencies', 'dependentRequired', 'dependentSchemas'],
  ...['not', 'if', 'then', 'else', 'unevaluatedItems', 'unevaluatedProperties'],
])

/** Keywords that speak of one kind of value: an author who leaves `type` out means that kind. */
const implied: Record<string, readonly string[]> = {
  object: ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties', 'maxProperties'],
  array: ['items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['pattern', 'minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
}

type Schema = Record<string, unknown>

export function relaxed(schema: JsonSchema): JsonSchema {
  return relax(schema) as JsonSchema
}

function relax(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema
  const from = schema as Schema
  if (typeof from['$ref'] === 'string' && String(from['$schema'] ?? '').includes('draft-04')) return { ...from }
  const to: Schema = {}
  for (const [key, value] of Object.entries(from)) {
    if (unsayable.has(key)) continue
    if (['properties', '$defs', 'definitions', 'patternProperties'].includes(key))
      to[key] = Object.fromEntries(Object.entries(value as Schema).map(([name, part]) => [name, relax(part)]))
    else if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(key)) to[key] = (value as unknown[]).map(relax)
    else if (key === 'items') to[key] = Array.isArray(value) ? value.map(relax) : relax(value)
    else if (['additionalProperties', 'additionalItems'].includes(key)) to[key] = relax(value)
    else to[key] = value
  }
  typed(from, to)
  tuple(from, to)
  otherKeys(from, to)
  if (to['oneOf'] && !to['anyOf']) {
    to['anyOf'] = to['oneOf']
    delete to['oneOf']
  }
  return to
}

function typed(from: Schema, to: Schema): void {
  if (from['type'] === undefined) {
    if ('const' in from || 'enum' in from) return
    const kinds = Object.keys(implied).filter((kind) => implied[kind]?.some((key) => key in from))
    if (kinds.length === 1) to['type'] = kinds[0]
    return
  }
  const names = [from['type']].flat().map((name) => (name === 'integer' ? 'number' : name))
  to['type'] = [...new Set(names)]
}

/** An author who lists three items means three, unless a lower bound is given. */
function tuple(from: Schema, to: Schema): void {
  const listed = Array.isArray(from['prefixItems']) ? from['prefixItems'] : Array.isArray(from['items']) ? from['items'] : undefined
  if (!listed || listed.length === 0) return
  to['minItems'] = from['minItems'] ?? listed.length
  const rest = 'prefixItems' in from ? 'items' : 'additionalItems'
  if (to[rest] === undefined || to[rest] === true) to[rest] = false
}

/** An index signature speaks of listed keys too, so what other keys may hold stands in a comment. No key listed at all means none. */
function otherKeys(from: Schema, to: Schema): void {
  const listed = from['properties'] as Schema | undefined
  const others = from['additionalProperties']
  if (from['patternProperties'] !== undefined) {
    delete to['patternProperties']
    to['additionalProperties'] = true
  } else if (listed && typeof others === 'object' && others !== null) to['additionalProperties'] = true
  else if (listed && Object.keys(listed).length === 0 && others === undefined) to['additionalProperties'] = false
}
