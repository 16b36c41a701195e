import { execFileSync, execSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import reviewed from './reviewed.json' with { type: 'json' }

const root = fileURLToPath(new URL('../../', import.meta.url))
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'codemode-package-'))
const staging = path.join(scratch, 'repository')
const app = path.join(scratch, 'app')
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}
let main: Packed
let platformTarball: string
/** `linux-x64-gnu` and the like, out of the name of the tarball. */
let platform: string

const npm = (command: string, cwd: string) => execSync(`npm ${command}`, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: app, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** Runs a program in the folder of the application and gives what it printed, as JSON. */
function inApp(file: string, source: string): unknown {
  fs.writeFileSync(path.join(app, file), source)
  return JSON.parse(node(file))
}

beforeAll(() => {
  // Packed from a copy, because packing edits package.json for a moment.
  const leftOut = new Set(['node_modules', 'target', '.git', '.patched'])
  fs.cpSync(root, staging, { recursive: true, preserveTimestamps: true, filter: (file) => !leftOut.has(path.basename(file)) })
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(staging, 'node_modules'), 'junction')
  main = (JSON.parse(npm(`pack --json --pack-destination "${scratch}"`, staging)) as Packed[])[0] as Packed
  platformTarball = execFileSync(process.execPath, [path.join(staging, 'scripts/pack-platform.mjs'), '--out', scratch], {
    encoding: 'utf8',
  }).trim()
  platform = path.basename(platformTarball).slice('codemode-native-'.length, -`-${manifest.version}.tgz`.length)

  fs.mkdirSync(app)
  fs.writeFileSync(path.join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }))
  npm(`install --no-audit --no-fund "${path.join(scratch, main.filename)}" "${platformTarball}"`, app)
}, 300_000)

afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }))

