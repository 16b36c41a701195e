// What several specs share: instances that are closed after each test, small tools, and a recorder of events.
import { afterEach } from 'vitest'
import {
  createCodeMode,
  type CodeMode,
  type CodeModeEvent,
  type CodeModeOptions,
  type Completed,
  type Failed,
  type Outcome,
} from '../ts/index.ts'

const open: CodeMode[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((codeMode) => codeMode.close()))
})

/** `CODEMODE_TEST_ISOLATION=process` runs the specs that use `make` in process isolation: one suite over both. */
const isolation = process.env['CODEMODE_TEST_ISOLATION'] === 'process' ? 'process' : 'thread'

/** An instance that lives as long as the test. */
export function make(options: CodeModeOptions): CodeMode {
  const codeMode = createCodeMode({ ...(!options.engine && { isolation }), ...options })
  open.push(codeMode)
  return codeMode
}

export function completed(outcome: Outcome): Completed {
  if (outcome.status !== 'completed') throw new Error(`expected a completed run, got ${outcome.error.code}: ${outcome.error.message}`)
  return outcome
}

export function failed(outcome: Outcome): Failed {
  if (outcome.status !== 'failed') throw new Error(`expected a failed run, got ${JSON.stringify(outcome.result)}`)
  return outcome
}

/** Runs one program on an instance of its own and gives its result. */
export async function resultOf(options: CodeModeOptions, code: string): Promise<unknown> {
  return completed(await make(options).run(code)).result
}

/** A program that gives the name and message of the error that `expression` throws, or its value. */
export const caught = (expression: string) =>
  `try { return { value: await ${expression} } } catch (e) { return { name: e.name, message: e.message } }`

export const objectOf = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

export const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

export function recorder() {
  const events: CodeModeEvent[] = []
  return {
    events,
    onEvent: (event: CodeModeEvent) => void events.push(event),
    types: (prefix = '') => events.map((event) => event.type).filter((type) => type.startsWith(prefix)),
    of: <T extends CodeModeEvent['type']>(type: T) =>
      events.filter((event): event is Extract<CodeModeEvent, { type: T }> => event.type === type),
  }
}

export const echo = { description: 'Gives its arguments back', execute: (input: unknown) => input }

/** A tool that ends when its call is aborted, never before. */
export const untilAborted = {
  execute: (_input: unknown, { abortSignal }: { abortSignal: AbortSignal }) =>
    new Promise((_done, fail) => abortSignal.addEventListener('abort', () => fail(abortSignal.reason as Error))),
}
