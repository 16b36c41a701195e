// OpenTelemetry: spans and metrics of runs and calls, where `@opentelemetry/api` is installed. Never alters a run.
import { createRequire } from 'node:module'
import type * as Otel from '@opentelemetry/api'
import type { Call } from './call.ts'
import type { Outcome } from './outcome.ts'

type OtelApi = typeof Otel

/** What a run is told to: undefined members of a run that nobody records. */
export interface RunTrace {
  beginCall(call: Call): CallTrace
  end(outcome: Outcome): void
}

export interface CallTrace {
  /** Runs the tool inside the call's span, so that spans of its own become children. */
  within<T>(work: () => T): T
  /** An error of the host that the script never sees. */
  fault(error: unknown): void
  end(call: Call): void
}

export interface TelemetryOptions {
  readonly recordContent: boolean
  /** Name of the model's tool. */
  readonly toolName: string
}

const scope = 'codemode-native'

/** Loaded only when an instance is created: the package never needs the peer. */
function loadApi(): OtelApi | undefined {
  try {
    return createRequire(import.meta.url)('@opentelemetry/api') as OtelApi
  } catch {
    return undefined
  }
}

/** Undefined where `@opentelemetry/api` is not installed. */
export function createTelemetry(options: TelemetryOptions): Telemetry | undefined {
  const api = loadApi()
  return api && new Telemetry(api, options)
}

interface Instruments {
  readonly provider: unknown
  readonly runs: Otel.Counter
  readonly calls: Otel.Counter
  readonly runDuration: Otel.Histogram
  readonly callDuration: Otel.Histogram
}

export class Telemetry {
  readonly #api: OtelApi
  readonly #options: TelemetryOptions
  #instruments: Instruments | undefined

  constructor(api: OtelApi, options: TelemetryOptions) {
    this.#api = api
    this.#options = options
  }

  /** Starts the run's span under the caller's; undefined where no SDK is registered. */
  beginRun(id: string, code: string): RunTrace | undefined {
    const api = this.#api
    const { toolName, recordContent } = this.#options
    const parent = api.context.active()
    const tracer = api.trace.getTracer(scope)
    const attributes: Otel.Attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': toolName,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': id,
    }
    if (recordContent) attributes['gen_ai.tool.call.arguments'] = JSON.stringify({ code })
    const span = tracer.startSpan('run_code', { attributes }, parent)
    if (!api.isSpanContextValid(span.spanContext())) return undefined
    return new OtelRunTrace(api, tracer, span, api.trace.setSpan(parent, span), recordContent)
  }

  countRun(outcome: Outcome): void {
    const { runs, runDuration } = this.#current()
    const attributes = {
      'codemode.run.status': outcome.status === 'completed' ? 'completed' : outcome.error.code,
    }
    runs.add(1, attributes)
    runDuration.record(outcome.stats.wallMs / 1_000, attributes)
  }

  countCall(call: Call): void {
    const { calls, callDuration } = this.#current()
    const attributes = {
      'gen_ai.tool.name': call.tool.name,
      'codemode.tool.status': call.status,
    }
    calls.add(1, attributes)
    callDuration.record(call.durationMs / 1_000, attributes)
  }

  /** The provider may be registered after the instance was created. */
  #current(): Instruments {
    const provider = this.#api.metrics.getMeterProvider()
    if (this.#instruments?.provider === provider) return this.#instruments
    const meter = provider.getMeter(scope)
    return (this.#instruments = {
      provider,
      runs: meter.createCounter('codemode.runs', { description: 'Runs by status' }),
      calls: meter.createCounter('codemode.tool_calls', {
        description: 'Tool calls of scripts by tool and status',
      }),
      runDuration: meter.createHistogram('codemode.run.duration', { unit: 's' }),
      callDuration: meter.createHistogram('codemode.tool_call.duration', { unit: 's' }),
    })
  }
}

class OtelRunTrace implements RunTrace {
  constructor(
    private readonly api: OtelApi,
    private readonly tracer: Otel.Tracer,
    private readonly span: Otel.Span,
    private readonly context: Otel.Context,
    private readonly recordContent: boolean,
  ) {}

  beginCall(call: Call): CallTrace {
    const { api, recordContent } = this
    const attributes: Otel.Attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': call.tool.name,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': call.id,
      'codemode.tool.parent_call_id': call.run.id,
    }
    if (call.tool.description !== undefined)
      attributes['gen_ai.tool.description'] = call.tool.description
    if (recordContent) attributes['gen_ai.tool.call.arguments'] = JSON.stringify(call.input)
    const name = `execute_tool ${call.tool.name}`
    const span = this.tracer.startSpan(name, { attributes }, this.context)
    return new OtelCallTrace(api, span, api.trace.setSpan(this.context, span), recordContent)
  }

  end(outcome: Outcome): void {
    const { span, api } = this
    span.setAttribute('codemode.tool_calls', outcome.toolCalls)
    if (outcome.status === 'completed') {
      if (this.recordContent)
        span.setAttribute('gen_ai.tool.call.result', JSON.stringify(outcome.result))
    } else {
      // The message may quote what tools returned: it counts as content.
      const { code, message } = outcome.error
      span.setAttribute('error.type', code)
      span.setStatus({
        code: api.SpanStatusCode.ERROR,
        message: this.recordContent ? message : code,
      })
    }
    span.end()
  }
}

class OtelCallTrace implements CallTrace {
  constructor(
    private readonly api: OtelApi,
    private readonly span: Otel.Span,
    private readonly context: Otel.Context,
    private readonly recordContent: boolean,
  ) {}

  within<T>(work: () => T): T {
    return this.api.context.with(this.context, work)
  }

  fault(error: unknown): void {
    this.span.recordException(error instanceof Error ? error : String(typeof error))
  }

  end(call: Call): void {
    const { span } = this
    span.setAttribute('codemode.tool.status', call.status)
    if (call.status === 'done') {
      if (this.recordContent && call.text !== undefined)
        span.setAttribute('gen_ai.tool.call.result', call.text)
    } else {
      const message = call.error ?? call.status
      span.setAttribute('error.type', call.status)
      span.recordException({ name: 'ToolError', message })
      span.setStatus({ code: this.api.SpanStatusCode.ERROR, message })
    }
    span.end()
  }
}
