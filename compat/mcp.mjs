// The MCP server of the command line, by the protocol's own conformance suite.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { here, makeApp, report } from './app.mjs'

const app = makeApp()
for (const name of ['@modelcontextprotocol'])
  fs.symlinkSync(path.join(here, 'node_modules', name), path.join(app, 'node_modules', name))
const everything = path.join(
  here,
  'node_modules/@modelcontextprotocol/server-everything/dist/index.js',
)
fs.writeFileSync(
  path.join(app, 'servers.json'),
  JSON.stringify({
    mcpServers: { everything: { command: process.execPath, args: [everything, 'stdio'] } },
  }),
)
// Not through a link of npm: the SDK beside the application is the one that is used.
const cli = path.join(app, 'node_modules/codemode-native/dist/cli.js')
const server = spawn(process.execPath, [cli, 'mcp', '--config', 'servers.json', '--http', '0'], {
  cwd: app,
})
const url = await new Promise((resolve, reject) => {
  server.stderr.on('data', (text) => {
    const match = /serving MCP at (\S+)/.exec(String(text))
    if (match) resolve(match[1])
    else reject(new Error(String(text)))
  })
  server.once('exit', (code) => reject(new Error(`ended with ${code}`)))
})

/** Those about what this server has: tools of its own under fixed names, resources and prompts are other servers' business. */
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
]
// It needs a newer Node than this package does.
const node = path.join(here, 'node_modules/node22/bin/node')
const suite = path.join(here, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const rows = []
for (const scenario of scenarios) {
  const { status, stdout, stderr } = spawnSync(
    node,
    [suite, 'server', '--url', url, '--scenario', scenario],
    { encoding: 'utf8', timeout: 60_000, cwd: app },
  )
  if (status !== 0) console.error(`${scenario}: ${(stdout + stderr).slice(-2_000)}`)
  rows.push({ name: scenario, cells: { result: status === 0 ? 'ok' : `FAILED ${status}` } })
}
server.kill('SIGTERM')
report(rows, ['result'])
