import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { ResolvedProvider } from '@cloudflare/codemode'
import { codeMcpServer } from '@cloudflare/codemode/mcp'
import { createCodeTool, tanstackTools } from '@cloudflare/codemode/tanstack-ai'
import { toolDefinition } from '@tanstack/ai'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { NativeExecutor } from '../../ts/adapters/cloudflare.ts'

const add = async (...args: unknown[]) => (args[0] as number) + (args[1] as number)
const executor = new NativeExecutor({ limits: { timeoutMs: 1_000 } })

describe('the executor contract', () => {
  test('providers under their names, positional arguments, every form of program', async () => {
    const providers: ResolvedProvider[] = [
      { name: 'math', fns: { add } },
      { name: 'codemode', fns: { echo: async (input: unknown) => input } },
    ]
    for (const program of [
      'async () => await math.add(1, 2)',
      'async () => {\n  return math.add(1, (await codemode.echo({ n: 2 })).n)\n}',
      'return await math.add(1, 2)',
      '() => math.add(1, 2)',
      '```js\nasync () => await math.add(1, 2)\n```',
      '```\nmath.add(1, 2)\n```\n',
    ])
      expect(await executor.execute(program, providers), program).toEqual({ result: 3, logs: [] })
    expect(await executor.execute('async () => await codemode.add(1, 2)', { add })).toEqual({ result: 3, logs: [] })
  })

  test('names are sanitised as the package does; two that collide are refused', async () => {
    const fns = { 'get-item': async () => 'dash', '3d': async () => 'digit', delete: async () => 'word' }
    const program = 'async () => [await codemode.get_item(), await codemode._3d(), await codemode.delete_()]'
    expect((await executor.execute(program, fns)).result).toEqual(['dash', 'digit', 'word'])
    expect(await executor.execute('async () => 1', { 'a-b': add, a_b: add })).toEqual({
      result: undefined,
      error: 'Tool names "a-b" and "a_b" both sanitize to "a_b" in provider "codemode"',
    })
  })

  test.each([
    ['async () => { throw new Error("boo") }', 'boo'],
    ['async () => await codemode.nope()', 'Tool "nope" not found'],
    ['async () => await codemode.fail()', 'it failed'],
    // Hosts of the package look for its words, `timed out`.
    ['async () => { for (;;) {} }', expect.stringMatching(/^Execution timed out: .*1000 ms/)],
    ['async () => {', expect.stringContaining('')],
  ])('%s is an error, never a throw', async (program, error) => {
    const fail = async () => Promise.reject(new Error('it failed'))
    expect(await executor.execute(program, { fail })).toMatchObject({ result: undefined, error })
  })

  test.each([
    [[{ name: 'a b', fns: {} }], 'Provider name "a b" is not a valid JavaScript identifier'],
    [[{ name: 'console', fns: {} }], 'Provider name "console" is reserved'],
    [
      [
        { name: 'a', fns: {} },
        { name: 'a', fns: {} },
      ],
      'Duplicate provider name "a"',
    ],
  ])('%j', async (providers, error) => {
    expect(await executor.execute('async () => 1', providers)).toEqual({ result: undefined, error })
  })

  test('logs with levels, a prelude of a provider, connectors by any method name', async () => {
    const program = `async () => {
      console.log('a'); console.warn('b'); console.error('c')
      return [await codemode.twice(4), await github.list_issues({ repo: 'x' })]
    }`
    const provider = { name: 'codemode', fns: { add }, prelude: 'codemode.twice = (n) => codemode.add(n, n)' }
    const callTool = async (method: string, input: unknown) => ({ method, input })
    expect(await executor.execute(program, [provider], { connectors: [{ name: 'github', binding: { callTool } }] })).toEqual({
      result: [8, { method: 'list_issues', input: { repo: 'x' } }],
      logs: ['a', '[warn] b', '[error] c'],
    })
  })
})

describe("driven by the package's own helpers", () => {
  test('createCodeTool: its description, its normalisation, its errors', async () => {
    const price = toolDefinition({ name: 'get-price', description: 'Price', inputSchema: z.object({ item: z.string() }) }).server(
      async ({ item }) => ({
        usd: item.length,
      }),
    )
    const tool = createCodeTool({ tools: [tanstackTools([price as never])], executor })
    expect(tool.description).toContain('get_price')
    const run = tool.execute as (input: { code: string }) => Promise<unknown>
    const fenced = "```js\nconst { usd } = await codemode.get_price({ item: 'pear' })\nconsole.log(usd)\nusd * 2\n```"
    expect(await run({ code: fenced })).toEqual({ result: 8, logs: ['4'] })
    await expect(run({ code: 'async () => { throw new Error("boo") }' })).rejects.toThrow('Code execution failed: boo')
  })

  test('codeMcpServer: an MCP server behind one code tool', async () => {
    const upstream = new McpServer({ name: 'shop', version: '1.0.0' })
    upstream.registerTool('get_price', { inputSchema: { item: z.string() } }, ({ item }) => ({
      content: [{ type: 'text', text: JSON.stringify({ usd: item.length }) }],
    }))
    const server = await codeMcpServer({ server: upstream, executor })
    const [a, b] = InMemoryTransport.createLinkedPair()
    const client = new Client({ name: 'test', version: '1.0.0' })
    await Promise.all([server.connect(a), client.connect(b)])
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(1)
    const result = await client.callTool({
      name: tools[0]?.name ?? '',
      arguments: { code: "async () => await codemode.get_price({ item: 'fig' })" },
    })
    expect(JSON.stringify(result.content)).toContain('3')
    await client.close()
  })
})

vi.setConfig({ testTimeout: 30_000 })
