import {
  Agent,
  RunContext,
  Runner,
  Usage,
  setTracingDisabled,
  tool,
  type Model,
  type ModelRequest,
  type ModelResponse,
} from '@openai/agents'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgentCodeMode, fromAgentTools, type AgentCodeMode } from '../../ts/adapters/openai-agents.ts'

setTracingDisabled(true)

type Step = { text: string } | { code: string }

/** A model that answers with `steps`, one after the other. */
class ScriptedModel implements Model {
  readonly requests: ModelRequest[] = []
  constructor(readonly steps: readonly Step[]) {}

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const n = this.requests.push(request)
    const step = this.steps[n - 1] ?? { text: 'no more steps' }
    const output =
      'text' in step
        ? {
            type: 'message' as const,
            role: 'assistant' as const,
            status: 'completed' as const,
            content: [{ type: 'output_text' as const, text: step.text }],
          }
        : {
            type: 'function_call' as const,
            callId: `call-${n}`,
            name: 'run_code',
            status: 'completed' as const,
            arguments: JSON.stringify({ code: step.code }),
          }
    return { usage: new Usage(), output: [output] }
  }

  // eslint-disable-next-line require-yield -- a stream is not asked for here
  async *getStreamedResponse(): AsyncGenerator<never> {
    throw new Error('not streamed')
  }
}

const seen: unknown[] = []
const deleted: string[] = []
const price = tool({
  name: 'get_price',
  description: 'The price of one fruit in USD',
  parameters: z.object({ item: z.string() }),
  execute: async ({ item }, context) => {
    seen.push(context?.context)
    if (item === 'rock') throw new Error('a rock is no fruit')
    return { usd: item.length }
  },
})
const remove = tool({
  name: 'remove',
  description: 'Removes a fruit',
  parameters: z.object({ item: z.string() }),
  needsApproval: true,
  execute: async ({ item }) => {
    deleted.push(item)
    return { removed: item }
  },
})
const spend = tool({
  name: 'spend',
  description: 'Spends money',
  parameters: z.object({ usd: z.number() }),
  needsApproval: async (_, { usd }) => usd > 100,
  execute: async ({ usd }) => `spent ${usd}`,
})

const open: AgentCodeMode[] = []
afterEach(async () => {
  seen.length = 0
  deleted.length = 0
  await Promise.all(open.splice(0).map((codeMode) => codeMode.close()))
})

function agentWith(steps: readonly Step[], options = {}) {
  const codeMode = createAgentCodeMode({ tools: [price, remove, spend], exclusive: true, ...options })
  open.push(codeMode)
  const model = new ScriptedModel(steps)
  const agent = new Agent({ name: 'shop', model, tools: codeMode.tools })
  return { agent, model, codeMode, runner: new Runner({ tracingDisabled: true }) }
}

describe('a run of the SDK', () => {
  test('two programs and an answer; the tools get the context of the run', async () => {
    const { agent, model, runner } = agentWith([
      {
        code: "const prices = await Promise.all(['fig', 'pear'].map((item) => tools.get_price({ item }))); return prices.map((p) => p.usd)",
      },
      { code: 'return await tools.spend({ usd: 5 })' },
      { text: 'done' },
    ])
    // `spend` decides by its arguments, so a program that names it is asked about.
    const first = await runner.run(agent, 'go', { context: { tenant: 'a' } })
    expect(first.interruptions).toHaveLength(1)
    first.state.approve(first.interruptions[0] as never)
    const result = await runner.run(agent, first.state)
    expect(result.finalOutput).toBe('done')
    expect(seen).toEqual([{ tenant: 'a' }, { tenant: 'a' }])
    const outputs = JSON.stringify(model.requests.at(-1)?.input)
    expect(outputs).toContain(JSON.stringify('{"result":[3,4],"logs":[],"toolCalls":2}').slice(1, -1))
    expect(outputs).toContain('spent 5')
  })

  test('a failed program: the model reads the text for it', async () => {
    const { agent, model, runner } = agentWith([{ code: "return await tools.get_price({ item: 'rock' })" }, { text: 'sorry' }])
    expect((await runner.run(agent, 'go')).finalOutput).toBe('sorry')
    expect(JSON.stringify(model.requests[1]?.input)).toContain('rock')
  })

  test('arguments are checked before a tool runs', async () => {
    const { codeMode } = agentWith([])
    const outcome = await codeMode.codeMode.run('return await tools.get_price({ item: 7 }).catch((e) => e.name)')
    expect(outcome).toMatchObject({ status: 'completed', result: 'ToolError' })
    expect(seen).toEqual([])
  })
})

describe("approval through the SDK's own flow", () => {
  const steps = [{ code: "return await tools.remove({ item: 'pear' })" }, { text: 'over' }]

  test('approved: the program runs', async () => {
    const { agent, runner } = agentWith(steps)
    const first = await runner.run(agent, 'go')
    expect(first.interruptions.map((item) => item.name)).toEqual(['run_code'])
    expect(deleted).toEqual([])
    first.state.approve(first.interruptions[0] as never)
    expect((await runner.run(agent, first.state)).finalOutput).toBe('over')
    expect(deleted).toEqual(['pear'])
  })

  test('rejected: it never runs', async () => {
    const { agent, runner } = agentWith(steps)
    const first = await runner.run(agent, 'go')
    first.state.reject(first.interruptions[0] as never)
    expect((await runner.run(agent, first.state)).finalOutput).toBe('over')
    expect(deleted).toEqual([])
  })

  test('a made-up name reaches nothing, and a program that names no such tool is not asked about', async () => {
    const { agent, model, runner } = agentWith([
      { code: "return await tools['rem' + 'ove']({ item: 'pear' }).catch((e) => e.message)" },
      { text: 'over' },
    ])
    expect((await runner.run(agent, 'go')).finalOutput).toBe('over')
    expect(JSON.stringify(model.requests[1]?.input)).toContain('Tool remove was not approved')
    expect(deleted).toEqual([])
  })

  test('with approve the host answers while the program waits', async () => {
    const { agent, runner } = agentWith(steps, { approve: () => 'approve' })
    expect((await runner.run(agent, 'go')).finalOutput).toBe('over')
    expect(deleted).toEqual(['pear'])
  })
})

test('two tools with one name are refused', () => {
  expect(() => fromAgentTools([price, price])).toThrow(new TypeError('Two tools have the name "get_price"'))
  expect(new RunContext({}).context).toEqual({})
})
