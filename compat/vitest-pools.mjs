// 200 spec files that use the addon, in every pool of Vitest: no hang, no crash.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { here, makeApp, report } from './app.mjs'

const count = Number(process.argv[2] ?? 200)
const app = makeApp()
fs.mkdirSync(path.join(app, 'specs'))
for (let i = 0; i < count; i++) {
  fs.writeFileSync(
    path.join(app, 'specs', `s${i}.spec.js`),
    `import { createCodeMode } from 'codemode-native'
import { expect, test } from 'vitest'
test('${i}', async () => {
  const codeMode = createCodeMode({ tools: { add: { execute: async ({ a, b }) => a + b } } })
  expect((await codeMode.run('return await tools.add({ a: ${i}, b: 1 })')).result).toBe(${i + 1})
  ${i % 3 === 0 ? 'await codeMode.close()' : '// left open: whoever forgets to close must not hang the runner'}
})
`,
  )
}
fs.symlinkSync(path.join(here, 'node_modules/vitest'), path.join(app, 'node_modules/vitest'))
const vitest = path.join(here, 'node_modules/vitest/vitest.mjs')
const rows = []
for (const flags of [
  ['--pool=threads'],
  ['--pool=forks'],
  ['--pool=vmThreads'],
  ['--pool=threads', '--isolate=false'],
  ['--pool=forks', '--isolate=false'],
]) {
  const began = performance.now()
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, 'run', '--dir', 'specs', '--reporter=dot', ...flags],
    {
      cwd: app,
      encoding: 'utf8',
      timeout: 600_000,
      env: { ...process.env, NO_COLOR: '1' },
    },
  )
  const passed = new RegExp(`Tests +${count} passed`).test(stdout)
  const took = ((performance.now() - began) / 1_000).toFixed(0)
  if (!passed || status !== 0)
    console.error(`${flags}: ${signal ?? status}\n${(stdout + stderr).slice(-1_500)}`)
  rows.push({
    name: flags.join(' '),
    cells: {
      result:
        passed && status === 0 ? `ok ${count} files in ${took} s` : `FAILED ${signal ?? status}`,
    },
  })
}
report(rows, ['result'])
