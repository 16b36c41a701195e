// A function as one would deploy it: made once, outside of the handler.
import { createCodeMode } from 'codemode-native'

const codeMode = createCodeMode({
  isolation: process.env.ISOLATION ?? 'thread',
  limits: { timeoutMs: 1_000 },
  tools: {
    add: { execute: async ({ a, b }) => a + b },
    slow: {
      execute: () => new Promise((resolve) => setTimeout(resolve, 500, 'late')),
    },
  },
})

export async function handler({ code }) {
  const { status, result, error } = await codeMode.run(code)
  return { status, result, error: error?.code }
}
