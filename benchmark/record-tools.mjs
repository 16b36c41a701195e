// Records the tool lists of real MCP servers: `node benchmark/record-tools.mjs <folder>`, where the packages named below are
// installed in <folder>/node_modules. Writes benchmark/tools.json, which the token table is made from.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('usage: node benchmark/record-tools.mjs <folder with node_modules>')

/** In the order of the table; tokens of services are invented, the lists need none. */
const servers = [
  { package: '@modelcontextprotocol/server-filesystem', args: [os.tmpdir()] },
  { package: '@modelcontextprotocol/server-memory' },
  { package: '@modelcontextprotocol/server-everything' },
  { package: '@modelcontextprotocol/server-github', env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'none' } },
  {
    package: '@modelcontextprotocol/server-slack',
    env: { SLACK_BOT_TOKEN: 'none', SLACK_TEAM_ID: 'none' },
  },
  { package: '@modelcontextprotocol/server-gitlab', env: { GITLAB_PERSONAL_ACCESS_TOKEN: 'none' } },
  { package: '@modelcontextprotocol/server-google-maps', env: { GOOGLE_MAPS_API_KEY: 'none' } },
  { package: '@modelcontextprotocol/server-sequential-thinking' },
  { package: '@playwright/mcp' },
  { package: 'chrome-devtools-mcp' },
  { package: '@notionhq/notion-mcp-server', env: { NOTION_TOKEN: 'none' } },
  { package: '@azure-devops/mcp', args: ['none'] },
  { package: '@heroku/mcp-server', env: { HEROKU_API_KEY: 'none' } },
  { package: 'mcp-server-kubernetes' },
]

async function record({ package: name, args = [], env = {} }) {
  const root = path.join(folder, 'node_modules', name)
  const { version, license, bin } = JSON.parse(
    fs.readFileSync(path.join(root, 'package.json'), 'utf8'),
  )
  const script = typeof bin === 'string' ? bin : Object.values(bin)[0]
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [path.join(root, script), ...args],
    env: { PATH: process.env.PATH ?? '', HOME: os.tmpdir(), ...env },
    stderr: 'ignore',
  })
  const client = new Client({ name: 'record-tools', version: '1.0.0' })
  await client.connect(transport, { timeout: 20_000 })
  const tools = []
  let cursor
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor })
    tools.push(...page.tools)
    cursor = page.nextCursor
  } while (cursor)
  await client.close()
  const kept = tools.map(({ name: tool, description, inputSchema, outputSchema }) => ({
    name: tool,
    description,
    inputSchema,
    ...(outputSchema ? { outputSchema } : {}),
  }))
  return { package: name, version, license, tools: kept }
}

const recorded = []
for (const server of servers) {
  try {
    const list = await record(server)
    recorded.push(list)
    console.log(`${list.package} ${list.version}: ${list.tools.length} tools`)
  } catch (error) {
    console.log(`${server.package}: left out, ${error.message}`)
  }
}
const lines = recorded.map((list) => JSON.stringify(list))
fs.writeFileSync(new URL('tools.json', import.meta.url), `[\n${lines.join(',\n')}\n]\n`)
