// A session without a model: what the three tools of a model would be called with, and what they would tell it.
import { createCodeMode } from '../dist/index.js'

const codeMode = createCodeMode({
  tools: {
    build: {
      description: 'Builds one part; takes a while',
      inputSchema: { type: 'object', properties: { part: { type: 'string' } }, required: ['part'] },
      execute: ({ part }, { abortSignal }) =>
        new Promise((done, fail) => {
          const timer = setTimeout(done, 200, { part, ok: part !== 'docs' })
          abortSignal.addEventListener('abort', () => {
            clearTimeout(timer)
            fail(abortSignal.reason)
          })
        }),
    },
  },
})

const session = codeMode.openSession({ observeMs: 150 })
const tools = Object.fromEntries(session.tools.map((tool) => [tool.name, tool]))

async function call(name, input = {}) {
  const result = await tools[name].execute(input)
  const { status, output, value } = result
  console.log(`${name.padEnd(5)} ${JSON.stringify({ status, output, value })}`)
  return result
}

const first = `
  const broken = []
  for (const part of ['core', 'cli', 'docs']) {
    console.log('building ' + part)
    if (!(await tools.build({ part })).ok) broken.push(part)
  }
  store('broken', broken)
  return broken.length
`
let result = await call('exec', { code: first })
let output = result.output
while (result.status === 'still_working') {
  result = await call('wait')
  output += result.output
}
const again = await call('exec', { code: "return load('broken')" })
await call('exec', {
  code: "await tools.build({ part: 'everything' }); await tools.build({ part: 'else' })",
})
const stopped = await call('stop')

await session.close()
const { liveRuns, pendingCalls } = codeMode.diagnostics()
await codeMode.close()
const right =
  output === 'building core\nbuilding cli\nbuilding docs\n' &&
  result.value === 1 &&
  again.value?.[0] === 'docs' &&
  stopped.status === 'terminated' &&
  liveRuns + pendingCalls === 0
process.exitCode = right ? 0 : 1
