// Option `dialect`: other names for the same tools, and nothing else.
import { describe, expect, test } from 'vitest'
import { completed, failed, make, objectOf, recorder, resultOf } from './helpers.ts'

const tools = {
  get_price: {
    description: 'The price of one fruit',
    inputSchema: objectOf({ item: { type: 'string' } }),
    execute: ({ item }: { item: string }) => item.length,
  },
  'send-mail': { description: 'Sends a message', execute: () => 'sent' },
  then: { execute: () => 'then' },
  delete: { execute: () => 'deleted' },
}

describe('cloudflare', () => {
  const dialect = 'cloudflare' as const

  test('codemode has the tools and the helpers', async () => {
    const code = `return [await codemode.get_price({ item: 'plum' }), await codemode.send_mail(), await codemode['send-mail'](), await codemode.delete(),
      (await codemode.search('price'))[0].name, codemode === tools]`
    expect(await resultOf({ tools, dialect }, code)).toEqual([4, 'sent', 'sent', 'deleted', 'get_price', true])
  })

  test('is what the description and the signatures say', () => {
    const { signatures, tool } = make({ tools, dialect })
    expect(signatures).toContain('declare const codemode: {')
    expect(tool.description).toContain('`await codemode.name(args)`')
    expect(tool.description).not.toMatch(/\btools\.\w/)
  })
})

describe.each(['tanstack', 'mastra'] as const)('%s', (dialect) => {
  test('each tool is a function', async () => {
    const code = `return [await external_get_price({ item: 'plum' }), await external_send_mail(), await external_then(), await external_delete(), typeof external_get_price, typeof external_nope]`
    expect(await resultOf({ tools, dialect }, code)).toEqual([4, 'sent', 'then', 'deleted', 'function', 'undefined'])
  })

  test('a call is a call: counted, recorded, gated', async () => {
    const { of, onEvent } = recorder()
    const outcome = completed(
      await make({ tools, dialect, onEvent, permissions: [{ tool: 'delete', action: 'deny', reason: 'no' }] }).run(`
      await external_get_price({ item: 'a' }); return await external_delete().catch((e) => e.message)
    `),
    )
    expect(outcome.result).toBe('no')
    expect(outcome.toolCalls).toBe(2)
    expect(of('tool.start').map((event) => event.toolName)).toEqual(['get_price', 'delete'])
  })

  test('an unknown function names the nearest', async () => {
    const { error } = failed(await make({ tools, dialect }).run(`return await external_get_prise({ item: 'a' })`))
    expect(error).toMatchObject({ name: 'ReferenceError', message: expect.stringMatching(/external_get_prise.*get_price/) })
    expect(failed(await make({ tools, dialect }).run('return nothing_like_it')).error.name).toBe('ReferenceError')
  })

  test('variables and globals of the program work as everywhere', async () => {
    const code = `const external_x = 1; globalThis.own = 2; external_get_price; return [external_x, own, typeof missing, Object.getPrototypeOf({}) === Object.prototype, String(globalThis.toString).length > 0]`
    expect(await resultOf({ tools, dialect }, code)).toEqual([1, 2, 'undefined', true, true])
  })

  test('is what the description and the signatures say', () => {
    const { signatures, tool } = make({ tools, dialect })
    expect(signatures).toContain('declare function external_get_price(input: { item: string }): Promise<unknown>')
    expect(signatures).toContain('declare function external_send_mail(')
    expect(tool.description).toContain('`await external_name(args)`')
  })

  test('two tools that would be one function are refused by name', () => {
    const clash = { 'a-b': { execute: () => 1 }, 'a.b': { execute: () => 2 } }
    expect(() => make({ tools: clash, dialect })).toThrow(/"a-b".*"a\.b".*external_a_b/)
    make({ tools: clash })
  })
})

describe('codex', () => {
  test('tools.x, and identifiers in ALL_TOOLS that can be called', async () => {
    const code = `return [ALL_TOOLS.map((tool) => tool.name), await tools[ALL_TOOLS[1].name](), await tools.get_price({ item: 'a' }), text('said'), exit()]`
    expect(await resultOf({ tools, dialect: 'codex' }, code.replace(", text('said'), exit()", ''))).toEqual([
      ['get_price', 'send_mail', 'then_', 'delete'],
      'sent',
      1,
    ])
    const outcome = completed(await make({ tools, dialect: 'codex' }).run(`text('said'); exit(); text('never')`))
    expect([outcome.text, outcome.result]).toEqual([['said'], null])
  })
})

test('the default has no names of another dialect', async () => {
  expect(await resultOf({ tools }, 'return [typeof codemode, typeof external_get_price]')).toEqual(['undefined', 'undefined'])
})

test('a dialect that is none is refused', () => {
  expect(() => make({ tools, dialect: 'python' as 'codex' })).toThrow('Expected `dialect` to be one of')
})
