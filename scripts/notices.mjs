// Writes THIRD_PARTY_NOTICES.md: the crates linked into the addon and the worker, the packages bundled into dist/, and the texts of their licences.
//   node scripts/notices.mjs [--check]    --check fails where a linked crate is not named in the file
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const target = path.join(root, 'THIRD_PARTY_NOTICES.md')

function linkedCrates() {
  const args = [
    'metadata',
    '--format-version',
    '1',
    '--filter-platform',
    'x86_64-unknown-linux-gnu',
  ]
  const metadata = JSON.parse(
    execFileSync('cargo', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }),
  )
  const packages = new Map(metadata.packages.map((entry) => [entry.id, entry]))
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]))
  const procMacro = (id) =>
    packages.get(id).targets.some((entry) => entry.kind.includes('proc-macro'))
  const seen = new Set()
  const visit = (id) => {
    if (seen.has(id) || procMacro(id)) return
    seen.add(id)
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) {
      // Build and test dependencies are not in the addon.
      if (kinds.some(({ kind }) => kind === null)) visit(pkg)
    }
  }
  const worker = metadata.packages.find((entry) => entry.name === 'codemode-worker')
  for (const id of [metadata.resolve.root, worker.id]) visit(id)
  const own = new Set(metadata.workspace_members)
  return [...seen].filter((id) => !own.has(id)).map((id) => packages.get(id))
}

function licenceFiles(folder) {
  if (!fs.existsSync(folder)) return []
  return fs
    .readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying|notice|unlicense)/i.test(name))
    .map((name) => path.join(folder, name))
    .filter((file) => fs.statSync(file).isFile())
}

function textsOf(crate) {
  const folder = path.dirname(crate.manifest_path)
  // The engine's C source has a licence of its own, beside the crate's.
  const files = [...licenceFiles(folder), ...licenceFiles(path.join(folder, 'quickjs'))]
  // Of a choice of licences we take MIT.
  const mit = / OR |\//.test(crate.license ?? '')
    ? files.filter((file) => /mit/i.test(path.basename(file)))
    : []
  return (mit.length > 0 ? mit : files).map((file) =>
    fs.readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim(),
  )
}

/** Packages that the build puts into dist/: everything else is the package's own, or a peer. */
function bundledPackages() {
  return ['commander'].map((name) => {
    const folder = path.join(root, 'node_modules', name)
    const manifest = path.join(folder, 'package.json')
    const { version, license } = JSON.parse(fs.readFileSync(manifest, 'utf8'))
    return { name, version, license, manifest_path: manifest }
  })
}

const crates = [...linkedCrates(), ...bundledPackages()].toSorted(
  (a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version),
)
const line = ({ name, version, license }) => `- ${name} ${version}: ${license}`

if (process.argv.includes('--check')) {
  const text = fs.readFileSync(target, 'utf8')
  const missing = crates.filter((crate) => !text.includes(`${line(crate)}\n`))
  for (const crate of missing)
    console.error(`notices: ${crate.name} ${crate.version} is not in ${path.basename(target)}`)
  process.exit(missing.length > 0 ? 1 : 0)
}

const users = new Map()
for (const crate of crates) {
  for (const text of new Set(textsOf(crate)))
    users.set(text, [...(users.get(text) ?? []), crate.name])
}
const sections = [...users].map(
  ([text, names]) => `## ${[...new Set(names)].join(', ')}\n\n\`\`\`text\n${text}\n\`\`\`\n`,
)
fs.writeFileSync(
  target,
  `# Third-party notices\n\nThe native addon and the command of codemode-native contain these works. Written by \`scripts/notices.mjs\`.\n\n` +
    `${crates.map(line).join('\n')}\n\n${sections.join('\n')}`,
)
console.log(`notices: ${crates.length} works, ${users.size} texts`)
