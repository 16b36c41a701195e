// Tasks over a real MCP server (filesystem), each done twice: with one model turn per round of direct calls, and with one
// program. What the tools answered is what the server gave; the texts a model would write around the calls are left out.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const months = ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12']
const shops = ['north', 'south', 'east', 'west']

/** A folder whose content is the same each time: a year of sales, and notes of a project. */
function makeFolder() {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'codemode-tokens-')))
  fs.mkdirSync(path.join(folder, 'sales'))
  fs.mkdirSync(path.join(folder, 'notes'))
  for (const [m, month] of months.entries()) {
    const rows = Array.from({ length: 40 }, (_, i) => {
      const day = String((i % 28) + 1).padStart(2, '0')
      return `2025-${month}-${day},${shops[i % 4]},${(i * 7 + m * 3) % 19},${(i * 13 + m * 5) % 97}.50`
    })
    fs.writeFileSync(
      path.join(folder, 'sales', `2025-${month}.csv`),
      `date,shop,items,total\n${rows.join('\n')}\n`,
    )
  }
  for (let i = 0; i < 10; i++) {
    const lines = Array.from({ length: 25 }, (_, n) =>
      (n * 3 + i) % 11 === 0
        ? `- TODO(${shops[n % 4]}) check item ${n} of list ${i}`
        : `- item ${n} of list ${i} was settled in week ${(n + i) % 9}`,
    )
    fs.writeFileSync(
      path.join(folder, 'notes', `list-${i}.md`),
      `# List ${i}\n\n${lines.join('\n')}\n`,
    )
  }
  return folder
}

/** `rounds`: the calls of each turn of a model that calls tools directly; `answer`: what it writes in the end. */
export const tasks = (folder) => [
  {
    name: 'total of one shop over twelve files',
    rounds: [
      [['list_directory', { path: `${folder}/sales` }]],
      months.map((month) => ['read_text_file', { path: `${folder}/sales/2025-${month}.csv` }]),
    ],
    program: `const dir = '${folder}/sales'
const listing = await tools.filesystem__list_directory({ path: dir })
const names = listing.content.split('\\n').filter((line) => line.startsWith('[FILE]')).map((line) => line.slice(7))
const files = await Promise.all(names.map((name) => tools.filesystem__read_text_file({ path: \`\${dir}/\${name}\` })))
let total = 0
for (const { content } of files)
  for (const line of content.trim().split('\\n').slice(1)) {
    const [, shop, , sum] = line.split(',')
    if (shop === 'north') total += Number(sum)
  }
return total`,
  },
  {
    name: 'open points of one person in ten notes',
    rounds: [
      [['search_files', { path: `${folder}/notes`, pattern: '*.md' }]],
      [
        [
          'read_multiple_files',
          { paths: Array.from({ length: 10 }, (_, i) => `${folder}/notes/list-${i}.md`) },
        ],
      ],
    ],
    program: `const found = await tools.filesystem__search_files({ path: '${folder}/notes', pattern: '*.md' })
const texts = await tools.filesystem__read_multiple_files({ paths: found.content.split('\\n') })
return texts.content.split('\\n').filter((line) => line.includes('TODO(east)'))`,
  },
  {
    name: 'three steps that depend on each other',
    rounds: [
      [['read_text_file', { path: `${folder}/notes/list-0.md`, head: 3 }]],
      [['write_file', { path: `${folder}/notes/copy.md`, content: '# List 0\n' }]],
      [['get_file_info', { path: `${folder}/notes/copy.md` }]],
    ],
    program: `const head = await tools.filesystem__read_text_file({ path: '${folder}/notes/list-0.md', head: 3 })
const path = '${folder}/notes/copy.md'
await tools.filesystem__write_file({ path, content: head.content.split('\\n')[0] + '\\n' })
const info = await tools.filesystem__get_file_info({ path })
return /size: (\\d+)/.exec(info.content)?.[1]`,
  },
  {
    name: 'one small call',
    rounds: [[['read_text_file', { path: `${folder}/sales/2025-01.csv`, head: 2 }]]],
    program: `return (await tools.filesystem__read_text_file({ path: '${folder}/sales/2025-01.csv', head: 2 })).content`,
  },
]

/** Starts the server on a fresh folder. */
export async function openServer() {
  const folder = makeFolder()
  const root = path.dirname(
    fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/package.json')),
  )
  const client = new Client({ name: 'tokens', version: '1.0.0' })
  const args = [path.join(root, 'dist/index.js'), folder]
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }),
  )
  return {
    folder,
    call: (name, input) => client.callTool({ name, arguments: input }),
    async close() {
      await client.close()
      fs.rmSync(folder, { recursive: true })
    },
  }
}
