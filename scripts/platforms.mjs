// The one table of platforms: name used in file and package names → what npm, cargo and the file name need.
import { createRequire } from 'node:module'

export const platforms = {
  'linux-x64-gnu': { os: 'linux', cpu: 'x64', libc: 'glibc', rust: 'x86_64-unknown-linux-gnu' },
  'linux-x64-musl': { os: 'linux', cpu: 'x64', libc: 'musl', rust: 'x86_64-unknown-linux-musl' },
  'linux-arm64-gnu': {
    os: 'linux',
    cpu: 'arm64',
    libc: 'glibc',
    rust: 'aarch64-unknown-linux-gnu',
  },
  'linux-arm64-musl': {
    os: 'linux',
    cpu: 'arm64',
    libc: 'musl',
    rust: 'aarch64-unknown-linux-musl',
  },
  'darwin-x64': { os: 'darwin', cpu: 'x64', rust: 'x86_64-apple-darwin' },
  'darwin-arm64': { os: 'darwin', cpu: 'arm64', rust: 'aarch64-apple-darwin' },
  'win32-x64-msvc': { os: 'win32', cpu: 'x64', rust: 'x86_64-pc-windows-msvc' },
}

const { version } = createRequire(import.meta.url)('../package.json')

/** What the published main package pins: every platform package at its own version. */
export const optionalDependencies = Object.fromEntries(
  Object.keys(platforms).map((name) => [`codemode-native-${name}`, version]),
)

/** The worker of process isolation beside the addon, in a clone; undefined where there is no sandbox for the system. */
export const workerFile = (name) =>
  platforms[name]?.os === 'linux' ? `codemode-native.${name}.worker` : undefined

export const addonFile = (name) => `codemode-native.${name}.node`

/** The platform this Node runs on; undefined where there is no build. */
export function hostPlatform() {
  const glibc =
    process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime
  const libc = process.platform === 'linux' ? (glibc ? 'glibc' : 'musl') : undefined
  return Object.keys(platforms).find((name) => {
    const entry = platforms[name]
    return entry.os === process.platform && entry.cpu === process.arch && entry.libc === libc
  })
}
