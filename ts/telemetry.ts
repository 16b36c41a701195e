// OpenTelemetry: spans and metrics of runs and calls, where `@opentelemetry/api` is installed. Never alters a run.
import { createRequire } from 'node:module'
import type * as Otel from '@opentelemetry/api'
import type { Call } from './call.ts'
import type { Outcome } from './outcome.ts'

type OtelApi = typeof Otel

/** What a run is told to: undefined members of a run that nobody records. */
export interface RunTrace {
  beginCall(call: Call): CallTrace | undefined
  end(outcome: Outcome): void
}

export interface CallTrace {
  /** Runs the tool inside the call's span, so that spans of its own become children. */
  within<T>(work: () => T): T
  /** An error of the host that the script never sees. */
  fault(error: unknown): void
  end(call: Call): void
}

/** One exec, wait or stop of a session. */
export interface Control {
  /** Runs inside the operation's span, so that the program it starts becomes a child. */
  within<T>(work: () => T): T
  /** `status` is that of the result, or `refused`. */
  end(status: string): void
}

export interface TelemetryOptions {
  /** Told what an SDK throws: instrumentation never alters a run. */
  readonly report: (error: unknown) => void
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
  /** Nobody reads them: no SDK is registered. */
  readonly silent: boolean
  readonly runs: Otel.Counter
  readonly calls: Otel.Counter
  readonly runDuration: Otel.Histogram
  readonly callDuration: Otel.Histogram
}

export class Telemetry {
  readonly #api: OtelApi
  readonly #options: TelemetryOptions
  /** What the API hands out while no SDK is registered. */
  readonly #nobody: unknown
  #instruments: Instruments | undefined

  constructor(api: OtelApi, options: TelemetryOptions) {
    this.#api = api
    this.#options = options
    this.#nobody = new api.ProxyTracerProvider().getDelegate()
  }

  /** Starts the run's span under the caller's; undefined where no SDK is registered. */
  beginRun(id: string, code: string): RunTrace | undefined {
    return safely(this.#options.report, () => this.#beginRun(id, code))
  }

  #beginRun(id: string, code: string): RunTrace | undefined {
    const api = this.#api
    this.#current()
    const provider = this.#registered()
    if (!provider) return undefined
    const { toolName, recordContent, report } = this.#options
    const parent = api.context.active()
    const tracer = provider.getTracer(scope)
    const attributes: Otel.Attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': toolName,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': id,
    }
    if (recordContent) attributes['gen_ai.tool.call.arguments'] = JSON.stringify({ code })
    const span = tracer.startSpan('run_code', { attributes }, parent)
    if (!api.isSpanContextValid(span.spanContext())) return undefined
    const context = api.trace.setSpan(parent, span)
    return new OtelRunTrace({ api, tracer, recordContent, report }, span, context)
  }

  /** Starts the span of a control operation under the caller's; undefined where no SDK is registered. */
  beginControl(name: string, id: string | undefined): Control | undefined {
    return safely(this.#options.report, () => this.#beginControl(name, id))
  }

  #beginControl(name: string, id: string | undefined): Control | undefined {
    const api = this.#api
    const provider = this.#registered()
    if (!provider) return undefined
    const parent = api.context.active()
    const attributes: Otel.Attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.type': 'function',
      ...(id === undefined ? {} : { 'gen_ai.tool.call.id': id }),
    }
    const span = provider.getTracer(scope).startSpan(`execute_tool ${name}`, { attributes }, parent)
    const context = api.trace.setSpan(parent, span)
    return {
      within: (work) => api.context.with(context, work),
      end: (status) =>
        void safely(this.#options.report, () => {
          span.setAttribute('codemode.program.status', status)
          if (status === 'refused') span.setStatus({ code: api.SpanStatusCode.ERROR })
          span.end()
        }),
    }
  }

  /** Undefined while nothing is registered: what the API hands out then records nothing. */
  #registered(): Otel.TracerProvider | undefined {
    const provider = this.#api.trace.getTracerProvider()
    const { ProxyTracerProvider } = this.#api
    if (provider instanceof ProxyTracerProvider && provider.getDelegate() === this.#nobody)
      return undefined
    return provider
  }

  countRun(outcome: Outcome): void {
    safely(this.#options.report, () => {
      const { silent, runs, runDuration } = this.#current()
      if (silent) return
      const attributes = {
        'codemode.run.status': outcome.status === 'completed' ? 'completed' : outcome.error.code,
      }
      runs.add(1, attributes)
      runDuration.record(outcome.stats.wallMs / 1_000, attributes)
    })
  }

  /** Counts with the meter that was there when a run last began. */
  countCall(call: Call): void {
    const { silent, calls, callDuration } = this.#instruments ?? this.#current()
    if (silent) return
    safely(this.#options.report, () => {
      const attributes = {
        'gen_ai.tool.name': call.tool.name,
        'codemode.tool.status': call.status,
      }
      calls.add(1, attributes)
      callDuration.record(call.durationMs / 1_000, attributes)
    })
  }

  /** The provider may be registered after the instance was created. */
  #current(): Instruments {
    const provider = this.#api.metrics.getMeterProvider()
    if (this.#instruments?.provider === provider) return this.#instruments
    const meter = provider.getMeter(scope)
    return (this.#instruments = {
      provider,
      silent: meter === this.#api.createNoopMeter(),
      runs: meter.createCounter('codemode.runs', { description: 'Runs by status' }),
      calls: meter.createCounter('codemode.tool_calls', {
        description: 'Tool calls of scripts by tool and status',
      }),
      runDuration: meter.createHistogram('codemode.run.duration', { unit: 's' }),
      callDuration: meter.createHistogram('codemode.tool_call.duration', { unit: 's' }),
    })
  }
}