describe('tarballs', () => {
  test('the main package holds the reviewed files and no addon', () => {
    expect(main.files.map((file) => file.path).toSorted()).toEqual(reviewed.files)
    expect(main.size).toBeLessThan(400_000)
  })

  test('the platform package holds the addon and the notices', () => {
    const installed = fs.readdirSync(path.join(app, 'node_modules', `codemode-native-${platform}`)).toSorted()
    expect(installed).toEqual(
      [
        ...['LICENSE', 'README.md', 'THIRD_PARTY_NOTICES.md', `codemode-native.${platform}.node`, 'package.json'],
        ...(platform.startsWith('linux') ? ['codemode-worker'] : []),
      ].toSorted(),
    )
  })

  test('the packed manifest pins every platform package, and packing leaves the manifest as it was', () => {
    const packed = JSON.parse(fs.readFileSync(path.join(app, 'node_modules/codemode-native/package.json'), 'utf8')) as Record<
      string,
      unknown
    >
    const names = fs.readdirSync(path.join(root, 'npm')).filter((name) => !name.startsWith('.'))
    expect(packed['optionalDependencies']).toEqual(Object.fromEntries(names.map((name) => [`codemode-native-${name}`, manifest.version])))
    expect(packed['dependencies']).toBeUndefined()
    expect(fs.readFileSync(path.join(staging, 'package.json'), 'utf8')).toBe(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  })
})

describe('entries beside the root one', () => {
  const { exports: entries } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as { exports: Record<string, unknown> }
  const subpaths = Object.keys(entries).filter((entry) => entry !== '.' && !entry.endsWith('.json'))

  test('the root entry loads nothing but the addon and modules of Node', () => {
    fs.writeFileSync(
      path.join(app, 'watch.mjs'),
      `import module from 'node:module'
      const seen = []
      // Every request for a module, whoever makes it: require in the loader of the addon is caught by the second hook.
      const load = module._load
      module._load = (request, ...rest) => (seen.push(request), load(request, ...rest))
      module.registerHooks?.({ resolve: (specifier, context, next) => (seen.push(specifier), next(specifier, context)) })
      await import('codemode-native')
      console.log(JSON.stringify([...new Set(seen)].filter((request) => !/^(node:|codemode-native|\\.|\\/|file:)/.test(request))))`,
    )
    const foreign = (JSON.parse(node('watch.mjs')) as string[]).filter((request) => request !== '@opentelemetry/api')
    expect(foreign).toEqual([])
    const source = fs.readFileSync(path.join(app, 'node_modules/codemode-native/dist/index.js'), 'utf8')
    const imported = [...source.matchAll(/(?:from|import|import\(|require\()\s*["']([^"']+)["']/g)].map((match) => match[1])
    expect([...new Set(imported)].filter((request) => !request?.startsWith('node:'))).toEqual(['../binding.cjs'])
  })

  test.each(subpaths)('%s: both files are in the tarball; without its peer the error names that', (entry) => {
    const files = entries[entry] as { types: string; default: string }
    for (const file of Object.values(files)) expect(main.files.map((packed) => `./${packed.path}`)).toContain(file)
    const load = `import('codemode-native${entry.slice(1)}').then(() => console.log('"loaded"'), (error) => console.log(JSON.stringify(error.message)))`
    const told = inApp('entry.mjs', load) as string
    expect(told).toMatch(/^loaded$|^Cannot find package '(?!codemode-native)/)
  })

  test('publint and are-the-types-wrong find nothing', () => {
    const tarball = path.join(scratch, main.filename)
    const run = (bin: string, ...args: string[]) =>
      spawnSync(process.execPath, [path.join(root, 'node_modules', bin), ...args], { encoding: 'utf8' })
    const publint = run('publint/src/cli.js', 'run', tarball, '--strict')
    expect(publint.stdout).toContain('All good!')
    const attw = run('@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'esm-only', '--format', 'json', '--no-emoji')
    expect(attw.status, attw.stdout.slice(-2_000)).toBe(0)
  }, 60_000)
})

describe('installed', () => {
  test('without the SDK, `mcp` tells a bad file first, and then what to install', () => {
    const cli = (...args: string[]) =>
      spawnSync(process.execPath, ['node_modules/codemode-native/dist/cli.js', ...args], { cwd: app, encoding: 'utf8' })
    expect(cli('mcp', '--config', 'nope.json').stderr).toContain('cannot read nope.json')
    fs.writeFileSync(path.join(app, 'servers.json'), '{ "mcpServers": { "a": { "command": "a" } } }')
    const { status, stderr } = cli('mcp', '--config', 'servers.json')
    expect({ status, lines: stderr.trim().split('\n').length }).toEqual({ status: 2, lines: 1 })
    expect(stderr).toContain('npm install @modelcontextprotocol/sdk')
  })

  test('import and require give one and the same module, without a warning', () => {
    const report = inApp(
      'both.mjs',
      `import { createRequire } from 'node:module'
      const warnings = []
      process.on('warning', (warning) => warnings.push(String(warning)))
      const required = createRequire(import.meta.url)('codemode-native')
      const imported = await import('codemode-native')
      const names = (module) => Object.keys(module).filter((name) => !['default', '__esModule', 'module.exports'].includes(name)).sort()
      await new Promise((resolve) => setTimeout(resolve, 50))
      console.log(JSON.stringify({ same: required.createCodeMode === imported.createCodeMode, required: names(required), imported: names(imported), warnings }))`,
    )
    expect(report).toEqual({ same: true, required: reviewed.exports, imported: reviewed.exports, warnings: [] })
  })

  test('a run works, from an ES module and from CommonJS', () => {
    const body = `
      const codeMode = createCodeMode({ tools: { add: { execute: async ({ a, b }) => a + b } } })
      codeMode.run('return await tools.add({ a: 40, b: 2 })').then(async (outcome) => {
        await codeMode.close()
        console.log(JSON.stringify(outcome.status === 'completed' ? outcome.result : outcome.error))
      })`
    expect(inApp('run.mjs', `import { createCodeMode } from 'codemode-native'\n${body}`)).toBe(42)
    expect(inApp('run.cjs', `const { createCodeMode } = require('codemode-native')\n${body}`)).toBe(42)
  })

  test.runIf(process.platform === 'linux')('process isolation finds its worker in the platform package', () => {
    const program = `
      import { createCodeMode } from 'codemode-native'
      const codeMode = createCodeMode({ isolation: 'process', tools: {} })
      const { protections } = codeMode.diagnostics()
      const { result } = await codeMode.run('return 40 + 2')
      await codeMode.close()
      console.log(JSON.stringify({ result, locked: protections.includes('seccomp') }))`
    expect(inApp('isolated.mjs', program)).toEqual({ result: 42, locked: true })
  })

  test.each([
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])(
    'types check under --strict with module %s, resolution %s',
    (module, moduleResolution) => {
      fs.copyFileSync(fileURLToPath(new URL('./consumer.ts.txt', import.meta.url)), path.join(app, 'consumer.ts'))
      const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
      const types = ['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')]
      const flags = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2023,esnext.disposable', '--module', module]
      const args = [tsc, ...flags, '--moduleResolution', moduleResolution, ...types, 'consumer.ts']
      const { status, stdout } = spawnSync(process.execPath, args, { cwd: app, encoding: 'utf8' })
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    },
    120_000,
  )

  test('a broken addon is told apart from a missing one, and both can be caught', () => {
    const load =
      "await import('codemode-native').catch((error) => console.log(JSON.stringify({ code: error.code, message: error.message })))"
    const folder = path.join(app, 'node_modules', `codemode-native-${platform}`)
    fs.writeFileSync(path.join(folder, `codemode-native.${platform}.node`), 'cut off')
    const broken = inApp('load.mjs', load) as { code: string; message: string }
    expect(broken.code).toBe('ERR_CODEMODE_NATIVE_ADDON')
    expect(broken.message).toContain(`codemode-native-${platform} is installed but does not load`)
    fs.rmSync(folder, { recursive: true })
    const missing = inApp('load.mjs', load) as { code: string; message: string }
    expect(missing.code).toBe('ERR_CODEMODE_NATIVE_ADDON')
    expect(missing.message).toContain(`the package codemode-native-${platform}`)
    expect(missing.message).toContain('is not installed')
  })
})
