// What every supported version of the AI SDK has to do with the adapter: driven by its own generateText and streamText.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAiCodeMode, fromAiTools, type AiCodeMode, type RunCodeProgress } from '../../ts/adapters/ai.ts'
import type * as AiSdk from 'ai'

export interface Version {
  readonly sdk: typeof AiSdk
  /** A mock model that answers with `steps`, one after the other; `steps` may look at the prompt. */
  readonly model: (steps: readonly Step[], seen?: unknown[]) => AiSdk.LanguageModel
}

export type Step = { readonly text: string } | { readonly code: string; readonly id: string }

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

export const generated = (step: Step) =>
  'text' in step
    ? { content: [{ type: 'text', text: step.text }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] }
    : {
        content: [{ type: 'tool-call', toolCallId: step.id, toolName: 'run_code', input: JSON.stringify({ code: step.code }) }],
        finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
        usage,
        warnings: [],
      }

export function streamed(step: Step): unknown[] {
  const end = { type: 'finish', usage, finishReason: generated(step).finishReason }
  const start = { type: 'stream-start', warnings: [] }
  if ('text' in step) {
    return [start, { type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: step.text }, { type: 'text-end', id: 't' }, end]
  }
  return [start, { type: 'tool-call', toolCallId: step.id, toolName: 'run_code', input: JSON.stringify({ code: step.code }) }, end]
}

