import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { jsonSchema, tool, zodSchema } from 'ai'
import { type } from 'arktype'
import ts from 'typescript'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import * as zm from 'zod/mini'
import type { Schema, Tool } from '../ts/index.ts'
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
  ['Zod Mini', zm.object({ query: zm.string() })],
  ['Valibot', v.object({ query: v.string() })],
  ['Valibot with its companion', toStandardJsonSchema(v.object({ query: v.string() }))],
  ['ArkType', type({ query: 'string' })],
  ['AI SDK jsonSchema()', jsonSchema(objectOf({ query: { type: 'string' } }) as never)],
  ['AI SDK zodSchema()', zodSchema(z.object({ query: z.string() }))],
])('from %s', (_name, schema) => {
  test('the declared argument accepts what is valid and rejects what is not', () => {
    const signatures = signaturesOf(schema)
    expect(errorsOf(signatures, argument(`{ query: 'x' }`))).toEqual([])
    expect(errorsOf(signatures, argument(`{ query: 1 }`))).not.toEqual([])
  })
})

test.each<[string, Schema, unknown]>([
  ['Zod', z.object({ query: z.string(), limit: z.number().default(3) }), { query: 'a', limit: 3 }],
  ['Zod Mini', zm.object({ query: zm.string(), limit: zm.prefault(zm.number(), 3) }), { query: 'a', limit: 3 }],
  ['Valibot', v.object({ query: v.string(), limit: v.optional(v.number(), 3) }), { query: 'a', limit: 3 }],
  ['ArkType', type({ query: 'string', limit: 'number = 3' }), { query: 'a', limit: 3 }],
  ['AI SDK zodSchema()', zodSchema(z.object({ query: z.string(), limit: z.number().default(3) })), { query: 'a', limit: 3 }],
  ['AI SDK jsonSchema()', jsonSchema(objectOf({ query: { type: 'string' } }) as never), { query: 'a' }],
])('%s validates, and gives the tool what it made of the arguments', async (_name, inputSchema, seen) => {
  const codeMode = make({ tools: { find: { inputSchema, execute: (input: unknown) => input } } })
  const code = `return [await tools.find({ query: 'a' }), await tools.find({ query: 1 }).catch((e) => [e.name, e.message])]`
  expect(await codeMode.run(code)).toMatchObject({ status: 'completed', result: [seen, ['ToolError', expect.stringContaining('query')]] })
})

test('an AI SDK tool() and a tool of an MCP server are tools as they are', async () => {
  const codeMode = make({
    tools: {
      measure: tool({
        description: 'Measures',
        inputSchema: z.object({ a: z.string() }),
        outputSchema: z.object({ b: z.number() }),
        execute: async ({ a }) => ({ b: a.length }),
      }) as unknown as Tool,
      mcp: {
        title: 'From a server',
        inputSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema', ...objectOf({ path: { type: 'string' } }) },
        outputSchema: objectOf({ content: { type: 'string' } }),
        annotations: { readOnlyHint: true },
        execute: ({ path }: { path: string }) => ({ content: path }),
      } as Tool,
    },
  })
  const probe = `const n: Promise<{ b: number }> = tools.measure({ a: 'x' }); const t: Promise<{ content: string }> = tools.mcp({ path: 'x' })`
  expect(errorsOf(codeMode.signatures, probe)).toEqual([])
  expect(errorsOf(codeMode.signatures, 'tools.mcp({ path: 1 })')).not.toEqual([])
  expect(await codeMode.run(`return [await tools.measure({ a: 'abc' }), await tools.mcp({ path: 'p' })]`)).toMatchObject({
    result: [{ b: 3 }, { content: 'p' }],
  })
})

test('the input side and the output side of a schema are told apart', () => {
  for (const schema of [z.object({ n: z.number().default(1) }), zm.object({ n: zm.prefault(zm.number(), 1) })]) {
    const signatures = signaturesOf(schema, schema)
    expect(errorsOf(signatures, `const r: Promise<{ n: number }> = tools.find({})`)).toEqual([])
  }
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
  const silent = { '~standard': { version: 1 as const, vendor: 'other', validate: (value: unknown) => ({ value }) } }
  for (const schema of [
    silent,
    v.object({ query: v.string(), other: v.optional(v.custom(() => true)) }),
    z.object({ query: z.string(), when: z.date().optional() }),
  ]) {
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
