import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['__test__/**/*.spec.ts'],
    globalSetup: ['__test__/built.ts'],
    pool: 'forks',
    // Timing tests need a core each; two cores are the smallest machine we promise for.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // The addon is loaded by Node itself, once per process.
    server: { deps: { external: [/binding\.cjs$/, /\.node$/] } },
  },
})
