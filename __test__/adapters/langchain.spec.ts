import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { createAgent, fakeModel } from 'langchain'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createLangChainCodeMode, fromLangChainTools, type LangChainCodeMode } from '../../ts/adapters/langchain.ts'

const seen: unknown[] = []
const price = tool(
  async ({ item }, config) => {
    seen.push(config.configurable?.['tenant'])
    if (item === 'rock') throw new Error('a rock is no fruit')
    return { usd: item.length }
  },
  { name: 'get_price', description: 'The price of one fruit in USD', schema: z.object({ item: z.string() }) },
)
const convert = tool(async ({ usd }) => JSON.stringify({ eur: usd * 0.5 }), {
  name: 'convert',
  description: 'Converts USD to EUR',
  schema: { type: 'object', properties: { usd: { type: 'number' } }, required: ['usd'] } as const,
})

const open: LangChainCodeMode[] = []
afterEach(async () => {
  seen.length = 0
  await Promise.all(open.splice(0).map((codeMode) => codeMode.close()))
})
function make(options = {}): LangChainCodeMode {
  const codeMode = createLangChainCodeMode({ tools: [price, convert], ...options })
  open.push(codeMode)
  return codeMode
}

describe('createAgent of LangChain', () => {
  test('two programs and an answer, each result in the next messages', async () => {
    const call = (id: string, code: string) => new AIMessage({ content: '', tool_calls: [{ id, name: 'run_code', args: { code } }] })
    const model = fakeModel()
      .respond(call('call-1', "return (await tools.get_price({ item: 'pear' })).usd"))
      .respond(call('call-2', 'return (await tools.convert({ usd: 4 })).eur'))
      .respond(new AIMessage('It is 2 EUR.'))
    const agent = createAgent({ model, tools: [make().tool] })
    const { messages } = await agent.invoke({ messages: 'How much is a pear?' }, { configurable: { tenant: 'a' } })
    expect(messages.at(-1)?.content).toBe('It is 2 EUR.')
    const results = messages.filter((message) => ToolMessage.isInstance(message))
    expect(results.map((message) => JSON.parse(String(message.content)) as unknown)).toEqual([
      { result: 4, logs: [], toolCalls: 1 },
      { result: 2, logs: [], toolCalls: 1 },
    ])
    expect(seen).toEqual(['a'])
  })
})

describe('the tool', () => {
  test('inner tools are children of the outer call, for callbacks too', async () => {
    const starts: (string | undefined)[] = []
    const callbacks = [
      {
        handleToolStart: (_: unknown, __: string, runId: string, parentRunId?: string, ___?: string[], ____?: object, name?: string) =>
          void starts.push(name, parentRunId && runId),
      },
    ]
    await make().tool.invoke({ code: "return await tools.get_price({ item: 'fig' })" }, { callbacks })
    expect(starts.filter((name) => name === 'run_code' || name === 'get_price')).toEqual(['run_code', 'get_price'])
  })

  test('a failed program rejects with the text for the model; arguments are checked first', async () => {
    await expect(make().tool.invoke({ code: "return await tools.get_price({ item: 'rock' })" })).rejects.toThrow('a rock is no fruit')
    const wrong = 'return await tools.get_price({ item: 7 }).catch((e) => e.name)'
    expect(JSON.parse((await make().tool.invoke({ code: wrong })) as string)).toMatchObject({ result: 'ToolError' })
    expect(seen).toEqual([undefined])
  })

  test('the signal of the config stops the program', async () => {
    const invoked = make().tool.invoke({ code: 'for (;;) {}' }, { signal: AbortSignal.timeout(100) })
    await expect(invoked).rejects.toThrow(/abort/i)
  })

  test('exclusive and except say what the model gets', () => {
    expect(make().tools.map(({ name }) => name)).toEqual(['run_code', 'get_price', 'convert'])
    expect(make({ exclusive: true, except: ['convert'] }).tools.map(({ name }) => name)).toEqual(['run_code', 'convert'])
    expect(() => fromLangChainTools([price, price])).toThrow(new TypeError('Two tools have the name "get_price"'))
  })
})
