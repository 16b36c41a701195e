import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ElicitRequestSchema,
  ToolListChangedNotificationSchema,
  type CallToolResult,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { serverFile } from '../adapters/mcp-servers.ts'
import { cli, folder, run, start, write } from './command.ts'

let files: string
const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

beforeAll(() => {
  files = path.join(folder, 'files')
  fs.mkdirSync(files)
  const node = (...args: string[]) => ({ command: process.execPath, args })
  const servers = {
    everything: node(serverFile('everything'), 'stdio'),
    files: node(serverFile('filesystem'), files),
    memory: {
      ...node(serverFile('memory')),
      env: { MEMORY_FILE_PATH: '${CODEMODE_TEST_MEMORY:-' + path.join(folder, 'memory.jsonl') + '}' },
    },
  }
  write('all.json', JSON.stringify({ mcpServers: servers }))
  write('everything.json', JSON.stringify({ mcpServers: { everything: servers.everything } }))
  write('files.json', JSON.stringify({ mcpServers: { files: servers.files } }))
})

async function connect(transport: Transport, answer?: (message: string) => ElicitResult) {
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: answer ? { elicitation: {} } : {} })
  if (answer) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message))
  await client.connect(transport)
  open.push(() => client.close())
  return client
}

const overStdio = (config: string, ...args: string[]) =>
  new StdioClientTransport({ command: process.execPath, args: [cli, 'mcp', '--config', config, ...args], cwd: folder, stderr: 'ignore' })

async function overHttp(args: string[] = [], env: Record<string, string> = {}) {
  const server = start(['mcp', '--config', 'everything.json', '--http', '0', ...args], env)
  open.push(async () => {
    server.child.kill('SIGTERM')
    await server.ended
  })
  const [, url = ''] = await server.line(/serving MCP at (\S+)/)
  return { url: new URL(url), server }
}

const call = async (client: Client, code: string, options = {}) =>
  (await client.callTool({ name: 'run_code', arguments: { code } }, undefined, options)) as CallToolResult

const text = (result: CallToolResult) => result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')

const threeServers = () => `
  const sum = await tools['everything__get-sum']({ a: 40, b: 2 })
  await tools.memory__create_entities({ entities: [{ name: 'sum', entityType: 'number', observations: [sum.content[0].text] }] })
  const { entities } = await tools.memory__read_graph({})
  const { content } = await tools.files__list_directory({ path: ${JSON.stringify(files)} })
  console.log('listed', content)
  return entities[0].observations[0]`

