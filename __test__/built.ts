// Before all specs: dist/ is as new as ts/, for those that run the built command.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export default function build(): void {
  const script = fileURLToPath(new URL('../scripts/build-ts.mjs', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}
