import { context as otelContext, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { caught, echo, failed, make, objectOf, sleep } from './helpers.ts'

const spans = new InMemorySpanExporter()
const points = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter: points, exportIntervalMillis: 3_600_000 })

beforeAll(() => {
  otelContext.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }))
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
})
afterEach(() => spans.reset())
afterAll(async () => {
  await reader.shutdown()
  trace.disable()
  metrics.disable()
  otelContext.disable()
})

const byName = (name: string) => spans.getFinishedSpans().filter((span) => span.name === name)
const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId
const secret = 'argument-or-result-content'

describe('spans', () => {
  test('ten parallel calls: names, parents, attributes, status', async () => {
    const tools = {
      add: {
        description: 'Adds one',
        inputSchema: objectOf({ n: { type: 'integer' } }),
        async execute({ n }: { n: number }) {
          await sleep((10 - n) % 4)
          if (n === 3) throw new Error('three is not allowed')
          return n + 1
        },
      },
    }
    const codeMode = make({ tools })
    await codeMode.run('await Promise.allSettled(Array.from({ length: 10 }, (_, n) => tools.add({ n }))); return 1', { toolCallId: 'rc' })
    const [run] = byName('run_code')
    const calls = byName('execute_tool add').sort(
      (a, b) => Number(String(a.attributes['gen_ai.tool.call.id']).slice(3)) - Number(String(b.attributes['gen_ai.tool.call.id']).slice(3)),
    )
    const shape = (span: ReadableSpan) => ({
      name: span.name,
      attributes: span.attributes,
      status: span.status,
      events: span.events.map((e) => [e.name, e.attributes]),
    })
    expect(calls).toHaveLength(10)
    for (const call of calls) {
      expect(parentOf(call)).toBe(run?.spanContext().spanId)
      expect(call.spanContext().traceId).toBe(run?.spanContext().traceId)
    }
    expect(run && shape(run)).toMatchSnapshot('run')
    expect(calls.map(shape)).toMatchSnapshot('calls')
  })

  test('the run is a child of the caller, and spans of a tool are children of its call', async () => {
    const tracer = trace.getTracer('test')
    const tools = {
      work: {
        async execute() {
          await sleep(1)
          tracer.startSpan('inside').end()
          return 1
        },
      },
    }
    const codeMode = make({ tools })
    const outer = tracer.startSpan('outer')
    await otelContext.with(trace.setSpan(otelContext.active(), outer), () =>
      Promise.all([codeMode.run('await tools.work()'), codeMode.run('await Promise.all([tools.work(), tools.work()])')]),
    )
    outer.end()
    expect(byName('run_code').map(parentOf)).toEqual([outer.spanContext().spanId, outer.spanContext().spanId])
    const calls = byName('execute_tool work').map((span) => span.spanContext().spanId)
    expect(byName('inside').map(parentOf).sort()).toEqual(calls.sort())
  })

  test('carry no arguments and no results unless told to', async () => {
    const code = `const r = await tools.echo({ v: '${secret}' }); if (r.v) throw new Error(r.v)`
    await make({ tools: { echo } }).run(code)
    const text = () => JSON.stringify(spans.getFinishedSpans().map((span) => [span.attributes, span.status, span.events]))
    expect(text()).not.toContain(secret)
    spans.reset()
    await make({ tools: { echo }, telemetry: { recordContent: true } }).run(code)
    expect(byName('execute_tool echo')[0]?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': JSON.stringify({ v: secret }),
      'gen_ai.tool.call.result': JSON.stringify({ v: secret }),
    })
    expect(byName('run_code')[0]?.attributes['gen_ai.tool.call.arguments']).toBe(JSON.stringify({ code }))
  })

  test('record the error of the host that the script never sees', async () => {
    const hooks = {
      preToolCall: () => {
        throw new TypeError('no such user')
      },
    }
    await make({ tools: { echo }, hooks, onEvent: () => {} }).run(caught('tools.echo({})'))
    const events = byName('execute_tool echo')[0]?.events.map((event) => event.attributes?.['exception.message'])
    expect(events).toEqual(['no such user', 'Tool echo could not be run: a check of the host failed.'])
  })

  test('a failed run and a cancelled call are errors', async () => {
    const tools = { never: { execute: () => new Promise(() => {}) } }
    failed(await make({ tools, limits: { timeoutMs: 500, abortGraceMs: 10 } }).run('await tools.never()'))
    expect(byName('run_code')[0]).toMatchObject({ status: { code: 2, message: 'timeout' }, attributes: { 'error.type': 'timeout' } })
    expect(byName('execute_tool never')[0]).toMatchObject({
      attributes: { 'error.type': 'cancelled', 'codemode.tool.status': 'cancelled' },
    })
  })

  test('there are none with `telemetry: false`', async () => {
    await make({ tools: { echo }, telemetry: false }).run('await tools.echo({})')
    expect(spans.getFinishedSpans()).toEqual([])
  })
})

test('an SDK that throws alters no run; it is reported once', async () => {
  const broken = () => {
    throw new Error('exporter broke')
  }
  const processor = { onStart: broken, onEnd: broken, forceFlush: async () => {}, shutdown: async () => {} }
  const before = trace.getTracerProvider()
  trace.disable()
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }))
  const warnings: string[] = []
  const listen = (warning: Error) => warnings.push(warning.message)
  process.on('warning', listen)
  const outcome = await make({ tools: { echo } }).run('return await tools.echo({ a: 1 })')
  await sleep(10)
  process.off('warning', listen)
  trace.disable()
  trace.setGlobalTracerProvider(before)
  expect(outcome).toMatchObject({ status: 'completed', result: { a: 1 } })
  expect(warnings).toEqual(['telemetry failed: Error: exporter broke'])
})

test('metrics count runs by outcome and calls by status, with durations', async () => {
  const tools = {
    good: { execute: () => 1 },
    bad: {
      execute: () => {
        throw new Error('x')
      },
    },
  }
  const codeMode = make({ tools })
  await codeMode.run('await tools.good(); await tools.good(); return 1')
  await codeMode.run('await tools.bad()')
  await reader.forceFlush()
  const all =
    points
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.find((scope) => scope.scope.name === 'codemode-native')?.metrics ?? []
  const values = (name: string) =>
    Object.fromEntries(
      (all.find((metric) => metric.descriptor.name === name)?.dataPoints ?? []).map((point) => [
        Object.values(point.attributes).join(' '),
        point.value,
      ]),
    )
  expect(values('codemode.tool_calls')).toMatchObject({ 'good done': 2, 'bad error': 1 })
  expect(values('codemode.runs')).toMatchObject({ completed: expect.any(Number) as number, script_error: expect.any(Number) as number })
  expect(values('codemode.tool_call.duration')['good done']).toMatchObject({ count: 2 })
  expect(values('codemode.run.duration')['completed']).toMatchObject({ count: expect.any(Number) as number })
})
