// Schemas that others wrote: tools of MCP servers that are installed, and the JSON Schema test suite that npm has.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { JsonSchema } from '../../ts/index.ts'

export interface Sample {
  readonly from: string
  readonly schema: JsonSchema
  /** Values that came with the schema. */
  readonly values: readonly unknown[]
}

const require = createRequire(import.meta.url)
const root = path.resolve(import.meta.dirname, '../..')

/** Servers that list their tools without a network; the tokens are never used. */
const servers: [name: string, entry: string, args: readonly string[]][] = [
  ['@modelcontextprotocol/server-everything', 'dist/index.js', ['stdio']],
  ['@modelcontextprotocol/server-filesystem', 'dist/index.js', [root]],
  ['@modelcontextprotocol/server-memory', 'dist/index.js', []],
  ['@modelcontextprotocol/server-github', 'dist/index.js', []],
  ['@antv/mcp-server-chart', 'build/index.js', []],
  ['@notionhq/notion-mcp-server', 'bin/cli.mjs', []],
]

async function listTools(name: string, entry: string, args: readonly string[]): Promise<Sample[]> {
  const client = new Client({ name: 'codemode-native-test', version: '1.0.0' })
  const env = { PATH: process.env['PATH'] ?? '', NOTION_TOKEN: 'none', GITHUB_PERSONAL_ACCESS_TOKEN: 'none' }
  const command = [path.join(root, 'node_modules', name, entry), ...args]
  await client.connect(new StdioClientTransport({ command: process.execPath, args: command, stderr: 'ignore', env }))
  try {
    const { tools } = await client.listTools()
    return tools.flatMap((tool) =>
      [tool.inputSchema, tool.outputSchema].flatMap((schema, i) =>
        schema ? [{ from: `${name} ${tool.name} ${i === 0 ? 'input' : 'output'}`, schema, values: [] }] : [],
      ),
    )
  } finally {
    await client.close()
  }
}

export async function serverSamples(): Promise<Sample[]> {
  return (await Promise.all(servers.map(([name, entry, args]) => listTools(name, entry, args)))).flat()
}

interface SuiteGroup {
  readonly description: string
  readonly schema: JsonSchema
  readonly tests: readonly { readonly data: unknown; readonly valid: boolean }[]
}

/** The groups of draft 4 but for those that fetch. Each says its draft, since it differs from later ones. */
export function suiteSamples(): (Sample & { readonly expected: readonly boolean[] })[] {
  const folder = path.join(path.dirname(require.resolve('json-schema-test-suite/package.json')), 'tests/draft4')
  return fs
    .readdirSync(folder)
    .filter((file) => file.endsWith('.json') && file !== 'refRemote.json')
    .flatMap((file) => {
      const groups = JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8')) as SuiteGroup[]
      return groups
        .filter((group) => !JSON.stringify(group.schema).includes('http://json-schema.org/draft-04/schema#"'))
        .map(({ description, schema, tests }) => ({
          from: `suite ${file} ${description}`,
          schema: { $schema: 'http://json-schema.org/draft-04/schema#', ...(schema as object) },
          values: tests.map((one) => one.data),
          expected: tests.map((one) => one.valid),
        }))
    })
}
