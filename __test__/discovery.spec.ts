// What programs find of the catalogue: tools.search, describe, call, parallel and ALL_TOOLS.
import { describe, expect, test } from 'vitest'
import type { CodeModeOptions } from '../ts/index.ts'
import { caught, completed, echo, make, objectOf, recorder, resultOf, sleep } from './helpers.ts'

const tools = {
  get_price: {
    description: 'The price of one fruit in USD',
    inputSchema: objectOf({ item: { type: 'string', description: 'Name of the fruit, in English' } }),
    outputSchema: objectOf({ usd: { type: 'number' } }),
    execute: ({ item }: { item: string }) => ({ usd: item.length }),
  },
  'send-mail': { description: 'Sends a message to a person', execute: () => 'sent' },
  then: { description: 'Comes after', execute: () => 'then' },
  secret: { description: 'The price of secrets', execute: () => 'secret' },
}
const options: CodeModeOptions = { tools, except: ['secret'] }
const result = (code: string) => resultOf(options, code)

describe('tools.search', () => {
  test('gives name, description and signature, best first', async () => {
    const found = (await result(`return await tools.search('price of a fruit')`)) as {
      name: string
      description: string
      signature: string
    }[]
    expect(found[0]).toMatchObject({ name: 'get_price', description: 'The price of one fruit in USD' })
    expect(found[0]?.signature).toMatch(/^get_price\(input: .*item: string.*\): Promise<.*usd: number.*>$/s)
  })

  test('takes at most `limit`, ten if it is not said', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`list_thing_${i}`, { description: 'Lists things', execute: () => i }]),
    )
    const count = (query: string) =>
      resultOf({ tools: many, limits: { maxOutputChars: 1_000_000 } }, `return (await tools.search(${query})).length`)
    expect(await count(`'list things'`)).toBe(10)
    expect(await count(`'list things', { limit: 3 }`)).toBe(3)
    expect(await count(`'list things', {}`)).toBe(10)
    expect(await count(`{ query: 'list things', limit: 4 }`)).toBe(4)
    expect(await count(`'list things', { limit: 1e9 }`)).toBe(100)
  })

  test('nothing found is an empty list', async () => {
    expect(await result(`return await tools.search('zzzz qqqq')`)).toEqual([])
  })

  test('a wrong argument rejects and says what is meant', async () => {
    expect(await result(caught('tools.search(7)'))).toEqual({ name: 'TypeError', message: expect.stringContaining('needs a text') })
    expect(await result(caught('tools.search()'))).toMatchObject({ name: 'TypeError' })
    for (const limit of ['0', '-1', 'NaN', '"x"', 'null'])
      expect(await result(caught(`tools.search('a', { limit: ${limit} })`)), limit).toMatchObject({ name: 'RangeError' })
    expect(await result(`return await tools.search(7).catch((e) => e.name)`)).toBe('TypeError')
  })
})

describe('tools.describe', () => {
  test('tells all of one tool, by name or alias', async () => {
    const told = (await result(`return await tools.describe('get_price')`)) as Record<string, string>
    expect(told).toMatchObject({ name: 'get_price', description: 'The price of one fruit in USD' })
    expect(told['signature']).toContain('Name of the fruit, in English')
    expect(await result(`return (await tools.describe('send_mail')).name`)).toBe('send-mail')
    expect(await result(`return (await tools.describe('then')).name`)).toBe('then')
  })

  test('an unknown name rejects and names the nearest', async () => {
    expect(await result(caught(`tools.describe('get_prise')`))).toEqual({
      name: 'TypeError',
      message: expect.stringMatching(/get_prise.*get_price/),
    })
    expect(await result(caught('tools.describe()'))).toMatchObject({ name: 'TypeError' })
  })
})

