import { Readable } from 'node:stream'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { caught, completed, failed, make, resultOf } from './helpers.ts'

const giving = (value: () => unknown) => ({ tools: { give: { execute: value } } })
const get = 'return await tools.give()'
const notes = (logs: readonly string[]) => logs.filter((line) => line.startsWith('note: Tool give'))
const refused = (reason: string) => ({ name: 'ToolError', message: `Tool give returned a value that is not JSON: ${reason}.` })

class Point {
  constructor(
    readonly x: number,
    readonly y: number,
  ) {}
  get sum() {
    return this.x + this.y
  }
}

const cyclic = () => {
  const value: Record<string, unknown> = { a: 1 }
  value['self'] = value
  return value
}
const deep = (depth: number) => {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

describe('what arrives is the JSON copy', () => {
  test.each<[string, () => unknown, unknown]>([
    ['a string that looks like JSON', () => '{"a":1}', '{"a":1}'],
    ['falsy values', () => [0, '', false, null], [0, '', false, null]],
    ['a Date', () => ({ at: new Date(Date.UTC(2026, 0, 2)) }), { at: '2026-01-02T00:00:00.000Z' }],
    [
      'functions, symbols and undefined dropped',
      () => ({ f() {}, s: Symbol('x'), u: undefined, a: [() => 1, undefined] }),
      { a: [null, null] },
    ],
    ['NaN and Infinity', () => [NaN, Infinity, -0], [null, null, 0]],
    ['a class instance', () => new Point(1, 2), { x: 1, y: 2 }],
    ['toJSON', () => ({ toJSON: () => ({ z: 1 }) }), { z: 1 }],
    ['data called then, toJSON, length', () => ({ then: 'y', toJSON: 'x', length: 3 }), { then: 'y', toJSON: 'x', length: 3 }],
    ['no prototype', () => Object.assign(Object.create(null), { a: 1 }) as unknown, { a: 1 }],
    ['an object of another realm', () => runInNewContext('({ a: [{}] })') as unknown, { a: [{}] }],
    ['boxed values', () => [new Number(5), new String('s'), new Boolean(false)], [5, 's', false]],
    ['a URL', () => new URL('https://example.com/a'), 'https://example.com/a'],
    ['line separators and lone surrogates', () => 'a\u2028b\ud800', 'a\u2028b\ud800'],
  ])('%s', async (_what, value, expected) => {
    const outcome = completed(await make(giving(value)).run(get))
    expect(outcome.result).toEqual(expected)
    expect(notes(outcome.logs)).toEqual([])
  })

  test('undefined is undefined in the script and absent in the record', async () => {
    const outcome = completed(await make(giving(() => undefined)).run('return [await tools.give() === undefined]'))
    expect(outcome.result).toEqual([true])
    expect('result' in (outcome.calls[0] ?? {})).toBe(false)
  })

  test('an own `__proto__` key stays one, and touches no prototype', async () => {
    const code = `const r = await tools.give(); return [Object.keys(r), r.polluted === undefined]`
    const outcome = completed(await make(giving(() => JSON.parse('{"__proto__":{"polluted":true}}') as unknown)).run(code))
    expect(outcome.result).toEqual([['__proto__'], true])
    expect(Object.keys(outcome.calls[0]?.result as object)).toEqual(['__proto__'])
  })

  test('changing the value afterwards changes no record', async () => {
    const shared = { list: [1] }
    const outcome = completed(await make(giving(() => shared)).run('await tools.give(); return 1'))
    shared.list.push(2)
    expect(outcome.calls[0]?.result).toEqual({ list: [1] })
  })

  test('500 levels of nesting are fine', async () => {
    const code = `let d = 0, r = await tools.give(); while (Array.isArray(r)) { r = r[0]; d++ } return d`
    expect(
      await resultOf(
        giving(() => deep(500)),
        code,
      ),
    ).toBe(500)
  })
})

describe('what is refused', () => {
  test.each<[string, () => unknown, string]>([
    ['a function', () => () => 1, 'it is a function'],
    ['a symbol', () => Symbol('x'), 'it is a symbol'],
    ['a BigInt', () => 1n, 'it holds a BigInt'],
    ['a BigInt inside', () => ({ a: [{ n: 1n }] }), 'it holds a BigInt'],
    ['a cycle', cyclic, 'it refers to itself'],
    [
      'a getter that throws',
      () => ({
        get a() {
          throw new Error('host secret')
        },
      }),
      'it cannot be read',
    ],
    [
      'a toJSON that throws',
      () => ({
        toJSON() {
          throw new Error('host secret')
        },
      }),
      'a getter or toJSON of it throws',
    ],
    [
      'a proxy that throws',
      () =>
        new Proxy(
          {},
          {
            ownKeys() {
              throw new Error('host secret')
            },
          },
        ),
      'it cannot be read',
    ],
    [
      'numbers of another size than bytes',
      () => ({ samples: new Float64Array([1, 2, 3]) }),
      'it holds a Float64Array; return base64 text or a list of numbers instead',
    ],
    ['a DataView', () => [new DataView(new ArrayBuffer(8))], 'it holds a DataView; return base64 text or a list of numbers instead'],
    ['a Node stream', () => Readable.from(['x']), 'it holds a stream (Readable); return its data instead'],
    ['100,000 levels of nesting', () => deep(100_000), 'it is too large or nested too deeply'],
  ])('%s', async (_what, value, reason) => {
    const outcome = completed(await make(giving(value)).run(caught('tools.give()')))
    expect(outcome.result).toEqual(refused(reason))
    expect(JSON.stringify(outcome)).not.toContain('host secret')
  })
})

describe('what loses its data is {} and a note for the model', () => {
  test.each<[string, () => unknown]>([
    ['Map', () => new Map([['k', 1]])],
    ['Set', () => [new Set([1]), new Set([2])]],
    ['Response', () => new Response('body')],
    ['ReadableStream', () => new Response('body').body],
    ['Blob', () => new Blob(['x'])],
    ['Error', () => new Error('returned, not thrown')],
  ])('%s', async (kind, value) => {
    const outcome = completed(await make(giving(value)).run(get))
    expect(JSON.stringify(outcome.result)).toMatch(/^(\{\}|\[\{\},\{\}\])$/)
    expect(notes(outcome.logs)).toEqual([`note: Tool give returned a ${kind}, which is {} in JSON; its data did not reach the script.`])
  })

  test('a Response is not consumed, an iterable stream is not read', async () => {
    const response = new Response('body')
    completed(await make(giving(() => response)).run(get))
    expect(await response.text()).toBe('body')
  })

  test('the same note is given once', async () => {
    const outcome = completed(await make(giving(() => new Map())).run('await tools.give(); await tools.give(); return 1'))
    expect(notes(outcome.logs)).toHaveLength(1)
  })
})

describe('size', () => {
  const give = (chars: number) => ({ ...giving(() => 'z'.repeat(chars)), limits: { maxToolResultBytes: 1_000 } })
  test('just under passes, just over is refused before it is copied, and nothing is cut', async () => {
    expect(await resultOf(give(998), 'return (await tools.give()).length')).toBe(998)
    expect(await resultOf(give(999), caught('tools.give()'))).toEqual({
      name: 'ToolError',
      message: 'Tool give returned 1001 bytes, over the limit of 1000 bytes (maxToolResultBytes).',
    })
  })

  test('it is counted in bytes', async () => {
    const options = { ...giving(() => 'é'.repeat(600)), limits: { maxToolResultBytes: 1_000 } }
    expect(await resultOf(options, caught('tools.give()'))).toMatchObject({ message: expect.stringContaining('1202 bytes') as string })
  })

  test('a large result costs no output: only what the script returns does', async () => {
    const options = giving(() => Array.from({ length: 40_000 }, (_, id) => ({ id, text: `row ${id}` })))
    expect(await resultOf(options, 'return (await tools.give()).filter((r) => r.id % 10000 === 0).map((r) => r.id)')).toEqual([
      0, 10_000, 20_000, 30_000,
    ])
    expect(failed(await make(options).run(get)).error).toMatchObject({
      code: 'output_limit',
      message: expect.stringContaining('20000') as string,
    })
  })
})