describe('over standard input and output', () => {
  test('one tool that declares all three servers; a program that uses all three, with progress', async () => {
    const client = await connect(overStdio('all.json'))
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).toEqual(['run_code'])
    for (const name of ['everything__get-sum', 'files__list_directory', 'memory__read_graph']) expect(tools[0]?.description).toContain(name)
    const progress: { progress: number; message?: string | undefined }[] = []
    const result = await call(client, threeServers(), { onprogress: (step: { progress: number; message?: string }) => progress.push(step) })
    expect(result.structuredContent).toEqual({
      result: expect.stringContaining('42') as string,
      logs: [expect.stringMatching(/^listed/) as string],
      toolCalls: 4,
    })
    expect(JSON.parse(text(result))).toEqual(result.structuredContent)
    expect(progress.map((step) => step.message)).toContain('everything__get-sum started')
    expect(progress.some(({ message }) => /^memory__read_graph done \(\d+ ms\)$/.test(message ?? ''))).toBe(true)
    expect(progress.map((step) => step.progress)).toEqual(progress.map((_, i) => i + 1))
    // A result is no progress, though it is the last item of its tool.
    expect(progress.filter(({ message }) => message?.includes('undefined'))).toEqual([])
  })

  test('progress of an upstream server reaches the client', async () => {
    const client = await connect(overStdio('everything.json'))
    const messages: (string | undefined)[] = []
    await call(client, "return await tools['everything__trigger-long-running-operation']({ duration: 0.4, steps: 2 })", {
      onprogress: (step: { message?: string }) => messages.push(step.message),
    })
    expect(messages).toContain('everything__trigger-long-running-operation: 1 of 2')
  })

  test('a failed program is a tool error with the text for the model', async () => {
    const client = await connect(overStdio('everything.json'))
    const result = await call(client, "return await tools['everything__get-sum']({ a: 'x' })")
    expect(result.isError).toBe(true)
    expect(text(result)).toMatch(/^ToolError/)
    expect((await call(client, 7 as never)).isError).toBe(true)
    await expect(client.callTool({ name: 'other', arguments: {} })).rejects.toThrow('There is no tool "other"')
  })

  test('cancelling the request stops the program', async () => {
    const client = await connect(overStdio('everything.json'))
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 100)
    const begun = performance.now()
    await expect(
      call(client, "return await tools['everything__trigger-long-running-operation']({ duration: 20, steps: 2 })", {
        signal: controller.signal,
      }),
    ).rejects.toThrow('aborted')
    expect((await call(client, 'return 1')).structuredContent).toMatchObject({ result: 1 })
    expect(performance.now() - begun).toBeLessThan(10_000)
  })

  test('limits and the name of the tool', async () => {
    const client = await connect(overStdio('everything.json', '--timeout', '300', '--name', 'go'))
    expect((await client.listTools()).tools[0]?.name).toBe('go')
    const result = (await client.callTool({ name: 'go', arguments: { code: 'for (;;) {}' } })) as CallToolResult
    expect(text(result)).toContain('300 ms')
  })

  test('it ends when its client goes away', async () => {
    const transport = overStdio('everything.json')
    const client = await connect(transport)
    const { pid } = transport
    await client.close()
    await expect.poll(() => alive(pid), { timeout: 5_000 }).toBe(false)
  })
})

function alive(pid: number | null): boolean {
  try {
    process.kill(pid ?? 0, 0)
    return true
  } catch {
    return false
  }
}

describe('approvals', () => {
  const program = () =>
    `return await tools.files__write_file({ path: ${JSON.stringify(path.join(files, 'new.txt'))}, content: 'x' }).then(() => 'written', (e) => e.message)`

  test.each([
    [{ action: 'accept', content: { approve: true } }, 'written', true],
    [{ action: 'accept', content: { approve: false } }, 'was not approved', false],
    [{ action: 'decline' }, 'was not approved', false],
    [{ action: 'cancel' }, 'The question about tool files__write_file was dismissed', false],
  ] as const)('the client answers %j', async (answer, told, written) => {
    fs.rmSync(path.join(files, 'new.txt'), { force: true })
    const questions: string[] = []
    const client = await connect(overStdio('files.json'), (message) => (questions.push(message), answer as ElicitResult))
    expect(JSON.stringify((await call(client, program())).structuredContent)).toContain(told)
    expect(questions).toEqual([expect.stringMatching(/^A program wants to call files__write_file: \{"path":/)])
    expect(fs.existsSync(path.join(files, 'new.txt'))).toBe(written)
  })

  test('a client that cannot be asked: the call is refused, and says why', async () => {
    const client = await connect(overStdio('files.json'))
    expect(text(await call(client, program()))).toContain('this MCP client cannot be asked (it has no elicitation)')
  })

  test('--approve none asks nobody', async () => {
    const client = await connect(overStdio('files.json', '--approve', 'none'))
    expect(text(await call(client, program()))).toContain('written')
  })
})

describe('over streamable HTTP', () => {
  test('two clients at one time, each with its questions', async () => {
    const { url } = await overHttp(['--approve', 'all'])
    const clients = await Promise.all(
      (['accept', 'decline'] as const).map((action) =>
        connect(new StreamableHTTPClientTransport(url) as Transport, () => ({ action, content: {} })),
      ),
    )
    const sum = "return await tools['everything__get-sum']({ a: 1, b: 2 }).then((r) => r.content[0].text, (e) => e.message)"
    const results = await Promise.all(clients.map((client) => call(client, sum)))
    expect(text(results[0] as CallToolResult)).toContain('3')
    expect(text(results[1] as CallToolResult)).toContain('was not approved')
  })

  test('a page of another origin, another host name and a wrong path are refused', async () => {
    const { url } = await overHttp()
    const status = async (headers: Record<string, string>, target = url) =>
      (await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' })).status
    expect(await status({ origin: 'https://evil.example' })).toBe(403)
    expect(await status({}, new URL('/other', url))).toBe(404)
    expect(await status({ 'mcp-session-id': 'made-up' })).toBe(404)
    // fetch may not set a host; a request by hand may.
    const rebound = spawnSync(
      process.execPath,
      [
        '-e',
        `require('node:http').get(${JSON.stringify(url.href)}, { headers: { host: 'evil.example' } }, (r) => console.log(r.statusCode))`,
      ],
      { encoding: 'utf8' },
    )
    expect(rebound.stdout).toBe('403\n')
  })

  test('a token is asked for where one is set, and needed where others can connect', async () => {
    const { url } = await overHttp([], { CODEMODE_MCP_TOKEN: 'secret' })
    await expect(connect(new StreamableHTTPClientTransport(url) as Transport)).rejects.toThrow('Wrong token')
    const client = await connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: 'Bearer secret' } } }) as Transport,
    )
    expect((await call(client, 'return 1')).structuredContent).toMatchObject({ result: 1 })
    expect(run('mcp', '--config', 'everything.json', '--http', '0', '--host', '0.0.0.0')).toMatchObject({
      status: 2,
      stderr:
        'codemode-native: --host 0.0.0.0 lets other machines run your tools: set CODEMODE_MCP_TOKEN, which clients then send as a bearer token\n',
    })
  })
})

