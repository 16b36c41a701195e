// Makes npm/<platform>/ from the table of platforms and carries the version of package.json to every other manifest.
//   node scripts/sync-version.mjs           writes
//   node scripts/sync-version.mjs --check   writes nothing, fails on any difference
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { addonFile, platforms, workerFile } from './platforms.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const check = process.argv.includes('--check')
const main = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
const wanted = new Map()

for (const [name, { os, cpu, libc }] of Object.entries(platforms)) {
  const manifest = {
    name: `codemode-native-${name}`,
    version: main.version,
    description: `The native addon of codemode-native for ${name}.`,
    license: main.license,
    repository: { ...main.repository, directory: `npm/${name}` },
    engines: main.engines,
    os: [os],
    cpu: [cpu],
    ...(libc && { libc: [libc] }),
    main: addonFile(name),
    files: [
      addonFile(name),
      ...(workerFile(name) ? ['codemode-worker'] : []),
      'THIRD_PARTY_NOTICES.md',
    ],
  }
  wanted.set(`npm/${name}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`)
  wanted.set(
    `npm/${name}/README.md`,
    `# codemode-native-${name}\n\nThe native addon of [codemode-native](https://www.npmjs.com/package/codemode-native) for ${name}.\n` +
      'It is installed with that package and is of no use alone.\n',
  )
}

const cargo = fs.readFileSync(path.join(root, 'Cargo.toml'), 'utf8')
const section = /(\[workspace\.package\][^[]*?\nversion = ")[^"]+(")/
if (!section.test(cargo)) throw new Error('Cargo.toml has no version in [workspace.package]')
wanted.set('Cargo.toml', cargo.replace(section, `$1${main.version}$2`))

const problems = []
if (main.optionalDependencies) {
  problems.push('package.json has optionalDependencies: they are added while packing only')
}
for (const [file, text] of wanted) {
  const target = path.join(root, file)
  const current = fs.existsSync(target) ? fs.readFileSync(target, 'utf8') : undefined
  if (current === text) continue
  if (check) problems.push(`${file} is not what scripts/sync-version.mjs writes`)
  else {
    fs.mkdirSync(path.dirname(target), { recursive: true })
    fs.writeFileSync(target, text)
    console.log(`sync-version: wrote ${file}`)
  }
}
for (const problem of problems) console.error(`sync-version: ${problem}`)
process.exit(problems.length > 0 ? 1 : 0)
