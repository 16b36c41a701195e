// Walks this repository through the tools of a real MCP server, started over stdio with the official SDK, in one run.
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { createCodeMode } from '../dist/index.js'
import { report } from './report.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

async function connect() {
  const manifest = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-filesystem/package.json',
  )
  const server = path.join(path.dirname(manifest), 'dist/index.js')
  const client = new Client({ name: 'codemode-native-example', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [server, root], stderr: 'ignore' }),
  )
  return client
}

/** The server's tools that change nothing, each with an `execute` that calls the server and gives the text of its answer. */
async function toolsOf(client) {
  const { tools } = await client.listTools()
  return tools
    .filter((tool) => tool.annotations?.readOnlyHint)
    .map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema,
      readOnly: true,
      async execute(input, { abortSignal }) {
        const answer = await client.callTool({ name: tool.name, arguments: input }, undefined, {
          signal: abortSignal,
        })
        const text = answer.content.map((part) => part.text ?? '').join('\n')
        if (answer.isError) throw new Error(text)
        return text
      },
    }))
}

// What a model writes: breadth first, three levels deep, at most 40 folders.
const source = (folder) => `
const skipped = new Set(['node_modules', 'target', '.git', '.patched', 'dist'])
let level = [${JSON.stringify(folder)}]
let folders = 0, files = 0
const byExtension = {}
for (let depth = 0; depth < 3 && level.length > 0; depth++) {
  level = level.slice(0, 40 - folders)
  folders += level.length
  const listings = await Promise.all(level.map((path) => tools.list_directory({ path })))
  const next = []
  listings.forEach((listing, i) => {
    for (const line of listing.split('\\n')) {
      const entry = /^\\[(FILE|DIR)\\] (.+)$/.exec(line)
      if (!entry || skipped.has(entry[2])) continue
      if (entry[1] === 'DIR') next.push(level[i] + '/' + entry[2])
      else {
        files++
        const extension = entry[2].includes('.') ? entry[2].split('.').pop() : '(none)'
        byExtension[extension] = (byExtension[extension] ?? 0) + 1
      }
    }
  })
  level = next
}
const readme = await tools.read_text_file({ path: ${JSON.stringify(folder)} + '/README.md' })
const top = Object.entries(byExtension).sort((a, b) => b[1] - a[1]).slice(0, 5)
return { folders, files, top: Object.fromEntries(top), readmeLines: readme.split('\\n').length }
`

export async function walkThroughMcp() {
  const client = await connect()
  const codeMode = createCodeMode({ tools: await toolsOf(client) })
  try {
    report('MCP file system server', await codeMode.run(source(root)))
  } finally {
    await codeMode.close()
    await client.close()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await walkThroughMcp()
