import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { connectMcpTools } from '../../ts/adapters/mcp/index.ts'
import { caught, completed, make, recorder, resultOf, sleep } from '../helpers.ts'
import { connectReal, serve, served, temporaryFolder, type ServedTool } from './mcp-servers.ts'

const text = (...parts: string[]) => ({ content: parts.map((part) => ({ type: 'text' as const, text: part })) })

async function toolsOf(list: readonly ServedTool[], options = {}) {
  const { client } = await serve(list)
  return (await connectMcpTools(client, options)).tools
}

describe('results', () => {
  test('without an output schema the program gets the result as it came, and the signature says so', async () => {
    const tools = await toolsOf([served('list_issues', text('{"issues":[{"id":1},{"id":2}]}'))])
    expect(await resultOf({ tools }, 'const r = await tools.list_issues({}); return JSON.parse(r.content[0].text).issues.length')).toBe(2)
    expect(make({ tools }).signatures).toMatch(/list_issues\([^)]*\): Promise<\{\s*content: \{/)
  })

  test('no block is lost; media stay on the host and stand there by reference', async () => {
    const blocks = [
      { type: 'text' as const, text: 'page 1' },
      { type: 'image' as const, data: 'QUJD', mimeType: 'image/png' },
      { type: 'text' as const, text: 'page 2' },
      { type: 'resource_link' as const, uri: 'file:///a', name: 'a' },
    ]
    const tools = await toolsOf([served('shot', { content: blocks })])
    const image = { artifact: expect.stringMatching(/^artifact_/), bytes: 3, mediaType: 'image/png', type: 'image' }
    expect(await resultOf({ tools }, 'return await tools.shot({})')).toEqual({ content: [blocks[0], image, blocks[2], blocks[3]] })
  })

  test('with an output schema it is the structured content, as declared', async () => {
    const outputSchema = {
      type: 'object' as const,
      properties: { temp: { type: 'number' }, sky: { enum: ['clear', 'rain'] } },
      required: ['temp', 'sky'],
    }
    const result = { ...text('4 degrees'), structuredContent: { temp: 4, sky: 'clear' } }
    const tools = await toolsOf([served('weather', result, { outputSchema })])
    expect(await resultOf({ tools }, 'return (await tools.weather({})).temp')).toBe(4)
    expect(make({ tools }).signatures).toMatch(/temp: number/)
    expect(make({ tools }).signatures).toContain('"clear"')
  })

  test('isError throws a ToolError with the text of the result', async () => {
    const tools = await toolsOf([served('fail', { ...text('disk full', 'free some space'), isError: true })])
    expect(await resultOf({ tools }, caught('tools.fail({})'))).toEqual({ name: 'ToolError', message: 'disk full\nfree some space' })
  })

  test('an error of the protocol throws too', async () => {
    const tools = await toolsOf([
      { tool: { name: 'gone', inputSchema: { type: 'object' } }, call: () => Promise.reject(new Error('it is gone')) },
    ])
    expect(await resultOf({ tools }, caught('tools.gone({})'))).toMatchObject({
      name: 'ToolError',
      message: expect.stringContaining('it is gone'),
    })
  })
})

describe('definitions', () => {
  test('annotations: a read-only hint lets a tool run in plan mode, unless the server is not trusted', async () => {
    const list = [
      served('look', text('seen'), { annotations: { readOnlyHint: true } }),
      served('touch', text('done'), { annotations: { destructiveHint: true } }),
      served('plain', text('done')),
    ]
    const program = `return Promise.all(['look', 'touch', 'plain'].map((name) => tools[name]({}).then(() => 'ran', () => 'refused')))`
    expect(await resultOf({ tools: await toolsOf(list), mode: 'plan' }, program)).toEqual(['ran', 'refused', 'refused'])
    const untrusted = await toolsOf(list, { trustAnnotations: false })
    expect(await resultOf({ tools: untrusted, mode: 'plan' }, program)).toEqual(['refused', 'refused', 'refused'])
  })

  test.each([
    ['destructive', ['look', 'plain']],
    ['writes', ['look']],
    ['all', []],
    [undefined, ['look', 'touch', 'plain']],
  ] as const)('needsApproval %s', async (needsApproval, ran) => {
    const list = [
      served('look', text('seen'), { annotations: { readOnlyHint: true } }),
      served('touch', text('done'), { annotations: { destructiveHint: true } }),
      served('plain', text('done')),
    ]
    const tools = await toolsOf(list, needsApproval ? { needsApproval } : {})
    const program = `const ran = []; for (const name of ['look', 'touch', 'plain']) await tools[name]({}).then(() => ran.push(name), () => {}); return ran`
    expect(await resultOf({ tools, approve: () => 'deny' }, program)).toEqual(ran)
  })

  test('all pages are read, in order; a list that does not end is refused', async () => {
    const list = Array.from({ length: 25 }, (_, i) => served(`t${i}`, text(String(i))))
    const { client, listings } = await serve(list, 10)
    const { tools } = await connectMcpTools(client)
    expect(Object.keys(tools)).toEqual(list.map(({ tool }) => tool.name))
    expect(listings()).toBe(3)
    const endless = await serve(list, 10)
    endless.client.listTools = async () => ({ tools: [], nextCursor: 'again' })
    await expect(connectMcpTools(endless.client)).rejects.toThrow('The MCP server gave the page again of tools twice')
  })

  test('many clients: namespaces in front, names letter for letter behind', async () => {
    const [a, b] = [
      await serve([served('get-item', text('a'))]),
      await serve([served('get-item', text('b')), served('get_item', text('c'))]),
    ]
    const { tools } = await connectMcpTools({ a: a.client, 'b-2': b.client })
    expect(Object.keys(tools)).toEqual(['a__get-item', 'b-2__get-item', 'b-2__get_item'])
    const program = `return (await Promise.all([tools['a__get-item']({}), tools['b-2__get-item']({}), tools['b-2__get_item']({})])).map((r) => r.content[0].text)`
    expect(await resultOf({ tools }, program)).toEqual(['a', 'b', 'c'])
  })

  test('two tools with one name are refused, both sources named', async () => {
    const [a, b] = [await serve([served('b__x', text('1'))]), await serve([served('x', text('2'))])]
    await expect(connectMcpTools({ a: a.client, a__b: b.client })).rejects.toThrow(
      'Two MCP tools have the name "a__b__x": one of "a", one of "a__b"',
    )
  })

  test.each([
    [{ 'a b': 1 }, 'Expected a namespace of 1 to 64 letters, digits, `_` and `-`, got "a b"'],
    [{ a: 1 }, 'Expected `clients.a` to be a connected MCP client'],
    [7, 'Expected `clients` to be a connected MCP client or a record of them'],
  ])('misuse: %o', async (clients, message) => {
    await expect(connectMcpTools(clients as never)).rejects.toThrow(new TypeError(message))
  })
})

describe('life', () => {
  test('a changed list is read again and told; refresh reads it too; close stops the watching', async () => {
    const server = await serve([served('one', text('1'))])
    const told: string[][] = []
    const mcp = await connectMcpTools({ s: server.client }, { onChange: (tools) => void told.push(Object.keys(tools)) })
    await server.change([served('one', text('1')), served('two', text('2'))])
    await expect.poll(() => told).toEqual([['s__one', 's__two']])
    expect(Object.keys(mcp.tools)).toEqual(['s__one', 's__two'])
    mcp.close()
    await server.change([])
    await sleep(50)
    expect(told).toHaveLength(1)
    expect(Object.keys(await mcp.refresh())).toEqual([])
  })

  test('stopping a run cancels the request at the server', async () => {
    const cancelled: boolean[] = []
    const wait = {
      tool: { name: 'wait', inputSchema: { type: 'object' as const } },
      call: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => (cancelled.push(true), resolve(text('late'))))),
    }
    const codeMode = make({ tools: await toolsOf([wait]), limits: { timeoutMs: 300 } })
    expect((await codeMode.run('return await tools.wait({})')).status).toBe('failed')
    await expect.poll(() => cancelled).toEqual([true])
  })

  test('progress of a server is partial results of the call', async () => {
    const steps = {
      tool: { name: 'steps', inputSchema: { type: 'object' as const } },
      call: async (_: unknown, { progress }: { progress: (n: number) => Promise<void> }) => {
        await progress(1)
        await progress(2)
        return text('done')
      },
    }
    const { onEvent, of } = recorder()
    const codeMode = make({ tools: await toolsOf([steps], { progress: true }), onEvent })
    const outcome = completed(await codeMode.run('return (await tools.steps({})).content[0].text'))
    expect(outcome.result).toBe('done')
    expect(
      of('tool.partial')
        .map((event) => event.partial)
        .slice(0, 2),
    ).toEqual([
      { progress: 1, total: 2, message: 'step 1' },
      { progress: 2, total: 2, message: 'step 2' },
    ])
  })
})

