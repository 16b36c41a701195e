import { Agent } from '@mastra/core/agent'
import { MastraLanguageModelV2Mock } from '@mastra/core/test-utils/llm-mock'
import { createCodeMode, createTool } from '@mastra/core/tools'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createNativeTransport } from '../../ts/adapters/mastra.ts'

const price = createTool({
  id: 'get_price',
  description: 'The price of one fruit',
  inputSchema: z.object({ item: z.string() }),
  outputSchema: z.object({ usd: z.number() }),
  execute: async ({ item }) => {
    if (item === 'rock') throw new Error('a rock is no fruit')
    return { usd: item.length }
  },
})

interface Result {
  success: boolean
  result?: unknown
  logs?: string[]
  error?: { message: string; name?: string; line?: number }
}

/** What an agent gives its tools for tracing. */
const observe = { span: (_: string, work: () => unknown) => work(), log: () => {} }

function codeMode(timeout = 5_000) {
  const { tool, instructions } = createCodeMode({ tools: { get_price: price }, timeout }, createNativeTransport())
  const execute = tool.execute as (input: object, context: object) => Promise<Result>
  return { instructions, run: (code: string, context = {}) => execute({ code }, { observe, ...context }) }
}

describe("Mastra's createCodeMode over the native transport", () => {
  test('no sandbox is asked for; TypeScript, external functions in parallel, logs', async () => {
    const { run, instructions } = codeMode()
    expect(instructions).toContain('external_get_price')
    const program = `
      const prices: { usd: number }[] = await Promise.all(['fig', 'pear'].map((item) => external_get_price({ item })))
      console.log('got', prices.length)
      return prices.map((price) => price.usd)`
    expect(await run(program)).toMatchObject({ success: true, result: [3, 4], logs: ['got 2'] })
  })

  test('a tool that fails, arguments that Mastra refuses, a throw with its line', async () => {
    const { run } = codeMode()
    expect((await run("return await external_get_price({ item: 'rock' }).catch((e) => 'caught ' + e.message)")).result).toContain(
      'a rock is no fruit',
    )
    const thrown = await run('const a = 1\nthrow new RangeError("too far")')
    expect(thrown).toMatchObject({ success: false, error: { message: 'too far', name: 'RangeError', line: 2 } })
    const fenced = await run('```js\nconst a = 1\nthrow new RangeError("too far")\n```')
    expect(fenced).toMatchObject({ error: { message: 'too far', line: 3 } })
    const refused = await run('return await external_get_price({ item: 7 })')
    expect(JSON.stringify(refused)).toMatch(/item/)
  })

  test('the timeout stops an endless loop; abort stops a waiting one', async () => {
    expect(await codeMode(200).run('for (;;) {}')).toMatchObject({
      success: false,
      error: { message: expect.stringContaining('200 ms') as string },
    })
    const aborted = await codeMode().run('await new Promise(() => {})', { abortSignal: AbortSignal.timeout(100) })
    expect(aborted.success).toBe(false)
  })

  test('an agent of Mastra calls it, and answers', async () => {
    const { tool, instructions } = createCodeMode({ tools: { get_price: price } }, createNativeTransport())
    const prompts: unknown[] = []
    const call = {
      type: 'tool-call',
      toolCallId: 'call-1',
      toolName: tool.id,
      input: JSON.stringify({ code: "return (await external_get_price({ item: 'pear' })).usd" }),
    }
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    const model = new MastraLanguageModelV2Mock({
      doGenerate: async ({ prompt }: { prompt: unknown }) => {
        prompts.push(prompt)
        const content = prompts.length === 1 ? [call] : [{ type: 'text', text: 'It costs 4.' }]
        return { content, finishReason: prompts.length === 1 ? 'tool-calls' : 'stop', usage, warnings: [] } as never
      },
    })
    const agent = new Agent({ id: 'shop', name: 'shop', instructions, model, tools: { [tool.id]: tool } })
    const { text } = await agent.generate('How much is a pear?')
    expect(text).toBe('It costs 4.')
    expect(JSON.stringify(prompts[1])).toContain('"success":true,"result":4')
  })
})
