// Printed types against the runtime validator: over schemas of real MCP servers, a public test suite, and cases of our own.
import ts from 'typescript'
import { beforeAll, describe, expect, test } from 'vitest'
import type { JsonSchema } from '../ts/index.ts'
import { resolveLimits } from '../ts/limits.ts'
import { native, type NativeCodeMode } from '../ts/native.ts'
import { ownCases } from './schemas/cases.ts'
import { relaxed } from './schemas/relaxed.ts'
import { serverSamples, suiteSamples, type Sample } from './schemas/sources.ts'
import { valuesFor } from './schemas/values.ts'

function catalogue(schemas: readonly unknown[]): NativeCodeMode {
  const tools = schemas.map((schema, i) => ({ name: `t${i}`, inputSchema: JSON.stringify(schema) }))
  const limits = resolveLimits({}).native
  return new native.NativeCodeMode({ tools, limits, typedArrays: false, weakRefs: false, budgetTokens: 1e9, dialect: 'native' }, () => {})
}

interface Probe {
  readonly tool: number
  readonly value: unknown
}

/** For each probe the codes of the compiler's complaints about the value as an argument, and what it says about the declarations. */
function typeErrors(signatures: string, probes: readonly Probe[]): { declarations: string[]; probes: { code: number; text: string }[][] } {
  const lines = probes.map(({ tool, value }, i) => `const v${i}: Parameters<(typeof tools)['t${tool}']>[0] = ${JSON.stringify(value)}`)
  const text = `${signatures}\n${lines.join('\n')}\nexport {}\n`
  const offset = signatures.split('\n').length
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    types: [],
    skipLibCheck: true,
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (name, version) =>
    name === 'probe.ts' ? ts.createSourceFile(name, text, version, true) : getSourceFile.call(host, name, version)
  const program = ts.createProgram(['probe.ts'], options, host)
  const found = { declarations: [] as string[], probes: probes.map(() => [] as { code: number; text: string }[]) }
  for (const diagnostic of ts.getPreEmitDiagnostics(program)) {
    const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')
    const line = diagnostic.file ? diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line - offset : -1
    const probe = found.probes[line]
    if (probe) probe.push({ code: diagnostic.code, text: message })
    else found.declarations.push(message)
  }
  return found
}

/** A literal with keys that an open object does not list is taken for a mistake, as everywhere in TypeScript. */
const unlistedKey = new Set([2353, 2561])

interface Verdict {
  readonly compared: number
  readonly accepted: number
  readonly rejected: number
  readonly unlisted: number
  /** Taken by the schema alone: no `type` where one is plain, items behind a tuple, keys where none is listed. */
  readonly narrower: number
  readonly disagreements: string[]
}

/** Which keys an expression matches no type can say: the declarations of such schemas are compiled, their values are not compared. */
const hasKeysByExpression = (schema: unknown) => JSON.stringify(schema).includes('"patternProperties"')

/** Does the type take exactly what the schema takes, but for what a type cannot say? */
function judge(samples: readonly Sample[]): Verdict {
  const exact = catalogue(samples.map((sample) => sample.schema))
  const plain = catalogue(samples.map((sample) => relaxed(sample.schema)))
  const probes = samples.flatMap(({ schema, values }, tool) =>
    (hasKeysByExpression(schema) ? [] : [...values, ...valuesFor(schema, 24)]).map((value) => ({ tool, value })),
  )
  const { declarations, probes: errors } = typeErrors(exact.listing.signatures, probes)
  const disagreements = declarations.map((message) => `declaration: ${message}`)
  let [accepted, rejected, unlisted, narrower] = [0, 0, 0, 0]
  probes.forEach(({ tool, value }, i) => {
    const json = JSON.stringify(value)
    const isValid = exact.validate(tool, json) === null
    const fits = plain.validate(tool, json) === null
    const complaints = errors[i] ?? []
    const tell = (what: string) => {
      const { from, schema } = samples[tool]!
      disagreements.push(
        `${from}: ${what}\n  value  ${json}\n  schema ${JSON.stringify(schema).slice(0, 600)}\n  type   ${exact.signature(tool).slice(0, 400)}\n  tsc    ${complaints[0]?.code} ${complaints[0]?.text.slice(0, 200)}`,
      )
    }
    if (isValid && !fits) narrower++
    if (fits && complaints.length > 0) {
      if (complaints.every(({ code }) => unlistedKey.has(code))) unlisted++
      else tell('the type refuses what the schema takes')
    } else if (!fits && complaints.length === 0) tell('the type takes what the schema refuses')
    else if (fits) accepted++
    else rejected++
  })
  return { compared: probes.length, accepted, rejected, unlisted, narrower, disagreements }
}

