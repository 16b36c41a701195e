import { describe, expect, test } from 'vitest'
import { modelText, type Background, type ModelFailure } from '../ts/model-text.ts'
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

const text = (over: Partial<ModelFailure>, code = '', calls: readonly CallRecord[] = [], background?: Background) =>
  modelText({ code: 'script_error', name: 'Error', message: 'm', ...over }, code, calls, background)

describe('the text for the model', () => {
  test('says the cause, the place, the calls, what ran, and the next step', () => {
    const code = 'const a = 1\nconst b = null.x\nreturn b'
    const calls = [
      record(1, { result: { item: 'apple', usd: 1.2 } }),
      record(2),
      record(3, { status: 'error', error: 'disk full' }),
      record(4, { status: 'denied', error: 'no' }),
      record(5, { status: 'cancelled', error: 'x' }),
      record(6),
    ]
    expect(text({ name: 'TypeError', message: 'cannot read x', line: 2, column: 16 }, code, calls)).toBe(`TypeError: cannot read x

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
5. get_price({"item":"apple"}) was still running when the run ended

Of 6 calls: 3 done, 1 failed, 1 denied, 1 cut off by the end of the run. What is done stays done.
Next: correct line 2 and send the whole program again.`)
  })

  test('a message that already begins with the name is not doubled; no place, no calls', () => {
    expect(text({ message: 'Error: x' }).split('\n')[0]).toBe('Error: x')
    expect(text({ message: '' })).toBe(
      'Error\n\nThe program began, but called no tool.\nNext: correct the program and send the whole program again.',
    )
  })

  test('arguments and results are cut at 200 characters, and the top says that something was cut', () => {
    const cut = text({}, '', [record(1, { input: 'a'.repeat(500), result: 'r'.repeat(500) })])
    const [, input, result] = /get_price\((.*)\) -> (.*)$/m.exec(cut) ?? []
    expect(input).toHaveLength(200)
    expect(result).toHaveLength(200)
    expect(input).toMatch(/^"a+… \(\d+ more characters\)$/)
    expect(cut.split('\n').slice(0, 2)).toEqual(['Error: m', '(Shortened: … stands where text was cut.)'])
    expect(text({}, '', [record(1, { input: 'a'.repeat(198) })])).not.toContain('Shortened')
    expect(text({ message: 'an … of its own' })).not.toContain('Shortened')
  })

  test('stays under 4,000 characters whatever the parts are, and keeps the cause, the place, five calls and the next step', () => {
    const long = 'x'.repeat(100_000)
    const calls = Array.from({ length: 9 }, (_, n) => record(n, { toolName: long, input: long, result: long }))
    const findings = Array.from({ length: 9 }, () => ({ error: true, message: long, line: 1, column: 1 }))
    const cut = text({ name: long, message: long, line: 2, column: 90 }, `${long}\n${long}\n${long}`, calls, {
      findings,
      signatures: [long, long],
      invalid: false,
    })
    expect(cut.length).toBeLessThan(4_000)
    expect(cut).toMatch(/^x+… \(\d+ more characters\)\n\(Shortened/)
    expect(cut).toContain('The first 5 of 9 tool calls')
    expect(cut).toMatch(/\n5\. x.*\n/)
    expect(cut).toMatch(/\nNext: .*\.$/)
  })

  test('what was found comes with its place, errors first, three at most', () => {
    const findings = [
      { error: false, message: 'a warning', line: 1, column: 1 },
      { error: true, message: 'an error', line: 2, column: 3 },
      { error: false, message: 'another', line: 3, column: 1 },
      { error: false, message: 'one too many', line: 4, column: 1 },
    ]
    expect(text({}, '', [], { findings, signatures: [' f(input: { a: 1 }): Promise<2>'], invalid: false })).toContain(
      'Found in the program:\n- line 2, column 3: an error\n- line 1, column 1: a warning\n- line 3, column 1: another\n\nDeclared in `tools`:\nf(input: { a: 1 }): Promise<2>\n',
    )
  })

  test('a long line is shown around the column', () => {
    const line = `${'a'.repeat(300)}!${'b'.repeat(300)}`
    const frame = text({ line: 1, column: 301 }, line).split('\n')
    const shown = frame.find((one) => one.startsWith('> ')) ?? ''
    const mark = frame.find((one) => one.endsWith('^')) ?? ''
    expect(shown.length).toBeLessThan(140)
    expect(shown[mark.length - 1]).toBe('!')
    expect(shown).toMatch(/\| …a+!b+…$/)
    expect(frame[1]).toContain('Shortened')
  })

  test('each kind of failure has one next step, and says what did not run', () => {
    const codes = [
      'script_error',
      'syntax_error',
      'timeout',
      'cpu_timeout',
      'memory_limit',
      'tool_call_limit',
      'output_limit',
      'source_limit',
      'not_serializable',
      'aborted',
      'guardrail',
      'overloaded',
      'internal',
    ] as const
    const steps = codes.map((code) => /\nNext: (.*)$/.exec(text({ code }))?.[1])
    expect(new Set(steps).size).toBe(codes.length)
    for (const code of ['syntax_error', 'source_limit', 'overloaded'] as const) expect(text({ code })).toContain('Nothing ran')
  })
})

describe('a failed run explains itself', () => {
  const schema = { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] }
  const tools = { get_price: { inputSchema: schema, execute: ({ item }: { item: string }) => ({ item, usd: 1.2 }) } }
  const textOf = async (code: string, limits = {}) => failed(await make({ tools, limits }).run(code)).error.modelText

  test('an unknown tool: the nearest name and its signature', async () => {
    const told = await textOf(`return await tools.get_prise({ item: 'a' })`)
    expect(told).toContain('there is no tool `get_prise`; did you mean `get_price`?')
    expect(told).toContain('get_price(input: { item: string }): Promise<unknown>')
    expect(told).toContain('Next: correct what was found')
  })

  test('a wrong property: the nearest name and the signature', async () => {
    const told = await textOf(`return await tools.get_price({ itm: 'a' })`)
    expect(told).toMatch(/^ToolError: Invalid arguments for tool get_price: item: required, but missing/)
    expect(told).toContain('`itm` is no property here; did you mean `item`?')
    expect(told).toContain('get_price(input: { item: string }): Promise<unknown>')
  })

  test('wrong arguments that only show when it runs: the signature', async () => {
    const told = await textOf(`const x = { itm: 'a' }\nreturn await tools.get_price(x)`)
    expect(told).not.toContain('Found in the program')
    expect(told).toContain('get_price(input: { item: string }): Promise<unknown>')
    expect(told).toContain('Of 1 call: 1 failed.\nNext: call get_price with arguments that fit its declaration.')
  })

  test('a missing await is named as the reason', async () => {
    const told = await textOf(`const p = tools.get_price({ item: 'a' })\nreturn p.usd.toFixed(2)`)
    expect(told).toMatch(/^TypeError: /)
    expect(told).toContain('`p` is the promise of tools.get_price, not its result: write `const p = await tools.get_price(...)`')
  })

  test('too much output: the size, the limit, and how to return less; one character less passes', async () => {
    const told = await textOf(`return 'x'.repeat(99)`, { maxOutputChars: 100 })
    expect(told).toMatch(/^OutputLimitError: the output has 101 characters or more, over maxOutputChars \(100\)/)
    expect(told).toContain('Next: return less: only the fields and rows that were asked for')
    expect(await make({ tools, limits: { maxOutputChars: 100 } }).run(`return 'x'.repeat(98)`)).toMatchObject({ status: 'completed' })
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
