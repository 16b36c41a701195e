// What the cases share: tools, and instances that are closed whatever happens.
import assert from 'node:assert/strict'
import type { CodeMode, CodeModeOptions, Limits, Outcome, ToolContext } from '../index.ts'
import type { ConformanceSetup } from './conformance.ts'

export const image = Uint8Array.from({ length: 64 }, (_, i) => 255 - i)

/** Tools of one case, and what happened to them. */
export class Bench {
  entered = 0
  aborted = 0
  running = 0
  mostRunning = 0
  readonly taken: unknown[] = []
  readonly #held: ((value: string) => void)[] = []

  readonly tools: CodeModeOptions['tools'] = {
    echo: { description: 'Gives its arguments back', execute: (input: unknown) => input },
    add: {
      description: 'Adds two numbers',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      execute: ({ a, b }: { a: number; b: number }) => a + b,
    },
    slow: { execute: ({ n }: { n: number }) => this.#slow(n) },
    fail: { execute: () => Promise.reject(new Error('no such luck')) },
    hold: { execute: (_input: unknown, context: ToolContext) => this.#hold(context.abortSignal) },
    shot: {
      execute: () => ({
        type: 'image',
        data: Buffer.from(image).toString('base64'),
        mimeType: 'image/png',
      }),
    },
    take: { execute: (input: unknown) => void this.taken.push(input) },
  }

  async #slow(n: number): Promise<number> {
    this.running++
    this.mostRunning = Math.max(this.mostRunning, this.running)
    await pause(50)
    this.running--
    return n
  }

  #hold(signal: AbortSignal): Promise<string> {
    this.entered++
    return new Promise((resolve, reject) => {
      this.#held.push(resolve)
      signal.addEventListener('abort', () => {
        this.aborted++
        reject(signal.reason as Error)
      })
    })
  }

  /** Resolves when a program is in `hold`. */
  async held(): Promise<void> {
    for (let i = 0; i < 2_000 && this.entered === 0; i++) await pause(5)
    assert.notEqual(this.entered, 0, 'the program calls hold')
  }

  release(value: string): void {
    for (const resolve of this.#held.splice(0)) resolve(value)
  }
}

export const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

export async function withCodeMode(
  setup: ConformanceSetup,
  options: Omit<CodeModeOptions, 'tools'>,
  body: (codeMode: CodeMode, bench: Bench) => Promise<void>,
): Promise<void> {
  const bench = new Bench()
  const codeMode = setup.create({ ...options, tools: bench.tools })
  try {
    await body(codeMode, bench)
    const { liveRuns, pendingCalls } = codeMode.diagnostics()
    assert.deepEqual(
      { liveRuns, pendingCalls },
      { liveRuns: 0, pendingCalls: 0 },
      'nothing is left',
    )
  } finally {
    await codeMode.close()
  }
}

/** Runs one program on an instance of its own. */
export async function outcomeOf(
  setup: ConformanceSetup,
  code: string,
  limits: Partial<Limits> = {},
): Promise<Outcome> {
  let outcome: Outcome | undefined
  await withCodeMode(setup, { limits }, async (codeMode) => {
    outcome = await codeMode.run(code)
  })
  assert.ok(outcome)
  return outcome
}

export function resultOf(outcome: Outcome): unknown {
  assert.equal(
    outcome.status,
    'completed',
    JSON.stringify(outcome.status === 'failed' && outcome.error),
  )
  return outcome.status === 'completed' ? outcome.result : undefined
}

export function codeOf(outcome: Outcome): string {
  assert.equal(outcome.status, 'failed', 'the run fails')
  return outcome.status === 'failed' ? outcome.error.code : ''
}
