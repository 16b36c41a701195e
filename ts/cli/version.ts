// Version of the package, out of its manifest: one folder above dist/, two above this file.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

function readVersion(): string {
  const { version } = require('codemode-native/package.json') as { version: string }
  return version
}

export const version = readVersion()
