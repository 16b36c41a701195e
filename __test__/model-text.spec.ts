import { describe, expect, test } from 'vitest'
import { modelText } from '../ts/model-text.ts'
import type { CallRecord } from '../ts/index.ts'
import { failed, make } from './helpers.ts'

const record = (n: number, over: Partial<CallRecord> = {}): CallRecord => ({
  toolCallId: `r:${n}`,
  toolName: 'get_price',
  input: { item: 'apple' },
  status: 'done',
  durationMs: 1,
  ...over,
})

describe('the text for the model', () => {
  test('says the cause, the place, and the calls', () => {
    const code = 'const a = 1\nconst b = null.x\nreturn b'
    const calls = [
      record(1, { result: { item: 'apple', usd: 1.2 } }),
      record(2),
      record(3, { status: 'error', error: 'disk full' }),
      record(4, { status: 'denied', error: 'no' }),
      record(5, { status: 'cancelled', error: 'x' }),
      record(6),
    ]
    expect(modelText({ name: 'TypeError', message: 'cannot read x', line: 2, column: 16 }, code, calls)).toBe(`TypeError: cannot read x

At line 2, column 16:
  1 | const a = 1
> 2 | const b = null.x
    |                ^
  3 | return b

The first 5 of 6 tool calls:
1. get_price({"item":"apple"}) -> {"item":"apple","usd":1.2}
2. get_price({"item":"apple"}) -> undefined
3. get_price({"item":"apple"}) threw ToolError "disk full"
4. get_price({"item":"apple"}) threw ToolError "no"
5. get_price({"item":"apple"}) was still running when the run ended`)
  })

  test('a message that already begins with the name is not doubled; no place, no calls', () => {
    expect(modelText({ name: 'Error', message: 'Error: x' }, '', [])).toBe('Error: x')
    expect(modelText({ name: 'Error', message: '' }, '', [])).toBe('Error')
  })

  test('arguments and results are cut at 200 characters', () => {
    const text = modelText({ name: 'E', message: 'm' }, '', [record(1, { input: 'a'.repeat(500), result: 'r'.repeat(500) })])
    const [, input, result] = /get_price\((.*)\) -> (.*)$/.exec(text) ?? []
    expect(input).toHaveLength(200)
    expect(result).toHaveLength(200)
    expect(input).toMatch(/^"a+… \(\d+ more characters\)$/)
  })

  test('stays under 4,000 characters whatever the parts are', () => {
    const long = 'x'.repeat(100_000)
    const calls = Array.from({ length: 9 }, (_, n) => record(n, { toolName: long, input: long, result: long }))
    const text = modelText({ name: long, message: long, line: 2, column: 90 }, `${long}\n${long}\n${long}`, calls)
    expect(text.length).toBeLessThan(4_000)
    expect(text).toContain('The first 5 of 9 tool calls')
  })
})

test('a failed run tells where in the source it failed, and what its calls gave', async () => {
  const tools = { get_price: { execute: ({ item }: { item: string }) => ({ item, usd: 1.2 }) } }
  const code = `const p = await tools.get_price({ item: 'apple' })\nreturn p.price.usd`
  const { error } = failed(await make({ tools }).run(code))
  expect(error).toMatchObject({ code: 'script_error', name: 'TypeError', line: 2 })
  expect(error.modelText.startsWith(`TypeError: ${error.message}`)).toBe(true)
  expect(error.modelText).toContain('> 2 | return p.price.usd')
  expect(error.modelText).toContain('1. get_price({"item":"apple"}) -> {"item":"apple","usd":1.2}')
})

test('an uncaught ToolError names the tool', async () => {
  const tools = { save: { execute: () => Promise.reject(new Error('disk full on vol-7')) } }
  const { error } = failed(await make({ tools }).run('await tools.save({})'))
  expect(error).toMatchObject({ name: 'ToolError', message: 'disk full on vol-7' })
  expect(error.modelText).toContain('save({}) threw ToolError "disk full on vol-7"')
})