describe('tools.call', () => {
  test('is a call of that tool', async () => {
    const { events, onEvent } = recorder()
    const outcome = completed(
      await make({ ...options, onEvent }).run(`
      return [await tools.call('get_price', { item: 'plum' }), await tools.call('send-mail'), await tools.call('send_mail'), await tools.call('then')]
    `),
    )
    expect(outcome.result).toEqual([{ usd: 4 }, 'sent', 'sent', 'then'])
    expect(outcome.toolCalls).toBe(4)
    expect(outcome.calls.map((call) => call.toolName)).toEqual(['get_price', 'send-mail', 'send-mail', 'then'])
    expect(events.filter((event) => event.type === 'tool.done')).toHaveLength(4)
  })

  test('passes the same gate', async () => {
    const denied = { ...options, permissions: [{ tool: 'get_*', action: 'deny' as const, reason: 'not today' }] }
    expect(await resultOf(denied, caught(`tools.call('get_price', { item: 'a' })`))).toEqual({ name: 'ToolError', message: 'not today' })
    expect(await result(caught(`tools.call('get_price', { item: 1 })`))).toMatchObject({ name: 'ToolError' })
    const limited = await make({ ...options, limits: { maxToolCalls: 1 } }).run(`await tools.call('then'); await tools.call('then')`)
    expect(limited).toMatchObject({ status: 'failed', error: { code: 'tool_call_limit' } })
  })

  test('an unknown name rejects, names the nearest, and is no call', async () => {
    const outcome = completed(await make(options).run(caught(`tools.call('get_prise', {})`)))
    expect(outcome.result).toEqual({ name: 'TypeError', message: expect.stringMatching(/get_prise.*get_price/) })
    expect(outcome.toolCalls).toBe(0)
    for (const name of ['search', '$search', 'toString', '__proto__', 'constructor', ''])
      expect(await result(caught(`tools.call(${JSON.stringify(name)})`)), name).toMatchObject({ name: 'TypeError' })
    expect(await result(caught('tools.call()'))).toMatchObject({ name: 'TypeError' })
  })
})

describe('tools.parallel', () => {
  const timed = { wait: { execute: async ({ ms }: { ms: number }) => (await sleep(ms), ms) } }

  test('starts all at once and keeps the order', async () => {
    const code = `return await tools.parallel([tools.wait({ ms: 60 }), () => tools.wait({ ms: 5 }), async () => (await tools.wait({ ms: 30 })) + 1, 7])`
    expect(await resultOf({ tools: timed }, code)).toEqual([60, 5, 31, 7])
    const { events, onEvent } = recorder()
    await make({ tools: timed, onEvent }).run('await tools.parallel([1, 2, 3].map(() => () => tools.wait({ ms: 20 })))')
    const order = events.map((event) => event.type).filter((type) => type === 'tool.start' || type === 'tool.done')
    expect(order.slice(0, 3)).toEqual(['tool.start', 'tool.start', 'tool.start'])
  })

  test('a failure rejects it', async () => {
    expect(await result(caught(`tools.parallel([tools.then_(), () => { throw new RangeError('mine') }])`))).toEqual({
      name: 'RangeError',
      message: 'mine',
    })
    expect(await result(caught('tools.parallel(tools.then_())'))).toMatchObject({ name: 'TypeError' })
    expect(await result('return await tools.parallel([])')).toEqual([])
  })
})

describe('ALL_TOOLS', () => {
  test('has name and description of each tool a program may call', async () => {
    expect(await result('return ALL_TOOLS')).toEqual([
      { name: 'get_price', description: 'The price of one fruit in USD' },
      { name: 'send-mail', description: 'Sends a message to a person' },
      { name: 'then', description: 'Comes after' },
    ])
    expect(
      await result(`return [ALL_TOOLS === ALL_TOOLS, typeof ALL_TOOLS, 'ALL_TOOLS' in globalThis, (await tools.call(ALL_TOOLS[2].name))]`),
    ).toEqual([true, 'object', true, 'then'])
  })

  test('a program may have a variable of that name', async () => {
    expect(await result('const ALL_TOOLS = 1, finish = 2, exit = 3; return ALL_TOOLS + finish + exit')).toBe(6)
  })
})

