// Runs around `npm pack` and `npm publish`: the packed package.json pins the platform packages, the committed one does not,
// because `npm ci` refuses a lock file whose optional packages are not in the registry yet.
//   prepack:  node scripts/prepare-publish.mjs            postpack: node scripts/prepare-publish.mjs --restore
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { optionalDependencies } from './platforms.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const file = path.join(root, 'package.json')
const manifest = JSON.parse(fs.readFileSync(file, 'utf8'))

if (process.argv.includes('--restore')) {
  delete manifest.optionalDependencies
} else {
  execFileSync(process.execPath, [path.join(root, 'scripts/build-ts.mjs')], {
    stdio: ['ignore', 2, 2],
  })
  manifest.optionalDependencies = optionalDependencies
}
fs.writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
