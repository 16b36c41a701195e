// An image of a real MCP server: through a program by reference, into another tool, and to the host once, byte for byte.
import { createRequire } from 'node:module'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Artifact, Tool } from '../ts/index.ts'
import { completed, make, recorder } from './helpers.ts'

type Block = { type: string; data?: string; mimeType?: string; resource?: { uri: string; blob?: string } }

let client: Client
const tools: Record<string, Tool> = {}

beforeAll(async () => {
  const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')
  const server = path.join(path.dirname(manifest), 'dist/index.js')
  client = new Client({ name: 'artifacts', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [server, 'stdio'], stderr: 'ignore' }))
  for (const { name, description, inputSchema } of (await client.listTools()).tools) {
    tools[name] = {
      ...(description === undefined ? {} : { description }),
      inputSchema,
      execute: (input: Record<string, unknown>, { abortSignal }) =>
        client.callTool({ name, arguments: input }, undefined, { signal: abortSignal }),
    }
  }
})
afterAll(() => client.close())

/** The image as the server gives it to anybody. */
async function direct(): Promise<Block> {
  const { content } = (await client.callTool({ name: 'get-tiny-image', arguments: {} })) as { content: Block[] }
  const image = content.find(({ type }) => type === 'image')
  if (!image) throw new Error('the server gave no image')
  return image
}

const program = `
  const { content } = await tools['get-tiny-image']({})
  const image = content.find((part) => part.artifact)
  await tools.take({ image })
  return { image, whole: JSON.stringify(content).length }
`

function check(artifacts: readonly Artifact[] | undefined, image: Block, result: unknown, got: unknown[]) {
  const bytes = new Uint8Array(Buffer.from(image.data ?? '', 'base64'))
  expect(artifacts).toHaveLength(1)
  expect(artifacts?.[0]?.mediaType).toBe(image.mimeType)
  expect(artifacts?.[0]?.bytes).toEqual(bytes)
  expect(bytes.length).toBeGreaterThan(1_000)
  const { image: reference, whole } = result as { image: object; whole: number }
  expect(reference).toEqual({ artifact: artifacts?.[0]?.id, mediaType: image.mimeType, bytes: bytes.length, type: 'image' })
  expect(whole).toBeLessThan(500)
  expect(got).toEqual([{ image }])
}

test('a run: by reference through the script, once with the outcome, byte-equal', async () => {
  const image = await direct()
  const got: unknown[] = []
  const { events, onEvent } = recorder()
  const codeMode = make({ tools: { ...tools, take: { execute: (input: unknown) => void got.push(input) } }, onEvent })
  const outcome = completed(await codeMode.run(program))
  check(outcome.artifacts, image, outcome.result, got)
  expect(JSON.stringify([outcome, events])).not.toContain(image.data)
})

test('a session: once with the result that ends the program, byte-equal', async () => {
  const image = await direct()
  const got: unknown[] = []
  const session = make({ tools: { ...tools, take: { execute: (input: unknown) => void got.push(input) } } }).openSession()
  const ended = await session.exec(program)
  expect(ended.status).toBe('completed')
  check(ended.artifacts, image, ended.value, got)
  expect(JSON.stringify(ended)).not.toContain(image.data)
  expect(await session.exec('return 1')).not.toHaveProperty('artifacts')
})