describe('real servers', () => {
  test('everything, filesystem and memory in one program', async () => {
    const folder = temporaryFolder()
    const [everything, files, memory] = await Promise.all([
      connectReal('everything', ['stdio']),
      connectReal('filesystem', [folder]),
      connectReal('memory', [], { MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl') }),
    ])
    const { tools } = await connectMcpTools({ everything, files, memory })
    const codeMode = make({ tools })
    const outcome = completed(
      await codeMode.run(`
        const sum = await tools['everything__get-sum']({ a: 2, b: 40 })
        await tools.files__write_file({ path: ${JSON.stringify(folder)} + '/sum.txt', content: sum.content[0].text })
        const { content } = await tools.files__read_text_file({ path: ${JSON.stringify(folder)} + '/sum.txt' })
        const { entities } = await tools.memory__create_entities({ entities: [{ name: 'sum', entityType: 'number', observations: [content] }] })
        const weather = await tools['everything__get-structured-content']({ location: 'New York' })
        return { content, entities: entities.length, temperature: typeof weather.temperature }`),
    )
    expect(outcome.result).toEqual({ content: expect.stringContaining('42'), entities: 1, temperature: 'number' })
    expect(outcome.toolCalls).toBe(5)
  })

  test('a tool that only runs as a task', async () => {
    const client = await connectReal('everything', ['stdio'])
    const { tools } = await connectMcpTools(client)
    const name = Object.keys(tools).find((key) => key.includes('research'))
    expect(name).toBeDefined()
    const result = await resultOf({ tools }, `return await tools[${JSON.stringify(name)}]({ topic: 'fruit' })`)
    expect(JSON.stringify(result)).toContain('fruit')
  })
})