describe('changes and faults', () => {
  test('a changed upstream list is told, and the next call finds it', async () => {
    const upstream = write(
      'growing.mjs',
      `import { Server } from ${JSON.stringify(resolved('@modelcontextprotocol/sdk/server/index.js'))}
      import { StdioServerTransport } from ${JSON.stringify(resolved('@modelcontextprotocol/sdk/server/stdio.js'))}
      import { CallToolRequestSchema, ListToolsRequestSchema } from ${JSON.stringify(resolved('@modelcontextprotocol/sdk/types.js'))}
      const server = new Server({ name: 'growing', version: '1' }, { capabilities: { tools: { listChanged: true } } })
      const names = ['grow']
      server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) }))
      server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
        if (params.name === 'grow') { names.push('leaf'); await server.sendToolListChanged() }
        return { content: [{ type: 'text', text: params.name }] }
      })
      await server.connect(new StdioServerTransport())`,
    )
    const grown = write('growing.json', JSON.stringify({ mcpServers: { tree: { command: process.execPath, args: [upstream] } } }))
    const client = await connect(
      new StdioClientTransport({ command: process.execPath, args: [cli, 'mcp', '--config', grown], cwd: folder, stderr: 'ignore' }),
    )
    let told = 0
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told++)
    expect((await client.listTools()).tools[0]?.description).not.toContain('tree__leaf')
    await call(client, 'return await tools.tree__grow({})')
    await expect.poll(() => told).toBe(1)
    expect((await client.listTools()).tools[0]?.description).toContain('tree__leaf')
    expect(text(await call(client, 'return (await tools.tree__leaf({})).content[0].text'))).toContain('leaf')
  })

  test('--sessions: exec, wait and stop; or one clear line where this version has no sessions', async () => {
    const probe = run(
      'mcp',
      '--config',
      write('one.json', '{ "mcpServers": { "a": { "command": "codemode-no-such-command" } } }'),
      '--sessions',
    )
    expect(probe.stderr).toContain('MCP server a did not start')
    const server = start(['mcp', '--config', 'everything.json', '--sessions', '--http', '0'])
    open.push(() => server.child.kill('SIGTERM'))
    const began = await server.line(/serving MCP at (\S+)/).catch((error: Error) => error)
    const told = began instanceof Error ? began.message : await sixTimesSeven(began[1] ?? '')
    expect([
      'ended with 1: codemode-native: `openSession` is not available in this version of codemode-native\n',
      '{"tools":["exec","stop","wait"],"status":"completed","value":42}',
    ]).toContain(told)
  })
})

