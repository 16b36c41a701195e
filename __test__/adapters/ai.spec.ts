import { describe } from 'vitest'
import * as sdk from 'ai'
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test'
import { aiSuite, generated, streamed } from './ai-suite.ts'

describe('AI SDK 6', () => {
  aiSuite({
    sdk,
    model(steps, seen = []) {
      let n = 0
      const next = (prompt: unknown) => {
        seen.push(prompt)
        return steps[n++] ?? { text: 'no more steps' }
      }
      return new MockLanguageModelV3({
        doGenerate: async ({ prompt }) => generated(next(prompt)) as never,
        doStream: async ({ prompt }) => ({ stream: simulateReadableStream({ chunks: streamed(next(prompt)) }) as never }),
      })
    },
  })
})
