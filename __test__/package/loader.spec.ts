import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const binding = fileURLToPath(new URL('../../binding.cjs', import.meta.url))

/** Loads the loader in a process that claims to be another platform, and gives back the error it holds. */
function loadAs(claims: { platform?: string; arch?: string; glibc?: string | null }) {
  const program = `
    const claims = ${JSON.stringify(claims)}
    for (const name of ['platform', 'arch']) if (name in claims) Object.defineProperty(process, name, { value: claims[name] })
    if ('glibc' in claims) process.report.getReport = () => ({ header: claims.glibc ? { glibcVersionRuntime: claims.glibc } : {} })
    const { existsSync } = require('node:fs')
    // A system with musl has its loader in this place.
    require('node:fs').existsSync = (path) => (claims.glibc === null && path.startsWith('/lib/ld-musl-')) || existsSync(path)
    const { loadError } = require(${JSON.stringify(binding)})
    console.log(JSON.stringify(loadError ? { code: loadError.code, message: loadError.message, cause: loadError.cause?.message } : {}))`
  return JSON.parse(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' })) as {
    code?: string
    message?: string
    cause?: string
  }
}

describe('loader', () => {
  test('loads the addon of this platform', () => {
    expect(loadAs({})).toEqual({})
  })

  test.each([
    [{ platform: 'freebsd', arch: 'x64' }, 'freebsd-x64'],
    [{ platform: 'linux', arch: 'riscv64', glibc: '2.36' }, 'linux-riscv64-gnu'],
    [{ platform: 'win32', arch: 'ia32' }, 'win32-ia32-msvc'],
  ])('says that there is no build for %o', (claims, triple) => {
    const { code, message } = loadAs(claims)
    expect(code).toBe('ERR_CODEMODE_NATIVE_ADDON')
    expect(message).toContain(`there is no build for ${triple}`)
    expect(message).toContain(`platform ${claims.platform}, arch ${claims.arch}`)
    expect(message).toContain('linux-x64-gnu')
  })

  test.each([
    [{ platform: 'linux', arch: 'x64', glibc: null }, 'linux-x64-musl', 'libc musl'],
    [{ platform: 'linux', arch: 'arm64', glibc: '2.36' }, 'linux-arm64-gnu', 'libc gnu'],
    [{ platform: 'darwin', arch: 'arm64' }, 'darwin-arm64', 'libc none'],
    [{ platform: 'win32', arch: 'x64' }, 'win32-x64-msvc', 'libc msvc'],
  ])('names the missing package of %o and the usual causes', (claims, triple, libc) => {
    const { code, message, cause } = loadAs(claims)
    expect(code).toBe('ERR_CODEMODE_NATIVE_ADDON')
    for (const part of [`codemode-native-${triple}`, libc, '--omit=optional', 'copied from another operating system', 'lock file']) {
      expect(message).toContain(part)
    }
    expect(cause).toContain(`Cannot find module 'codemode-native-${triple}'`)
  })
})
