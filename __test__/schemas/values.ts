// Values for a schema: mostly right, sometimes wrong in one place.
import * as fc from 'fast-check'
import type { JsonSchema } from '../../ts/index.ts'

type Schema = Record<string, unknown>

const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer({ min: -3, max: 40 }),
  fc.constant(1.5),
  fc.constantFrom('', 'a', 'foo', '2026-01-01'),
)
const anything: fc.Arbitrary<unknown> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom('a', 'foo', 'bar'), scalar, { maxKeys: 2 }),
)

export function valuesFor(schema: JsonSchema, count: number): unknown[] {
  const right = arbitrary(schema, schema as Schema, 0)
  const wrong = fc.tuple(right, anything, fc.nat()).map(([value, other, at]) => spoiled(value, other, at))
  const made = fc.sample(fc.oneof({ weight: 2, arbitrary: right }, { weight: 1, arbitrary: wrong }), { numRuns: count, seed: 7 })
  return [...new Map(made.map((value) => [JSON.stringify(value), value])).values()].filter((value) => value !== undefined)
}

/** Replaces one part, or leaves out one member. */
function spoiled(value: unknown, other: unknown, at: number): unknown {
  if (Array.isArray(value) && value.length > 0) return value.map((item, i) => (i === at % value.length ? other : item))
  if (typeof value !== 'object' || value === null) return other
  const keys = Object.keys(value)
  const key = keys[at % keys.length]
  if (key === undefined) return other
  const { [key]: part, ...rest } = value as Schema
  return at % 3 === 0 ? rest : { ...rest, [key]: at % 3 === 1 ? other : spoiled(part, other, at >> 2) }
}

function resolve(ref: string, root: Schema): unknown {
  if (ref === '#') return root
  let found: unknown = root
  for (const step of ref.replace(/^#\//, '').split('/'))
    found = (found as Schema | undefined)?.[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')]
  return found
}

function arbitrary(schema: unknown, root: Schema, depth: number): fc.Arbitrary<unknown> {
  if (typeof schema !== 'object' || schema === null || depth > 5) return scalar
  const map = schema as Schema
  if (typeof map['$ref'] === 'string') return arbitrary(resolve(map['$ref'], root), root, depth + 1)
  if ('const' in map) return fc.constant(map['const'])
  if (Array.isArray(map['enum']) && map['enum'].length > 0) return fc.constantFrom(...(map['enum'] as unknown[]))
  const members = (map['anyOf'] ?? map['oneOf']) as unknown[] | undefined
  const bases: fc.Arbitrary<unknown>[] = []
  if (members?.length) bases.push(fc.oneof(...members.map((member) => arbitrary(member, root, depth + 1))))
  for (const part of (map['allOf'] as unknown[] | undefined) ?? []) bases.push(arbitrary(part, root, depth + 1))
  const own = ownValues(map, root, depth)
  if (own) bases.push(own)
  if (bases.length === 0) return anything
  return fc.tuple(...bases).map((parts) => {
    const objects = parts.filter((part) => typeof part === 'object' && part !== null && !Array.isArray(part))
    return objects.length === parts.length ? Object.assign({}, ...objects) : parts[0]
  })
}

function ownValues(map: Schema, root: Schema, depth: number): fc.Arbitrary<unknown> | undefined {
  const types = [map['type']].flat().filter((type) => typeof type === 'string')
  if (types.length === 0) {
    if ('properties' in map || 'additionalProperties' in map) types.push('object')
    else if ('items' in map || 'prefixItems' in map) types.push('array')
    else return undefined
  }
  return fc.oneof(...types.map((type) => ofType(type, map, root, depth)))
}

function ofType(type: string, map: Schema, root: Schema, depth: number): fc.Arbitrary<unknown> {
  switch (type) {
    case 'object':
      return object(map, root, depth)
    case 'array':
      return list(map, root, depth)
    case 'string':
      return fc.constantFrom('', 'a', 'foo', 'https://example.com', '2026-01-01T00:00:00Z')
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'integer':
      return fc.integer({
        min: (map['minimum'] as number | undefined) ?? -5,
        max: Math.max((map['minimum'] as number | undefined) ?? 0, (map['maximum'] as number | undefined) ?? 50),
      })
    default:
      return fc.constantFrom(0, 1, 1.5, -2, 100)
  }
}

function list(map: Schema, root: Schema, depth: number): fc.Arbitrary<unknown> {
  const first = (map['prefixItems'] ?? (Array.isArray(map['items']) ? map['items'] : undefined)) as unknown[] | undefined
  if (first) return fc.tuple(...first.map((item) => arbitrary(item, root, depth + 1)))
  return fc.array(arbitrary(map['items'] ?? true, root, depth + 1), {
    minLength: Math.min((map['minItems'] as number | undefined) ?? 0, 3),
    maxLength: 3,
  })
}

function object(map: Schema, root: Schema, depth: number): fc.Arbitrary<unknown> {
  const properties = (map['properties'] ?? {}) as Schema
  const required = ((map['required'] as string[] | undefined) ?? []).filter((key) => key in properties)
  const fields = fc.record(Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, arbitrary(part, root, depth + 1)])), {
    requiredKeys: depth > 3 ? required : required.length > 0 ? required : [],
  })
  const others = map['additionalProperties']
  if (typeof others !== 'object' || others === null) return fields
  return fc
    .tuple(fields, fc.dictionary(fc.constantFrom('k1', 'k-2'), arbitrary(others, root, depth + 1), { maxKeys: 2 }))
    .map(([own, more]) => ({ ...more, ...own }))
}
