import { createCodeMode } from 'codemode-native'

/** One for the whole process: a run is then a fraction of a millisecond. */
export const codeMode = createCodeMode({
  isolation: process.env.ISOLATION ?? 'thread',
  tools: { add: { execute: async ({ a, b }) => a + b } },
  limits: { timeoutMs: 2_000 },
})
