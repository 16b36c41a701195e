// Puts the built addon into npm/<platform>/ and packs that package.
//   node scripts/pack-platform.mjs [--platform linux-x64-gnu] [--out folder]     prints the path of the tarball
import { execSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { addonFile, hostPlatform, platforms, workerFile } from './platforms.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const { values } = parseArgs({ options: { platform: { type: 'string' }, out: { type: 'string' } } })
const platform = values.platform ?? hostPlatform()
const addon = path.join(root, addonFile(platform))
if (!platforms[platform] || !fs.existsSync(addon)) {
  console.error(`pack-platform: ${path.basename(addon)} is not built; run \`npm run build:native\``)
  process.exit(1)
}

const folder = path.join(root, 'npm', platform)
const out = path.resolve(values.out ?? root)
fs.copyFileSync(addon, path.join(folder, addonFile(platform)))
if (workerFile(platform)) {
  const worker = path.join(folder, 'codemode-worker')
  fs.copyFileSync(path.join(root, workerFile(platform)), worker)
  fs.chmodSync(worker, 0o755)
}
fs.copyFileSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'))
fs.copyFileSync(
  path.join(root, 'THIRD_PARTY_NOTICES.md'),
  path.join(folder, 'THIRD_PARTY_NOTICES.md'),
)
// A shell, because npm is a script with another name on each system.
const report = execSync(`npm pack --json --pack-destination "${out}"`, {
  cwd: folder,
  encoding: 'utf8',
})
console.log(path.join(out, JSON.parse(report)[0].filename))