describe('what is hidden stays hidden', () => {
  test.each([
    [`(await tools.search('price of secrets', { limit: 100 })).map((tool) => tool.name)`],
    [`ALL_TOOLS.map((tool) => tool.name)`],
    [`await tools.describe('secret').catch((e) => e.message.replace('"secret"', ''))`],
    [`await tools.call('secret').catch((e) => e.message.replace('"secret"', ''))`],
  ])('a tool kept out of programs: %s', async (expression) => {
    expect(JSON.stringify(await result(`return ${expression}`))).not.toContain('secret')
  })

  test('a tool that a rule denies is found, as it is declared, and denied when it is called', async () => {
    const codeMode = make({ ...options, permissions: [{ tool: 'get_price', action: 'deny' }] })
    expect(codeMode.signatures).toContain('get_price')
    const outcome = completed(
      await codeMode.run(`
      const [found] = await tools.search('price', { limit: 1 })
      return [found.name, await tools.call(found.name, { item: 'a' }).catch((e) => e.message)]
    `),
    )
    expect(outcome.result).toEqual(['get_price', 'Tool get_price is denied by a permission rule.'])
  })
})

describe('helpers are no tools', () => {
  test('they count for nothing, ask nobody, and are not listed', async () => {
    const { events, onEvent } = recorder()
    const asked: string[] = []
    const outcome = completed(
      await make({ ...options, onEvent, limits: { maxToolCalls: 1 }, guardrails: [({ toolName }) => void asked.push(toolName)] }).run(`
        for (let i = 0; i < 20; i++) { await tools.search('price'); await tools.describe('get_price'); await tools.parallel([]) }
        return [Object.keys(tools), 'search' in tools, Reflect.ownKeys(tools).length, ALL_TOOLS.length]
      `),
    )
    expect(outcome.result).toEqual([['get_price', 'send-mail', 'then_'], true, 3, 3])
    expect([outcome.toolCalls, outcome.calls.length, asked.length]).toEqual([0, 0, 0])
    expect(events.map((event) => event.type)).toEqual(['run.start', 'run.done'])
  })

  test('they cannot be replaced', async () => {
    expect(await result(`try { tools.search = 1 } catch (e) { return e.name } return typeof tools.search`)).toMatch(/TypeError|function/)
    expect(await result(`delete tools.search; return typeof tools.search`).catch(() => 'function')).toBe('function')
  })

  test('a tool of the same name wins, and the helper answers under $', async () => {
    const names = ['search', 'describe', 'call', 'parallel']
    const own = Object.fromEntries(names.map((name) => [name, { description: `Own ${name}`, execute: () => `own ${name}` }]))
    const code = `return [
      ${names.map((name) => `await tools.${name}()`).join(', ')},
      (await tools.$search('own search', { limit: 1 }))[0].name, (await tools.$describe('call')).name, await tools.$call('call'), await tools.$parallel([tools.call(), 2]),
    ]`
    expect(await resultOf({ tools: own }, code)).toEqual([
      ...names.map((name) => `own ${name}`),
      'search',
      'call',
      'own call',
      ['own call', 2],
    ])
  })

  test('under $ they always answer', async () => {
    expect(await result(`return [await tools.$call('then'), (await tools.$search('price', { limit: 1 })).length]`)).toEqual(['then', 1])
  })

  test('they work without any tool', async () => {
    expect(await resultOf({ tools: {} }, `return [await tools.search('x'), ALL_TOOLS, await tools.parallel([1])]`)).toEqual([[], [], [1]])
  })
})

test('a name that is no tool and no helper is told as before', async () => {
  expect(await result(caught('tools.serch("x")'))).toMatchObject({ name: 'TypeError', message: expect.stringContaining('serch') })
  expect(await resultOf({ tools: { echo } }, caught('tools.ech({})'))).toMatchObject({ message: expect.stringContaining('echo') })
})
