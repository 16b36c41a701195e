// How long the source crate takes from the model's text to a program, without a runtime: its own example, built for release.
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.dirname(import.meta.dirname)

/** Microseconds by name, or undefined where there is no cargo. */
export function measurePreparation() {
  const args = ['run', '--release', '--quiet', '-p', 'codemode-source', '--example', 'time']
  const done = spawnSync('cargo', args, { cwd: root, encoding: 'utf8' })
  if (done.error || done.status !== 0) return undefined
  const lines = [...done.stdout.matchAll(/^(.+?)\s+([\d.]+) us$/gm)]
  return Object.fromEntries(lines.map(([, name, us]) => [name, Number(us)]))
}

export function printPreparation(found) {
  if (found === undefined)
    return console.log('source preparation: not measured, cargo is not there')
  console.log('| source preparation | µs |\n|---|---:|')
  console.log(`| 50 lines of TypeScript to a program | ${found['50 lines']} |`)
  console.log(`| the same, and what \`check\` finds in it | ${found.check} |`)
}