let fromServers = 0

describe('schemas of real MCP servers', () => {
  let samples: Sample[]
  beforeAll(async () => {
    samples = await serverSamples()
  })

  test('the types take what the schemas take, and refuse what they refuse', () => {
    fromServers = samples.length
    expect(fromServers).toBeGreaterThan(100)
    const verdict = judge(samples)
    expect(verdict.disagreements.slice(0, 8)).toEqual([])
    expect(verdict.accepted).toBeGreaterThan(800)
    expect(verdict.rejected).toBeGreaterThan(200)
  }, 120_000)
})

/** A schema that speaks of objects alone takes every other value; as the argument of a tool it asks for an object. */
const isOutsideOfObjects = (schema: unknown, value: unknown) =>
  (relaxed(schema as JsonSchema) as { type?: unknown }).type === 'object' &&
  (schema as { type?: unknown }).type === undefined &&
  (typeof value !== 'object' || value === null || Array.isArray(value))

describe('the JSON Schema test suite', () => {
  const samples = suiteSamples()

  test('the validator gives the answers of the suite', () => {
    const exact = catalogue(samples.map((sample) => sample.schema))
    const wrong = samples.flatMap(({ from, schema, values, expected }, tool) =>
      values.flatMap((value, i) =>
        (exact.validate(tool, JSON.stringify(value)) === null) === expected[i] || isOutsideOfObjects(schema, value)
          ? []
          : [`${from}: ${JSON.stringify(value)} ${JSON.stringify(schema)}`],
      ),
    )
    expect(wrong).toEqual([])
  })

  test('the types take what the schemas take, and refuse what they refuse', () => {
    expect(samples.length).toBeGreaterThan(60)
    const verdict = judge(samples)
    expect(verdict.disagreements.slice(0, 8)).toEqual([])
    expect(verdict.accepted).toBeGreaterThan(300)
    expect(verdict.rejected).toBeGreaterThan(200)
    expect(samples.length + fromServers).toBeGreaterThan(200)
  }, 120_000)
})

describe('cases of our own', () => {
  test('accepted values type-check and pass, rejected ones do neither', () => {
    const tools = catalogue(ownCases.map((one) => one.schema))
    const probes = ownCases.flatMap(({ accepts, rejects }, tool) => [
      ...accepts.map((value) => ({ tool, value, right: true })),
      ...rejects.map((value) => ({ tool, value, right: false })),
    ])
    const { declarations, probes: errors } = typeErrors(tools.listing.signatures, probes)
    expect(declarations).toEqual([])
    const wrong = probes.flatMap(({ tool, value, right }, i) => {
      const json = JSON.stringify(value)
      const told: string[] = []
      if ((errors[i]?.length === 0) !== right) told.push(`type: ${errors[i]?.[0]?.text}`)
      if ((tools.validate(tool, json) === null) !== right && !ownCases[tool]!.typeOnly)
        told.push(`validator: ${tools.validate(tool, json)}`)
      return told.map(
        (what) => `${ownCases[tool]!.name}: ${json} ${right ? 'is right' : 'is wrong'}, but ${what}\n${tools.signature(tool)}`,
      )
    })
    expect(wrong).toEqual([])
  })

  test('generated values: the types agree with the validator', () => {
    const verdict = judge(ownCases.filter((one) => !one.typeOnly).map(({ name, schema }) => ({ from: name, schema, values: [] })))
    expect(verdict.disagreements.slice(0, 8)).toEqual([])
  })
})
