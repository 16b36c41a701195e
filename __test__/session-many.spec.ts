// A thousand sessions at one time, in a process of its own: what each holds, and that nothing is left of them.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

test('a thousand sessions with a waiting program: below 300 KB each, and none is left after closing', () => {
  const run = spawnSync(process.execPath, ['--expose-gc', path.join(root, 'benchmark/sessions.mjs'), '1000'], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(run.stdout).toContain('sessions open at one time   1000, of them 1000 with a waiting program')
  expect(run.stdout).toContain('left after that             0 runs, 0 calls, 0 stuck threads')
  const each = Number(/memory of each +([\d.]+) KB/.exec(run.stdout)?.[1])
  expect(each).toBeGreaterThan(10)
  expect(each).toBeLessThan(300)
  expect(run.status, run.stdout + run.stderr).toBe(0)
}, 90_000)
