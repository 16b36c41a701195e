// An application in an empty folder, with nothing but the packed tarballs.
import { execFileSync, execSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

export const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname)
export const root = path.dirname(here)
export const bin = (name) => path.join(here, 'node_modules', '.bin', name)

/** Packs both packages from a copy of the repository, and installs them. Gives the folder; it is removed when the process ends. */
export function makeApp() {
  const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'codemode-compat-')))
  process.on('exit', () => fs.rmSync(scratch, { recursive: true, force: true }))
  const staging = path.join(scratch, 'repository')
  const app = path.join(scratch, 'app')
  const leftOut = new Set(['node_modules', 'target', '.git', '.patched', 'compat'])
  fs.cpSync(root, staging, {
    recursive: true,
    preserveTimestamps: true,
    filter: (file) => !leftOut.has(path.basename(file)),
  })
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(staging, 'node_modules'))
  const pack = execSync(`npm pack --json --pack-destination "${scratch}"`, {
    cwd: staging,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const main = path.join(scratch, JSON.parse(pack)[0].filename)
  const packer = [path.join(staging, 'scripts/pack-platform.mjs'), '--out', scratch]
  const platform = execFileSync(process.execPath, packer, { encoding: 'utf8' }).trim()
  fs.mkdirSync(app)
  fs.writeFileSync(
    path.join(app, 'package.json'),
    '{ "name": "app", "private": true, "type": "module" }',
  )
  execSync(`npm install --no-audit --no-fund --ignore-scripts "${main}" "${platform}"`, {
    cwd: app,
    stdio: 'ignore',
  })
  return app
}

/** Prints rows as a Markdown table; ends the process with 1 where a cell is not `ok`. */
export function report(rows, columns) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  console.log(line(['', ...columns]))
  console.log(line(['-', ...columns.map(() => '-')]))
  for (const { name, cells } of rows)
    console.log(line([name, ...columns.map((column) => cells[column] ?? '')]))
  const failed = rows.some(({ cells }) =>
    Object.values(cells).some((cell) => !cell.startsWith('ok')),
  )
  process.exitCode = failed ? 1 : 0
}
