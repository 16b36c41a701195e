import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (file: string) => fs.readFileSync(new URL(file, root), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }

test('every manifest has one version and one source of truth', () => {
  const check = spawnSync(process.execPath, [fileURLToPath(new URL('scripts/sync-version.mjs', root)), '--check'], { encoding: 'utf8' })
  expect(check.stderr).toBe('')
  expect(check.status).toBe(0)
})

test('the platform packages and the crates carry the version of the main package', () => {
  const platforms = fs.readdirSync(new URL('npm/', root)).filter((name) => !name.startsWith('.'))
  expect(platforms).toHaveLength(7)
  for (const platform of platforms) {
    expect(JSON.parse(read(`npm/${platform}/package.json`))).toMatchObject({ name: `codemode-native-${platform}`, version })
  }
  expect(read('Cargo.toml')).toContain(`version = "${version}"`)
  expect(read('CHANGELOG.md')).toMatch(/^## Unreleased$/m)
})
