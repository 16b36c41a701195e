import path from 'node:path'

// Only because the packages of this example lie in the folder above it: an application of its own leaves the two roots out.
const root = path.join(import.meta.dirname, '..')

export default {
  // The addon is a `.node` file: the package stays out of the bundle, and file tracing takes it and its worker along.
  serverExternalPackages: process.env.BUNDLED ? [] : ['codemode-native'],
  output: 'standalone',
  outputFileTracingRoot: root,
  turbopack: { root },
}
