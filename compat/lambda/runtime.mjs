// What a function service puts around a handler: events come as lines on standard input, answers go out as lines.
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline'

const began = performance.now()
const { handler } = await import('./index.mjs')
const initMs = performance.now() - began

/** The code of the error, or `written`. */
function tryToWrite(folder) {
  try {
    fs.writeFileSync(path.join(folder, 'probe'), '')
    return 'written'
  } catch (error) {
    return error.code
  }
}

const probe = () => ({
  initMs,
  task: tryToWrite(import.meta.dirname),
  temporary: tryToWrite('/tmp'),
  rssMiB: Math.round(process.memoryUsage().rss / 1_048_576),
  cores: fs.readFileSync('/proc/self/status', 'utf8').match(/^Cpus_allowed_list:\s*(\S+)/m)?.[1],
})

for await (const line of readline.createInterface({ input: process.stdin })) {
  const event = JSON.parse(line)
  const answer = event.probe ? probe() : await handler(event)
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
