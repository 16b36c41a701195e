// JSON Schema from libraries whose schemas cannot print themselves: by the library's own companion, where it is installed.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

type Direction = 'input' | 'output'
type Print = (schema: unknown, direction: Direction) => unknown
type Module = Record<string, (schema: unknown, options: object) => unknown>

/** By the vendor that a Standard Schema names. */
const companions: Readonly<Record<string, Print>> = {
  // Zod Mini has no methods: the function of the core that both share.
  zod: (schema, io) => load('zod/v4/core').toJSONSchema?.(schema, { io, unrepresentable: 'any' }),
  valibot: (schema, typeMode) =>
    load('@valibot/to-json-schema').toJsonSchema?.(schema, { typeMode, errorMode: 'ignore' }),
}

/** Throws where the companion is not installed or does not know how; undefined where the vendor has none. */
export function printByCompanion(vendor: string, schema: unknown, direction: Direction): unknown {
  return Object.hasOwn(companions, vendor) ? companions[vendor]?.(schema, direction) : undefined
}

function load(name: string): Module {
  return require(name) as Module
}