/** What the spans of one run share. */
interface Tracing {
  readonly api: OtelApi
  readonly tracer: Otel.Tracer
  readonly recordContent: boolean
  readonly report: (error: unknown) => void
}

function safely<T>(report: (error: unknown) => void, work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    report(error)
    return undefined
  }
}

class OtelRunTrace implements RunTrace {
  constructor(
    private readonly tracing: Tracing,
    private readonly span: Otel.Span,
    private readonly context: Otel.Context,
  ) {}

  beginCall(call: Call): CallTrace | undefined {
    return safely(this.tracing.report, () => this.#beginCall(call))
  }

  #beginCall(call: Call): CallTrace {
    const { api, tracer, recordContent } = this.tracing
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
    const span = tracer.startSpan(name, { attributes }, this.context)
    return new OtelCallTrace(this.tracing, span, api.trace.setSpan(this.context, span))
  }

  end(outcome: Outcome): void {
    safely(this.tracing.report, () => this.#end(outcome))
  }

  #end(outcome: Outcome): void {
    const { span } = this
    const { api, recordContent } = this.tracing
    span.setAttribute('codemode.tool_calls', outcome.toolCalls)
    if (outcome.status === 'completed') {
      if (recordContent)
        span.setAttribute('gen_ai.tool.call.result', JSON.stringify(outcome.result))
    } else {
      // The message may quote what tools returned: it counts as content.
      const { code, message } = outcome.error
      span.setAttribute('error.type', code)
      span.setStatus({ code: api.SpanStatusCode.ERROR, message: recordContent ? message : code })
    }
    span.end()
  }
}

class OtelCallTrace implements CallTrace {
  constructor(
    private readonly tracing: Tracing,
    private readonly span: Otel.Span,
    private readonly context: Otel.Context,
  ) {}

  within<T>(work: () => T): T {
    return this.tracing.api.context.with(this.context, work)
  }

  fault(error: unknown): void {
    safely(this.tracing.report, () =>
      this.span.recordException(error instanceof Error ? error : typeof error),
    )
  }

  end(call: Call): void {
    safely(this.tracing.report, () => this.#end(call))
  }

  #end(call: Call): void {
    const { span } = this
    const { api, recordContent } = this.tracing
    span.setAttribute('codemode.tool.status', call.status)
    if (call.status === 'done') {
      if (recordContent && call.text !== undefined)
        span.setAttribute('gen_ai.tool.call.result', call.text)
    } else {
      const message = call.error ?? call.status
      span.setAttribute('error.type', call.status)
      span.recordException({ name: 'ToolError', message })
      span.setStatus({ code: api.SpanStatusCode.ERROR, message })
    }
    span.end()
  }
}
