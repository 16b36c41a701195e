import path from 'node:path'
import { defineConfig } from 'tsdown'

const root = path.join(import.meta.dirname, 'ts', 'index.ts')

/** Entries beside the root one: they reach the package itself by its name, so that a process has one copy of it. */
const subpaths = {
  ai: 'ts/adapters/ai.ts',
  cli: 'ts/cli/main.ts',
  cloudflare: 'ts/adapters/cloudflare.ts',
  langchain: 'ts/adapters/langchain.ts',
  mastra: 'ts/adapters/mastra.ts',
  mcp: 'ts/adapters/mcp/index.ts',
  'openai-agents': 'ts/adapters/openai-agents.ts',
  run: 'ts/adapters/run/index.ts',
  tanstack: 'ts/adapters/tanstack.ts',
  testing: 'ts/testing/index.ts',
  trace: 'ts/trace/index.ts',
}

const ownPackage = {
  name: 'own-package',
  resolveId: {
    order: 'pre' as const,
    handler(id: string, importer: string | undefined) {
      if (importer === undefined || !id.startsWith('.')) return null
      const isRoot = path.resolve(path.dirname(importer), id) === root
      return isRoot ? { id: 'codemode-native', external: true } : null
    },
  },
}

const common = {
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  outDir: 'dist',
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  treeshake: true,
  // The build script empties dist/ once, for both.
  clean: false,
} as const

export default defineConfig([
  {
    ...common,
    entry: { index: 'ts/index.ts' },
    dts: true,
    // Resolved at run time from dist/, one folder below the loader.
    deps: { neverBundle: [/binding\.cjs$/, '@opentelemetry/api'] },
  },
  {
    ...common,
    entry: subpaths,
    dts: true,
    // Names without a hash: the list of published files is reviewed.
    outputOptions: { chunkFileNames: 'chunks/[name].js' },
    plugins: [ownPackage],
    deps: { neverBundle: ['codemode-native'] },
  },
])
