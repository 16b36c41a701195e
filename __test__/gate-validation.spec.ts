import { jsonSchema, tool as aiTool } from 'ai'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Schema } from '../ts/index.ts'
import { caught, make, objectOf, resultOf } from './helpers.ts'

/** One tool with this schema; how often it was entered, and with what. */
function counted(inputSchema: Schema | undefined) {
  const inputs: unknown[] = []
  const execute = (input: unknown) => (inputs.push(input), 'ran')
  return { inputs, tools: { find: { ...(inputSchema === undefined ? {} : { inputSchema }), execute } } }
}

const schemas: [string, Schema][] = [
  ['JSON Schema', objectOf({ query: { type: 'string' } })],
  ['Zod', z.object({ query: z.string() })],
  ['Valibot', v.object({ query: v.string() })],
  ['ArkType', type({ query: 'string' })],
  ['AI SDK jsonSchema()', jsonSchema(objectOf({ query: { type: 'string' } }) as never)],
  ['AI SDK tool() with Zod', aiTool({ inputSchema: z.object({ query: z.string() }), execute: () => 0 }).inputSchema as Schema],
]

describe.each(schemas)('%s', (_name, schema) => {
  test('valid arguments reach the tool', async () => {
    const { inputs, tools } = counted(schema)
    expect(await resultOf({ tools }, `return await tools.find({ query: 'x' })`)).toBe('ran')
    expect(inputs).toEqual([{ query: 'x' }])
  })

  test('wrong ones are a ToolError that names the field; the tool is not entered', async () => {
    const { inputs, tools } = counted(schema)
    const result = await resultOf({ tools }, caught('tools.find({ query: 1 })'))
    expect(result).toMatchObject({ name: 'ToolError' })
    expect((result as { message: string }).message).toMatch(/^Invalid arguments for tool find: .*query/s)
    expect(inputs).toEqual([])
  })
})

describe('arguments', () => {
  test('without a schema: no argument means {}, anything but one object is refused', async () => {
    const { inputs, tools } = counted(undefined)
    const code = `
      const seen = [await tools.find(), await tools.find({ any: 1 })]
      try { await tools.find([1]) } catch (e) { seen.push(e.name) }
      return seen`
    expect(await resultOf({ tools }, code)).toEqual(['ran', 'ran', 'ToolError'])
    expect(inputs).toEqual([{}, { any: 1 }])
  })

  test('a transforming schema gives the tool what it made of them', async () => {
    const { inputs, tools } = counted(z.object({ n: z.number().default(7), when: z.coerce.date() }))
    await resultOf({ tools }, `return await tools.find({ when: '2026-01-02' })`)
    expect(inputs).toEqual([{ n: 7, when: new Date('2026-01-02') }])
  })

  test('an asynchronous validator is awaited', async () => {
    const { inputs, tools } = counted(z.object({ n: z.number().refine(async (n) => n > 1, 'too small') }))
    const code = `const first = await (async () => { ${caught('tools.find({ n: 1 })')} })(); return [first.message, await tools.find({ n: 2 })]`
    expect(await resultOf({ tools }, code)).toEqual(['Invalid arguments for tool find: n: too small', 'ran'])
    expect(inputs).toEqual([{ n: 2 }])
  })

  test('a validator that throws fails closed, its error stays with the host', async () => {
    const broken = {
      '~standard': {
        version: 1 as const,
        vendor: 'x',
        validate: () => {
          throw new Error('db password')
        },
      },
    }
    const { inputs, tools } = counted(broken)
    const result = await resultOf({ tools, onEvent: () => {} }, caught('tools.find({})'))
    expect(result).toEqual({ name: 'ToolError', message: 'Tool find could not be run: a check of the host failed.' })
    expect(inputs).toEqual([])
  })

  test('what the tool does to them changes no record', async () => {
    const tools = { edit: { execute: (input: { list: number[] }) => (input.list.push(9), input.list.length) } }
    const outcome = await make({ tools }).run('return await tools.edit({ list: [1] })')
    expect(outcome.calls[0]).toMatchObject({ input: { list: [1] }, result: 2 })
  })

  test('validation comes before the question whether to approve', async () => {
    let asked = 0
    const tools = { remove: { inputSchema: objectOf({ id: { type: 'string' } }), needsApproval: true, execute: () => 'removed' } }
    const result = await resultOf({ tools, approve: () => (asked++, 'approve') }, caught('tools.remove({})'))
    expect(result).toMatchObject({ name: 'ToolError', message: expect.stringContaining('id') as string })
    expect(asked).toBe(0)
  })

  test('an own key `__proto__` arrives as an own key and touches no prototype', async () => {
    const { inputs, tools } = counted(undefined)
    await resultOf({ tools }, `return await tools.find(JSON.parse('{"__proto__":{"polluted":1}}'))`)
    expect(Object.keys(inputs[0] as object)).toEqual(['__proto__'])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('refused calls count and are recorded as errors', async () => {
    const { tools } = counted(objectOf({ query: { type: 'string' } }))
    const outcome = await make({ tools }).run(caught('tools.find({})'))
    expect(outcome.toolCalls).toBe(1)
    expect(outcome.calls[0]).toMatchObject({ status: 'error', input: {}, error: expect.stringContaining('query') as string })
  })
})
