// `npm run bench:tokens`: what code mode and direct calling cost in tokens (o200k_base). Prints Markdown; `--write` puts it into
// benchmark/TOKENS.md.
import fs from 'node:fs'
import { createCodeMode } from '../dist/index.js'
import { openServer, tasks } from './lib/tasks.mjs'
import { definitionOf, definitions, tokensOf } from './lib/tokens.mjs'
import { manyTools, recordedTools, servers } from './lib/tools.mjs'

const out = []
const print = (line = '') => out.push(line)
const row = (cells) => print(`| ${cells.join(' | ')} |`)
const percent = (part, whole) => `${Math.round((part / whole) * 100)} %`
const number = (value) => value.toLocaleString('en')

const codeModeOf = (tools, options) =>
  createCodeMode({ tools: tools.map((tool) => ({ ...tool, execute: () => null })), ...options })

function describeTools(count) {
  const tools = manyTools(count)
  const [whole, listed] = [{ catalog: { budgetTokens: 2 ** 31 - 1 } }, {}].map((options) =>
    codeModeOf(tools, options),
  )
  const declared = /PARTIAL: (\d+) of/.exec(listed.tool.description)
  const direct = tokensOf(definitions(tools))
  const withOutputs = tokensOf(tools)
  const ours = tokensOf(listed.tool.description)
  row([
    count,
    number(direct),
    number(withOutputs),
    number(tokensOf(whole.tool.description)),
    number(ours),
    declared ? count - Number(declared[1]) : count,
    percent(ours, direct),
    percent(ours, withOutputs),
  ])
}

async function measureTask(task, server, fixed) {
  // A turn reads all that came before it; what it writes and what the tools answer is read by the later ones.
  let context = fixed.direct
  const direct = { rounds: 0, read: 0, written: 0 }
  for (const calls of task.rounds) {
    const written = tokensOf(calls.map(([name, input]) => ({ name: `filesystem__${name}`, input })))
    direct.rounds++
    direct.read += context
    direct.written += written
    const answers = await Promise.all(calls.map(([name, input]) => server.call(name, input)))
    context +=
      written + tokensOf(answers.map(({ content }) => content.map(({ text }) => text).join('\n')))
  }
  direct.rounds++
  direct.read += context
  const codeMode = codeModeFor(server)
  const outcome = await codeMode.tool.execute({ code: task.program })
  await codeMode.close()
  const written = tokensOf({ code: task.program })
  const ours = { rounds: 2, written, read: fixed.ours * 2 + written + tokensOf(outcome) }
  row([
    task.name,
    ...[direct, ours].flatMap(({ rounds, read, written: wrote }) => [
      rounds,
      number(read),
      number(wrote),
    ]),
    percent(ours.read + ours.written, direct.read + direct.written),
  ])
}

/** The fifty tools, of which those of the filesystem server are real. */
const codeModeFor = (server) =>
  createCodeMode({
    tools: manyTools(50).map((tool) => ({
      ...tool,
      async execute(input) {
        const [prefix, name] = tool.name.split('__')
        if (prefix !== 'filesystem') throw new Error('not in this measurement')
        return (await server.call(name, input)).structuredContent
      },
    })),
  })

print('# Tokens')
print()
print(
  'Output of `npm run bench:tokens -- --write`. Tokens are those of GPT-4o and later (`o200k_base`, gpt-tokenizer 4.0.0); other',
)
print('models count otherwise, ratios hold better.')
print()
print('## The description')
print()
print(
  `The tools are those that real MCP servers list, recorded by \`record-tools.mjs\` in the order of this list: ${servers()
    .map(({ name, version, tools }) => `${name} ${version} (${tools})`)
    .join(
      ', ',
    )}. They are ${recordedTools().length}; 500 are the same again under the prefixes of a second and a third account.`,
)
print()
print(
  '*Definitions* are `{ name, description, input_schema }` of each tool as compact JSON, as a model gets them that calls tools directly;',
)
print(
  '*with outputs* adds the `outputSchema` of the tools that have one, which code mode declares. *All* is the description of the one',
)
print(
  'tool of code mode with every tool declared in full, *default* with the budget of 6,000 (by the package’s own, cautious count).',
)
print()
row([
  'tools',
  'definitions',
  'with outputs',
  'all',
  'default',
  'declared',
  'default / definitions',
  'default / with outputs',
])
row(['---:', '---:', '---:', '---:', '---:', '---:', '---:', '---:'])
for (const count of [5, 50, recordedTools().length, 500]) describeTools(count)
print()
print('For a handful of tools the fixed sentences outweigh what the declarations save.')
print()
print('## Tasks')
print()
print(
  'Fifty tools are offered. A model that calls directly gets the definitions and takes one turn for each round of calls and one to',
)
print(
  'answer; each turn reads all that came before. In code mode it writes one program and reads its outcome. Read and written',
)
print(
  'tokens are summed over the turns, without caching; the system prompt, the question and the words around calls count nothing on',
)
print(
  'both sides. The programs are written by hand and run; the answers are those of a real server.',
)
print()
row([
  'task',
  'direct: turns',
  'read',
  'written',
  'code mode: turns',
  'read',
  'written',
  'code mode / direct',
])
row(['---', '---:', '---:', '---:', '---:', '---:', '---:', '---:'])
const server = await openServer()
const offered = codeModeFor(server)
const fixed = {
  direct: tokensOf(definitions(manyTools(50))),
  ours:
    tokensOf(offered.tool.description) +
    tokensOf(definitionOf({ ...offered.tool, description: '' })),
}
await offered.close()
for (const task of tasks(server.folder)) await measureTask(task, server, fixed)
await server.close()

const text = `${out.join('\n')}\n`
console.log(text)
if (process.argv.includes('--write')) fs.writeFileSync(new URL('TOKENS.md', import.meta.url), text)
