'use strict'
// Loads the native addon of this platform: a local build beside this file, else the platform package.
// Every path is a string literal inside `require`, so that bundlers and file tracers can follow it; no environment
// variable changes what is loaded and no process is started.
const fs = require('node:fs')

const loaders = {
  'linux-x64-gnu': {
    local: () => require('./codemode-native.linux-x64-gnu.node'),
    installed: () => require('codemode-native-linux-x64-gnu'),
    localWorker: () => require.resolve('./codemode-native.linux-x64-gnu.worker'),
    installedWorker: () => require.resolve('codemode-native-linux-x64-gnu/codemode-worker'),
  },
  'linux-x64-musl': {
    local: () => require('./codemode-native.linux-x64-musl.node'),
    installed: () => require('codemode-native-linux-x64-musl'),
    localWorker: () => require.resolve('./codemode-native.linux-x64-musl.worker'),
    installedWorker: () => require.resolve('codemode-native-linux-x64-musl/codemode-worker'),
  },
  'linux-arm64-gnu': {
    local: () => require('./codemode-native.linux-arm64-gnu.node'),
    installed: () => require('codemode-native-linux-arm64-gnu'),
    localWorker: () => require.resolve('./codemode-native.linux-arm64-gnu.worker'),
    installedWorker: () => require.resolve('codemode-native-linux-arm64-gnu/codemode-worker'),
  },
  'linux-arm64-musl': {
    local: () => require('./codemode-native.linux-arm64-musl.node'),
    installed: () => require('codemode-native-linux-arm64-musl'),
    localWorker: () => require.resolve('./codemode-native.linux-arm64-musl.worker'),
    installedWorker: () => require.resolve('codemode-native-linux-arm64-musl/codemode-worker'),
  },
  'darwin-x64': {
    local: () => require('./codemode-native.darwin-x64.node'),
    installed: () => require('codemode-native-darwin-x64'),
  },
  'darwin-arm64': {
    local: () => require('./codemode-native.darwin-arm64.node'),
    installed: () => require('codemode-native-darwin-arm64'),
  },
  'win32-x64-msvc': {
    local: () => require('./codemode-native.win32-x64-msvc.node'),
    installed: () => require('codemode-native-win32-x64-msvc'),
  },
}

/** `gnu` or `musl` on Linux, `msvc` on Windows, else undefined. Asks a well-known file, then the running Node. */
function detectLibc() {
  if (process.platform === 'win32') return 'msvc'
  if (process.platform !== 'linux') return undefined
  // musl's loader has this one name in this one place; a report, which takes 20 ms, is for systems that have it.
  const arch = { x64: 'x86_64', arm64: 'aarch64' }[process.arch]
  if (!fs.existsSync(`/lib/ld-musl-${arch}.so.1`)) return 'gnu'
  const header = reportHeader()
  if (header) return header.glibcVersionRuntime ? 'gnu' : 'musl'
  if (fs.existsSync('/etc/alpine-release')) return 'musl'
  try {
    return fs.readFileSync('/usr/bin/ldd', 'latin1').includes('musl') ? 'musl' : 'gnu'
  } catch {
    return 'gnu'
  }
}

function reportHeader() {
  const report = process.report
  if (!report || typeof report.getReport !== 'function') return undefined
  // Without this the report resolves the name of every open socket, which can take seconds.
  const before = report.excludeNetwork
  report.excludeNetwork = true
  try {
    const made = report.getReport()
    return (typeof made === 'string' ? JSON.parse(made) : made).header
  } catch {
    return undefined
  } finally {
    report.excludeNetwork = before
  }
}

const libc = detectLibc()
const triple = [process.platform, process.arch, libc].filter(Boolean).join('-')
const packageName = `codemode-native-${triple}`
/** Where the addon came from; its worker comes from there too. */
let origin = 'installed'

function fault(sentence, cause) {
  const where = `platform ${process.platform}, arch ${process.arch}, libc ${libc || 'none'}, Node ${process.versions.node}`
  const error = new Error(`codemode-native: ${sentence} (${where})`, cause && { cause })
  error.code = 'ERR_CODEMODE_NATIVE_ADDON'
  return error
}

/** Only "there is no such module" counts as absent; a file that is there and fails to load is the real problem. */
function isAbsent(error, request) {
  return (
    error.code === 'MODULE_NOT_FOUND' && error.message.startsWith(`Cannot find module '${request}'`)
  )
}

function load() {
  if (!Object.hasOwn(loaders, triple)) {
    throw fault(
      `there is no build for ${triple}. Builds exist for: ${Object.keys(loaders).join(', ')}.`,
    )
  }
  const { local, installed } = loaders[triple]
  const file = `./codemode-native.${triple}.node`
  try {
    const addon = local()
    origin = 'local'
    return addon
  } catch (error) {
    if (!isAbsent(error, file))
      throw fault(`${file} is there but does not load: ${error.message}`, error)
  }
  try {
    return installed()
  } catch (error) {
    if (!isAbsent(error, packageName))
      throw fault(`${packageName} is installed but does not load: ${error.message}`, error)
    throw fault(
      `the package ${packageName}, which holds the native addon for ${triple}, is not installed. Usual causes: ` +
        'npm ran with --omit=optional or --no-optional; node_modules was copied from another operating system, CPU or libc; ' +
        `the lock file was made on another platform. Delete node_modules and install again here, or add ${packageName} to your dependencies. ` +
        'In a clone of the repository run `npm run build`.',
      error,
    )
  }
}

// Not thrown here: Node 20 ends the process for an error of a CommonJS module that `import()` reached through an ES
// module, caught or not. The importer of this file throws it.
let addon = {}
let loadError
try {
  addon = load()
} catch (error) {
  loadError = error
}

/** The file of the worker for process isolation: from where the addon came. Throws where there is none. */
function workerPath() {
  const loader = loaders[triple]
  if (!loader || !loader.localWorker) {
    throw new Error(`there is no sandbox for ${process.platform} in this version, only for Linux`)
  }
  const find = origin === 'local' ? loader.localWorker : loader.installedWorker
  try {
    return find()
  } catch (error) {
    const where =
      origin === 'local' ? `codemode-native.${triple}.worker` : `${packageName}/codemode-worker`
    throw new Error(`the worker ${where} is missing (in a clone run \`npm run build\`)`, {
      cause: error,
    })
  }
}

module.exports.workerPath = workerPath
module.exports.NativeCodeMode = addon.NativeCodeMode
module.exports.version = addon.version
module.exports.loadError = loadError
