import { describe, vi } from 'vitest'
import * as sdk from 'ai7'
import { MockLanguageModelV4, simulateReadableStream } from 'ai7/test'
import { aiSuite, generated, streamed, type Version } from './ai-suite.ts'

vi.mock('ai', () => import('ai7'))

describe('AI SDK 7', () => {
  aiSuite({
    sdk: sdk as unknown as Version['sdk'],
    model(steps, seen = []) {
      let n = 0
      const next = (prompt: unknown) => {
        seen.push(prompt)
        return steps[n++] ?? { text: 'no more steps' }
      }
      return new MockLanguageModelV4({
        doGenerate: async ({ prompt }) => generated(next(prompt)) as never,
        doStream: async ({ prompt }) => ({ stream: simulateReadableStream({ chunks: streamed(next(prompt)) }) as never }),
      }) as never
    },
  })
})
