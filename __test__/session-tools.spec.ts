// exec, wait and stop as the model's tools, and what streams and traces show of them.
import { context as otelContext, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { generateText, stepCountIs, tool as aiTool } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Session, SessionTool } from '../ts/index.ts'
import { echo, make, objectOf, recorder, untilAborted } from './helpers.ts'

const tools = {
  add: {
    description: 'Adds',
    inputSchema: objectOf({ a: { type: 'number' }, b: { type: 'number' } }),
    execute: ({ a, b }: { a: number; b: number }) => a + b,
  },
  hold: untilAborted,
}

function named(session: Session): Record<'exec' | 'wait' | 'stop', SessionTool> {
  return Object.fromEntries(session.tools.map((tool) => [tool.name, tool])) as Record<'exec' | 'wait' | 'stop', SessionTool>
}

describe('tools of a session', () => {
  test('are exec, wait and stop with schemas, and say what holds for this session', () => {
    const session = make({ tools }).openSession({ observeMs: 1_500, wallMs: 90_000, maxPrograms: 3, limits: { maxToolCalls: 7 } })
    expect(session.tools.map((tool) => tool.name)).toEqual(['exec', 'wait', 'stop'])
    const { exec, wait, stop } = named(session)
    expect(exec.inputSchema).toMatchObject({ type: 'object', required: ['code'], additionalProperties: false })
    for (const { inputSchema } of [wait, stop]) expect(inputSchema).toEqual({ type: 'object', properties: {}, additionalProperties: false })
    expect(exec.description).toMatchSnapshot('exec')
    expect(wait.description).toMatchSnapshot('wait')
    expect(stop.description).toMatchSnapshot('stop')
  })

  test('work as the methods do', async () => {
    const codeMode = make({ tools })
    const quick = named(codeMode.openSession())
    const { exec, wait, stop } = named(codeMode.openSession({ observeMs: 50 }))
    expect(await quick.exec.execute({ code: 'return await tools.add({ a: 1, b: 2 })' })).toEqual({
      status: 'completed',
      output: '',
      value: 3,
    })
    expect(await exec.execute({ code: 'await tools.hold({})' })).toEqual({ status: 'still_working', output: '' })
    expect(await wait.execute({})).toEqual({ status: 'still_working', output: '' })
    expect(await stop.execute({})).toMatchObject({ status: 'terminated' })
    await expect(wait.execute(undefined)).rejects.toMatchObject({ code: 'no_program' })
    await expect(exec.execute('return 1')).rejects.toThrow('Expected `input` to be an object, got `"return 1"` (string)')
    await expect(exec.execute({})).rejects.toThrow('Expected `code` to be a string, got `undefined`')
  })

  test('take what a framework gives its tools: the id of the call, and its signal', async () => {
    const { onEvent, of } = recorder()
    const { exec } = named(make({ tools, onEvent }).openSession())
    const call = new AbortController()
    const running = exec.execute({ code: 'await tools.hold({})' }, {
      toolCallId: 'call_1',
      abortSignal: call.signal,
      messages: [],
    } as object)
    while (of('tool.start').length === 0) await new Promise((turn) => setImmediate(turn))
    call.abort()
    expect(await running).toMatchObject({ status: 'terminated', error: { code: 'aborted' } })
    expect(of('tool.start')).toMatchObject([{ toolCallId: 'call_1:1', toolName: 'hold' }])
  })

  test('serve a real agent loop: exec, wait, answer', async () => {
    const slow = { execute: () => new Promise((done) => setTimeout(done, 150, 42)) }
    const session = make({ tools: { slow } }).openSession({ observeMs: 30 })
    const asked: string[] = []
    const model = new MockLanguageModelV3({
      doGenerate: ({ prompt }) => {
        const last = JSON.stringify(prompt.at(-1))
        const name = asked.length === 0 ? 'exec' : last.includes('still_working') ? 'wait' : undefined
        asked.push(name ?? 'answer')
        const input = JSON.stringify(name === 'exec' ? { code: 'return await tools.slow()' } : {})
        return Promise.resolve({
          content: name
            ? [{ type: 'tool-call' as const, toolCallId: `c${asked.length}`, toolName: name, input }]
            : [{ type: 'text' as const, text: last.includes('"value":42') ? 'it is 42' : 'unknown' }],
          finishReason: { unified: name ? ('tool-calls' as const) : ('stop' as const), raw: undefined },
          usage: { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } },
          warnings: [],
        })
      },
    })
    const { jsonSchema } = await import('ai')
    const forModel = Object.fromEntries(
      session.tools.map(({ name, description, inputSchema, execute }) => [
        name,
        aiTool({ description, inputSchema: jsonSchema(inputSchema as object), execute }),
      ]),
    )
    const { text } = await generateText({ model, tools: forModel, prompt: 'go', stopWhen: stepCountIs(30) })
    expect(text).toBe('it is 42')
    expect(asked[0]).toBe('exec')
    expect(asked.filter((name) => name === 'wait').length).toBeGreaterThan(0)
  })

  test('stop and wait are refused to a model that starts none, by a sentence it can read', async () => {
    const { wait } = named(make({ tools: { echo } }).openSession())
    await expect(wait.execute({})).rejects.toThrow('There is no program to wait for; start one with exec')
  })
})

describe('streams and traces', () => {
  const spans = new InMemorySpanExporter()
  beforeAll(() => {
    otelContext.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }))
  })
  afterEach(() => spans.reset())
  afterAll(() => {
    trace.disable()
    otelContext.disable()
  })
  const byName = (name: string) => spans.getFinishedSpans().filter((span) => span.name === name)
  const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId
  const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId

  test('a stream names the inner tools and no control', async () => {
    const { events, onEvent } = recorder()
    const session = make({ tools, onEvent }).openSession({ observeMs: 30 })
    await session.exec('await tools.add({ a: 1, b: 2 }); await tools.hold({})')
    await session.wait()
    await session.stop()
    const names = events.flatMap((event) => ('toolName' in event ? [`${event.type} ${event.toolName}`] : [event.type]))
    expect(names).toEqual([
      'run.start',
      ...['tool.start add', 'permission.decision add', 'tool.done add'],
      ...['tool.start hold', 'permission.decision hold', 'tool.error hold'],
      'run.done',
    ])
  })

  test('a trace has the control operation above its program, and that above the tools', async () => {
    const session = make({ tools }).openSession()
    await session.exec('await tools.add({ a: 1, b: 2 })', { toolCallId: 'call_9' })
    const [exec] = byName('execute_tool exec')
    const [run] = byName('run_code')
    const [add] = byName('execute_tool add')
    expect(exec?.attributes).toMatchObject({
      'gen_ai.tool.name': 'exec',
      'gen_ai.tool.call.id': 'call_9',
      'codemode.program.status': 'completed',
    })
    expect(parentOf(run)).toBe(idOf(exec))
    expect(parentOf(add)).toBe(idOf(run))
  })

  test('waits and stops have spans of their own, refusals are marked', async () => {
    const session = make({ tools }).openSession({ observeMs: 30 })
    await session.exec('await tools.hold({})')
    await session.wait()
    await session.stop()
    await expect(session.stop()).rejects.toThrow('There is no program to stop')
    expect(byName('execute_tool wait').map((span) => span.attributes['codemode.program.status'])).toEqual(['still_working'])
    expect(byName('execute_tool stop').map((span) => span.attributes['codemode.program.status'])).toEqual(['terminated', 'refused'])
  })
})