describe('sessions', () => {
  const operate = async (client: Client, name: string, input = {}, options = {}) =>
    (await client.callTool({ name, arguments: input }, undefined, options)) as CallToolResult
  const long = "await tools['everything__trigger-long-running-operation']({ duration: 30, steps: 2 })"

  test('what cannot be done is a result that the model reads, not an error of the protocol', async () => {
    const client = await connect(overStdio('everything.json', '--sessions'))
    const refused = { isError: true, content: [{ type: 'text', text: 'There is no program to wait for; start one with exec' }] }
    expect(await operate(client, 'wait')).toEqual(refused)
    expect((await operate(client, 'exec', { code: 7 })).isError).toBe(true)
    await expect(operate(client, 'run_code', { code: '1' })).rejects.toThrow('There is no tool "run_code"')
  })

  test('exec and wait report the calls of the program; a second operation is refused and takes nothing from the first', async () => {
    const client = await connect(overStdio('everything.json', '--sessions'))
    const messages: (string | undefined)[] = []
    const options = { onprogress: (step: { message?: string }) => messages.push(step.message) }
    const code = `await tools.everything__echo({ message: 'a' }); yield_control(); await tools['everything__trigger-long-running-operation']({ duration: 0.4, steps: 2 })`
    expect(text(await operate(client, 'exec', { code }, options))).toContain('still_working')
    expect(messages).toContain('everything__echo started')
    const waiting = operate(client, 'wait', {}, options)
    const second = await operate(client, 'wait')
    expect(second.isError).toBe(true)
    expect(text(await waiting)).toContain('completed')
    // The last step may come with the result, after which a client listens no more.
    expect(messages.join('\n')).toMatch(/everything__trigger-long-running-operation: [12] of 2/)
  })

  test('cancelling exec ends its program', async () => {
    const client = await connect(overStdio('everything.json', '--sessions'))
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 200)
    await expect(operate(client, 'exec', { code: long }, { signal: controller.signal })).rejects.toThrow('aborted')
    await expect.poll(async () => text(await operate(client, 'exec', { code: 'return 42' })), { timeout: 10_000 }).toContain('"value":42')
  })
})

test('servers are declared in the order of the file, whichever answered first', () => {
  const server = (pause: number) => `
    import { Server } from ${JSON.stringify(resolved('@modelcontextprotocol/sdk/server/index.js'))}
    import { StdioServerTransport } from ${JSON.stringify(resolved('@modelcontextprotocol/sdk/server/stdio.js'))}
    import { ListToolsRequestSchema } from ${JSON.stringify(resolved('@modelcontextprotocol/sdk/types.js'))}
    await new Promise((resolve) => setTimeout(resolve, ${pause}))
    const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } })
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: 'go', inputSchema: { type: 'object' } }] }))
    await server.connect(new StdioServerTransport())`
  const entry = (name: string, pause: number) => ({ command: process.execPath, args: [write(`${name}.mjs`, server(pause))] })
  const mcpServers = { slow: entry('slow', 700), middle: entry('middle', 300), fast: entry('fast', 0) }
  const { stdout } = run('types', '--mcp', write('order.json', JSON.stringify({ mcpServers })))
  expect(stdout.match(/\w+__go/g)).toEqual(['slow__go', 'middle__go', 'fast__go'])
})

/** What a session of the server at `url` has and does, as JSON text. */
async function sixTimesSeven(url: string): Promise<string> {
  const client = await connect(new StreamableHTTPClientTransport(new URL(url)) as Transport)
  const { tools } = await client.listTools()
  const result = (await client.callTool({ name: 'exec', arguments: { code: 'return 6 * 7' } })) as CallToolResult
  const { status, value } = JSON.parse(text(result)) as { status: string; value: unknown }
  return JSON.stringify({ tools: tools.map((tool) => tool.name).toSorted(), status, value })
}

const resolved = (name: string) => createRequire(import.meta.url).resolve(name)
