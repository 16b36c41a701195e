import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CodeModeClosedError } from '../ts/index.ts'
import { caught, completed, echo, failed, make, objectOf } from './helpers.ts'

const price = {
  description: 'The price of one fruit',
  inputSchema: {
    type: 'object',
    properties: { item: { type: 'string' }, currency: { enum: ['USD', 'EUR'] }, count: { type: 'integer', minimum: 1 } },
    required: ['item'],
    additionalProperties: false,
  },
  execute: ({ item }: { item: string }) => ({ item, usd: 1 }),
}
const tools = {
  get_price: price,
  'save-report': { inputSchema: objectOf({ title: { type: 'string' } }), execute: () => null },
  open: { inputSchema: { type: 'object', properties: { a: { type: 'number' } } }, execute: () => null },
  zod: { inputSchema: z.object({ n: z.number() }), execute: () => null },
  anything: echo,
}
const codeMode = () => make({ tools })
const found = (code: string) =>
  codeMode()
    .check(code)
    .diagnostics.map(({ severity, message, line, column }) => `${severity} ${line}:${column} ${message}`)

describe('a program that is right', () => {
  test.each([
    'return 1',
    `return await tools.get_price({ item: 'apple', currency: 'EUR', count: 2 })`,
    'const item = pick()\nreturn tools.get_price({ item })\nfunction pick() { return "fig" }',
    'return await Promise.all(["a"].map((item) => tools.get_price({ item })))',
    'const n: number = 1\nreturn await tools.open({ a: n as number })',
    'return await tools["save-report"]({ title: `a ${1 + 1}` })',
    'return await tools.anything({ whatever: [1] })',
    'return await tools.get_price({ ...input })',
  ])('%s', (code) => expect(codeMode().check(code)).toMatchObject({ ok: true, diagnostics: [] }))
})

describe('an error: the program cannot run, or the call will fail', () => {
  test.each([
    ['return (', 'error 1:9 the program ends too early: the `(` of line 1 is never closed'],
    ['return await tools.get_prise({ item: "a" })', 'error 1:14 there is no tool `get_prise`; did you mean `get_price`?'],
    ['return await tools.zzz()', 'error 1:14 there is no tool `zzz`'],
    ['return await tools.get_price({ item: 5 })', 'error 1:38 `get_price`: `item`: expected string, got 5'],
    ['return await tools.get_price()', 'error 1:14 `get_price`: `item` is missing'],
    [
      'return await tools.get_price({\n  item: "a",\n  curency: "USD" })',
      'error 3:3 `get_price`: `curency` is no property here; did you mean `currency`?',
    ],
    [
      'return await tools.get_price({ item: "a", currency: "GBP" })',
      'error 1:53 `get_price`: `currency`: expected "USD" or "EUR", got "GBP"',
    ],
    ['return await tools.get_price({ item: "a", count: 0 })', 'error 1:30 `get_price`: count: expected a number >= 1, got 0'],
    ['return await tools.get_price("apple")', 'error 1:30 `get_price`: the argument: expected object, got "apple"'],
    ['const { get_price: p } = tools\nreturn await p({ item: null })', 'error 2:24 `get_price`: `item`: expected string, got null'],
  ])('%s', (code, line) => {
    expect(found(code)).toEqual([line])
    expect(codeMode().check(code).ok).toBe(false)
  })

  test('a call that check calls an error does fail when it runs', async () => {
    const mode = codeMode()
    for (const call of [
      'tools.get_prise({})',
      'tools.get_price({ item: 5 })',
      'tools.get_price()',
      'tools.get_price("a")',
      'tools.get_price({ item: "a", count: 0 })',
    ]) {
      expect(mode.check(`return await ${call}`).ok).toBe(false)
      expect(completed(await mode.run(caught(call))).result).toHaveProperty('message')
    }
  })
})

describe('a warning: the program runs, but hardly as meant', () => {
  test.each([
    [
      'tools.get_price({ item: "a" })\nreturn 1',
      'warning 1:1 the promise of tools.get_price is neither awaited nor returned: write `await` in front of the call',
    ],
    [
      'const p = tools.get_price({ item: "a" })\nreturn p.usd',
      'warning 2:8 `p` is the promise of tools.get_price, not its result: write `const p = await tools.get_price(...)`',
    ],
    ['function helper() {}\nreturn 1', 'warning 1:1 `helper` is declared but never called'],
    ['return 1\nconsole.log(2)', 'warning 2:1 this is never reached: it stands after `return`'],
    ['return await tools.open({ b: 1 })', 'warning 1:27 `open`: `b` is no property here; expected `a`'],
    ['return await tools.get_price({ item: "a" }, 2)', 'warning 1:14 `get_price` takes one object, but is called with 2 arguments'],
    ['return await tools.zod({ n: "1" })', 'warning 1:29 `zod`: `n`: expected number, got "1"'],
    ['const tools = { x() {} }\nreturn tools.x()', 'warning 2:8 there is no tool `x`'],
    ['return tools.nothing ? 1 : 2', 'warning 1:8 there is no tool `nothing`; did you mean `anything`?'],
  ])('%s', (code, line) => {
    expect(found(code)).toEqual([line])
    expect(codeMode().check(code).ok).toBe(true)
  })
})

test('planned tools come by their registered names, each once, in order of first appearance', () => {
  const code =
    'const { anything } = tools; await tools.save_report({ title: "x" }); await tools["save-report"]({ title: "y" }); tools.nope; return tools.get_price({ item: "a" })'
  expect(codeMode().check(code).plannedTools).toEqual(['anything', 'save-report', 'get_price'])
})

test('a source over the limit is an error; one at the limit is not', () => {
  const mode = make({ tools: {}, limits: { maxSourceChars: 20 } })
  expect(mode.check('return 1'.padEnd(20))).toMatchObject({ ok: true })
  expect(mode.check('return 1'.padEnd(21))).toEqual({
    ok: false,
    diagnostics: [{ severity: 'error', message: 'the source has 21 characters, more than maxSourceChars (20)', line: 1, column: 1 }],
    plannedTools: [],
  })
})

test('nothing is run, and a run is refused for syntax alone', async () => {
  let entered = 0
  const mode = make({ tools: { act: { execute: () => ++entered } } })
  mode.check('await tools.act()')
  expect(entered).toBe(0)
  // The wrong branch never runs.
  expect(completed(await mode.run('if (false) { await tools.nope() }\nreturn await tools.act()')).result).toBe(1)
  expect(failed(await mode.run('await tools.act(\nreturn 1')).error.code).toBe('syntax_error')
  expect(entered).toBe(1)
})

test('at most 100 diagnostics', () => {
  expect(codeMode().check('tools.zzz();\n'.repeat(500)).diagnostics).toHaveLength(100)
})

test('misuse throws', async () => {
  const mode = codeMode()
  expect(() => mode.check(5 as never)).toThrow(new TypeError('Expected `code` to be a string, got `5` (number)'))
  await mode.close()
  expect(() => mode.check('return 1')).toThrow(CodeModeClosedError)
})
