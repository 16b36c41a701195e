// The recorded tools of real MCP servers, and more of their like.
import fs from 'node:fs'

/** `mcp-server-x`, `@scope/server-x` and the like as the prefix that MCP clients put in front of names. */
const prefixOf = (name) =>
  name
    .split('/')
    .at(-1)
    .replaceAll(/^(mcp-)?server-|-mcp(-server)?$/g, '')
    .replaceAll('-', '_')

/** The recorded tools of real MCP servers, in the order of `record-tools.mjs`, each as `server__tool`. */
export function recordedTools() {
  const lists = JSON.parse(fs.readFileSync(new URL('../tools.json', import.meta.url), 'utf8'))
  return lists.flatMap(({ package: name, tools }) => {
    const prefix = name === '@playwright/mcp' ? 'playwright' : prefixOf(name)
    return tools.map((tool) => ({ ...tool, name: `${prefix}__${tool.name}` }))
  })
}

export const servers = () =>
  JSON.parse(fs.readFileSync(new URL('../tools.json', import.meta.url), 'utf8')).map(
    ({ package: name, version, tools }) => ({ name, version, tools: tools.length }),
  )

/** `count` tools; beyond the recorded ones the same again for further accounts, under prefixes of their own. */
export function manyTools(count) {
  const tools = recordedTools()
  const all = [...tools]
  for (let account = 2; all.length < count; account++)
    all.push(...tools.map((tool) => ({ ...tool, name: tool.name.replace('__', `${account}__`) })))
  return all.slice(0, count)
}
