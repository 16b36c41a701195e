// Bundlers and file tracers against the packed tarballs; what they made is run.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { nodeFileTrace } from '@vercel/nft'
import * as esbuild from 'esbuild'
import { rollup } from 'rollup'
import { build as vite } from 'vite'
import webpack from 'webpack'
import { hostPlatform, platforms } from '../scripts/platforms.mjs'
import { makeApp, report } from './app.mjs'

const app = makeApp()
const at = (...parts) => path.join(app, ...parts)
const name = 'codemode-native'
fs.writeFileSync(
  at('app.mjs'),
  `import { createCodeMode } from '${name}'
const codeMode = createCodeMode({ tools: { add: { execute: async ({ a, b }) => ({ sum: a + b }) } } })
const outcome = await codeMode.run('return (await tools.add({ a: 4, b: 5 })).sum')
console.log(outcome.result)
await codeMode.close()
`,
)

const run = (file, cwd = app) => spawnSync(process.execPath, [file], { cwd, encoding: 'utf8' })
const nine = (file, cwd) => {
  const { stdout, stderr } = run(file, cwd)
  if (stdout !== '9\n') throw new Error(`${stdout}${stderr}`.slice(0, 500))
}
// The loader names every platform; only one is installed.
const absent = Object.keys(platforms)
  .filter((platform) => platform !== hostPlatform())
  .map((platform) => `${name}-${platform}`)
const common = {
  entryPoints: [at('app.mjs')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  logLevel: 'silent',
  absWorkingDir: app,
}

const cases = {
  async 'esbuild, external'() {
    await esbuild.build({ ...common, outfile: at('out/esbuild.mjs'), external: [name] })
    nine(at('out/esbuild.mjs'))
  },
  async 'esbuild, --loader:.node=copy'() {
    // An ES module has no require of its own, which the loader of the addon calls.
    const banner = {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url)",
    }
    await esbuild.build({
      ...common,
      outfile: at('out/copy.mjs'),
      loader: { '.node': 'copy' },
      banner,
      external: ['./codemode-native.*.node', ...absent, '@opentelemetry/api'],
    })
    nine(at('out/copy.mjs'))
  },
  async 'esbuild without a setting fails at build time'() {
    const told = await esbuild.build({ ...common, outfile: at('out/none.mjs') }).then(
      () => '',
      (error) => error.message,
    )
    if (!told.includes('codemode-native')) throw new Error(`it said ${told.slice(0, 300)}`)
  },
  async 'webpack, external'() {
    const compiler = webpack({
      ...{ mode: 'production', target: 'node20', context: app, entry: './app.mjs' },
      experiments: { outputModule: true },
      output: { path: at('out'), filename: 'webpack.mjs', module: true },
      externals: { [name]: `module ${name}` },
    })
    const stats = await new Promise((resolve, reject) =>
      compiler.run((error, done) => (error ? reject(error) : resolve(done))),
    )
    if (stats.hasErrors()) throw new Error(stats.toString('errors-only'))
    nine(at('out/webpack.mjs'))
  },
  async 'rollup, external'() {
    const bundle = await rollup({ input: at('app.mjs'), external: [name] })
    await bundle.write({ file: at('out/rollup.mjs'), format: 'es' })
    nine(at('out/rollup.mjs'))
  },
  async 'vite, server build'() {
    // Packages of node_modules are external in a server build: nothing to set.
    await vite({
      root: app,
      logLevel: 'silent',
      configFile: false,
      build: { ssr: 'app.mjs', outDir: 'out/vite', target: 'node20' },
    })
    const [file] = fs.readdirSync(at('out/vite')).filter((entry) => /\.m?js$/.test(entry))
    nine(at('out/vite', file))
  },
  async '@vercel/nft: the traced files alone, read-only'() {
    const traced = await trace()
    const files = fs
      .readdirSync(path.join(traced, 'node_modules'))
      .filter((entry) => entry.startsWith(name))
    if (files.length !== 2) throw new Error(`traced ${files}`)
    spawnSync('chmod', ['-R', 'a-w', traced])
    nine('app.mjs', traced)
    spawnSync('chmod', ['-R', 'u+w', traced])
  },
}

async function trace() {
  const { fileList } = await nodeFileTrace([at('app.mjs')], { base: app })
  const traced = at('traced')
  for (const file of fileList) fs.cpSync(at(file), path.join(traced, file), { recursive: true })
  return traced
}

const rows = []
for (const [title, test] of Object.entries(cases)) {
  let cell
  try {
    cell = `ok ${(await test()) ?? ''}`.trim()
  } catch (error) {
    cell = 'FAILED'
    console.error(`${title}: ${error.message}`)
  }
  rows.push({ name: title, cells: { result: cell } })
}
report(rows, ['result'])
