import { jsonSchema } from 'ai'
import { type } from 'arktype'
import ts from 'typescript'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Schema } from '../ts/index.ts'
import { make, objectOf } from './helpers.ts'

/** Type errors of `signatures` followed by `probe`, checked by the real compiler. */
function errorsOf(signatures: string, probe: string): string[] {
  const file = 'probe.ts'
  const text = `${signatures}\nexport {}\n${probe}\n`
  const options: ts.CompilerOptions = { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, types: [], skipLibCheck: true }
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (name, version) =>
    name === file ? ts.createSourceFile(name, text, version) : getSourceFile.call(host, name, version)
  const program = ts.createProgram([file], options, host)
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => ts.flattenDiagnosticMessageText(diagnostic.messageText, ' '))
}
const signaturesOf = (inputSchema: Schema, outputSchema?: Schema) =>
  make({ tools: { find: { inputSchema, ...(outputSchema ? { outputSchema } : {}), execute: () => 0 } } }).signatures
const argument = (value: string) => `const a: Parameters<(typeof tools)['find']>[0] = ${value}`

describe.each<[string, Schema]>([
  ['JSON Schema', objectOf({ query: { type: 'string' } })],
  ['Zod', z.object({ query: z.string() })],
  ['ArkType', type({ query: 'string' })],
  ['AI SDK jsonSchema()', jsonSchema(objectOf({ query: { type: 'string' } }) as never)],
])('from %s', (_name, schema) => {
  test('the declared argument accepts what is valid and rejects what is not', () => {
    const signatures = signaturesOf(schema)
    expect(errorsOf(signatures, argument(`{ query: 'x' }`))).toEqual([])
    expect(errorsOf(signatures, argument(`{ query: 1 }`))).not.toEqual([])
  })
})

test('a default makes an argument optional: the input side of the schema is printed', () => {
  const signatures = signaturesOf(z.object({ n: z.number().default(1) }))
  expect(errorsOf(signatures, argument('{}'))).toEqual([])
})

test('an output schema gives the result a type', () => {
  const signatures = signaturesOf(objectOf({}), z.object({ temp: z.number() }))
  expect(errorsOf(signatures, `const t: Promise<{ temp: number }> = tools.find({})`)).toEqual([])
})

test('a library that prints no JSON Schema, or a schema it cannot print, leaves the tool usable', async () => {
  for (const schema of [v.object({ query: v.string() }), z.object({ query: z.string(), when: z.date().optional() })]) {
    const codeMode = make({ tools: { find: { inputSchema: schema, execute: ({ query }: { query: string }) => query } } })
    expect(errorsOf(codeMode.signatures, argument(`{ query: 'x' }`))).toEqual([])
    expect(await codeMode.run(`return await tools.find({ query: 'x' })`)).toMatchObject({ result: 'x' })
  }
})

test('one bad schema does not sink the rest', async () => {
  const tools = {
    good: { inputSchema: objectOf({ v: { type: 'number' } }), execute: ({ v: n }: { v: number }) => n + 1 },
    bad_type: { inputSchema: { type: 42, properties: null }, execute: () => 'bad' },
    bool: { inputSchema: true, execute: () => 'bool' },
  }
  const codeMode = make({ tools })
  expect(errorsOf(codeMode.signatures, '')).toEqual([])
  for (const name of Object.keys(tools)) expect(codeMode.signatures).toContain(name)
  expect(await codeMode.run('return [await tools.good({ v: 1 }), await tools.bool({})]')).toMatchObject({ result: [2, 'bool'] })
})