/** Registers the tests; the caller stands in the `describe` of its version. */
export function aiSuite({ sdk, model }: Version): void {
  const { generateText, jsonSchema, stepCountIs, streamText, tool } = sdk

  const shop = (seen: unknown[] = []) => ({
    get_price: tool({
      description: 'The price of one fruit in USD',
      inputSchema: z.object({ item: z.string() }),
      outputSchema: z.object({ usd: z.number() }),
      execute: async ({ item }, options) => {
        seen.push(options)
        return { usd: { apple: 1.5, pear: 0.75 }[item] ?? 0 }
      },
    }),
    convert: tool({
      description: 'Converts USD to EUR',
      inputSchema: jsonSchema<{ usd: number }>({ type: 'object', properties: { usd: { type: 'number' } }, required: ['usd'] }),
      execute: async ({ usd }) => ({ eur: usd * 0.5 }),
    }),
  })

  async function using<T>(codeMode: AiCodeMode, work: (codeMode: AiCodeMode) => Promise<T>): Promise<T> {
    try {
      return await work(codeMode)
    } finally {
      await codeMode.close()
    }
  }

  describe('the loop of the SDK', () => {
    test('generateText: two programs and an answer, each result in the next prompt', async () => {
      const prompts: unknown[] = []
      await using(createAiCodeMode({ tools: shop() }), async ({ tools }) => {
        const result = await generateText({
          model: model(
            [
              { id: 'call-1', code: "return (await tools.get_price({ item: 'apple' })).usd" },
              { id: 'call-2', code: 'return (await tools.convert({ usd: 1.5 })).eur' },
              { text: 'It is 0.75 EUR.' },
            ],
            prompts,
          ),
          tools,
          prompt: 'How much is an apple in EUR?',
          stopWhen: stepCountIs(5),
        })
        expect(result.text).toBe('It is 0.75 EUR.')
        expect(result.steps).toHaveLength(3)
        expect(result.steps.flatMap((step) => step.toolResults.map((part) => part.output))).toEqual([
          { result: 1.5, logs: [], toolCalls: 1 },
          { result: 0.75, logs: [], toolCalls: 1 },
        ])
        expect(JSON.stringify(prompts[2])).toContain('"value":{"result":0.75,"logs":[],"toolCalls":1}')
      })
    })

    test('streamText: the tool result is streamed, with the progress of the calls before it', async () => {
      await using(createAiCodeMode({ tools: shop(), progress: true }), async ({ tools }) => {
        const code = "return (await Promise.all(['apple', 'pear'].map((item) => tools.get_price({ item })))).map((p) => p.usd)"
        const { fullStream } = streamText({
          model: model([{ id: 'call-1', code }, { text: 'done' }]),
          tools,
          prompt: 'Prices?',
          stopWhen: stepCountIs(5),
        })
        const preliminary: RunCodeProgress[] = []
        const final: unknown[] = []
        let text = ''
        for await (const part of fullStream) {
          if (part.type === 'text-delta') text += part.text
          if (part.type === 'tool-result' && part.preliminary) preliminary.push(part.output as RunCodeProgress)
          else if (part.type === 'tool-result') final.push(part.output)
        }
        expect(text).toBe('done')
        expect(final).toEqual([{ result: [1.5, 0.75], logs: [], toolCalls: 2 }])
        expect(preliminary.length).toBeGreaterThan(0)
        expect(preliminary[0]?.calls[0]).toMatchObject({ toolCallId: 'call-1:1', toolName: 'get_price' })
      })
    })

    test('a failed program is a tool error with the text for the model, and the loop goes on', async () => {
      const prompts: unknown[] = []
      await using(createAiCodeMode({ tools: shop() }), async ({ tools }) => {
        const result = await generateText({
          model: model([{ id: 'call-1', code: 'return await tools.get_price({ item: 7 })' }, { text: 'sorry' }], prompts),
          tools,
          prompt: 'Prices?',
          stopWhen: stepCountIs(5),
        })
        expect(result.text).toBe('sorry')
        expect(JSON.stringify(prompts[1])).toMatch(/get_price/)
        expect(result.steps[0]?.content.some((part) => part.type === 'tool-error')).toBe(true)
      })
    })

    test('inner tools get messages, context and a call id; aborting the SDK call aborts them', async () => {
      const seen: unknown[] = []
      await using(createAiCodeMode({ tools: shop(seen) }), async ({ tools }) => {
        const run = tools['run_code']?.execute as (input: unknown, options: unknown) => Promise<unknown>
        const messages = [{ role: 'user', content: 'hi' }]
        await run(
          { code: "return await tools.get_price({ item: 'pear' })" },
          { toolCallId: 'x', messages, experimental_context: { tenant: 'a' } },
        )
        expect(seen).toEqual([expect.objectContaining({ toolCallId: 'x:1', messages, experimental_context: { tenant: 'a' } })])
      })
      const aborted: unknown[] = []
      const wait = tool({
        inputSchema: z.object({}),
        execute: (_, { abortSignal }) =>
          new Promise((_resolve, reject) => abortSignal?.addEventListener('abort', () => (aborted.push(1), reject(new Error('stopped'))))),
      })
      await using(createAiCodeMode({ tools: { wait } }), async ({ tools }) => {
        const controller = new AbortController()
        const run = tools['run_code']?.execute as (input: unknown, options: unknown) => Promise<unknown>
        setTimeout(() => controller.abort(), 50)
        await expect(
          run({ code: 'return await tools.wait({})' }, { toolCallId: 'x', messages: [], abortSignal: controller.signal }),
        ).rejects.toMatchObject({ code: 'aborted' })
        expect(aborted).toEqual([1])
      })
    })

    test('tools without execute and tools in except stay direct, out of programs', async () => {
      const ask = tool({ description: 'Asks the user', inputSchema: z.object({ question: z.string() }) })
      await using(
        createAiCodeMode({ tools: { ...shop(), ask }, except: ['convert', 'ask'], exclusive: true }),
        async ({ tools, codeMode }) => {
          expect(Object.keys(tools).toSorted()).toEqual(['ask', 'convert', 'run_code'])
          expect(tools['ask']).toBe(ask)
          expect(codeMode.signatures).toContain('get_price')
          expect(codeMode.signatures).not.toContain('convert')
          expect(codeMode.signatures).toContain('usd: number')
        },
      )
      expect(Object.keys(fromAiTools({ ...shop(), ask }))).toEqual(['get_price', 'convert'])
    })

    describe("approval through the SDK's own flow", () => {
      const deleted: string[] = []
      const guarded = {
        ...shop(),
        remove: tool({
          inputSchema: z.object({ item: z.string() }),
          needsApproval: true,
          execute: async ({ item }) => (deleted.push(item), { removed: item }),
        }),
      }
      const code = "return await tools.remove({ item: 'pear' })"

      async function ask(approved: boolean) {
        deleted.length = 0
        return using(createAiCodeMode({ tools: guarded }), async ({ tools }) => {
          const first = await generateText({
            model: model([{ id: 'call-1', code }]),
            tools,
            prompt: 'Remove the pear',
            stopWhen: stepCountIs(5),
          })
          const request = first.content.find((part) => part.type === 'tool-approval-request')
          expect(request).toBeDefined()
          expect(deleted).toEqual([])
          const messages = [
            { role: 'user' as const, content: 'Remove the pear' },
            ...first.response.messages,
            {
              role: 'tool' as const,
              content: [{ type: 'tool-approval-response' as const, approvalId: request?.approvalId ?? '', approved }],
            },
          ]
          return generateText({ model: model([{ text: 'over' }]), tools, messages, stopWhen: stepCountIs(5) })
        })
      }

      test('an approved program calls the tool', async () => {
        expect((await ask(true)).text).toBe('over')
        expect(deleted).toEqual(['pear'])
      })

      test('a denied program never runs', async () => {
        expect((await ask(false)).text).toBe('over')
        expect(deleted).toEqual([])
      })

      test('a program that names no such tool is not asked about, and cannot reach one by a made-up name', async () => {
        deleted.length = 0
        await using(createAiCodeMode({ tools: guarded }), async ({ tools }) => {
          const sly = "return await tools['rem' + 'ove']({ item: 'pear' }).catch((e) => e.message)"
          const result = await generateText({
            model: model([{ id: 'call-1', code: sly }, { text: 'over' }]),
            tools,
            prompt: 'Remove the pear',
            stopWhen: stepCountIs(5),
          })
          expect(result.steps[0]?.toolResults[0]?.output).toMatchObject({
            result: 'Tool remove was not approved: the program has to name it in its text',
          })
          expect(deleted).toEqual([])
        })
      })

      test('with approve the host answers while the program waits, and the SDK is not asked', async () => {
        deleted.length = 0
        await using(createAiCodeMode({ tools: guarded, approve: () => 'approve' }), async ({ tools }) => {
          const result = await generateText({
            model: model([{ id: 'call-1', code }, { text: 'over' }]),
            tools,
            prompt: 'Remove the pear',
            stopWhen: stepCountIs(5),
          })
          expect(result.text).toBe('over')
          expect(deleted).toEqual(['pear'])
        })
      })
    })
  })
}
