import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: { index: 'ts/index.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  outDir: 'dist',
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  dts: true,
  clean: true,
  treeshake: true,
  // Resolved at run time from dist/, one folder below the loader.
  deps: { neverBundle: [/binding\.cjs$/, '@opentelemetry/api'] },
})
