import { describe, expect, test } from 'vitest'
import {
  ApprovalNeededError,
  CodeModeClosedError,
  CodeModeError,
  CodeModeInternalError,
  IsolationUnavailableError,
  NotAvailableError,
  SignInNeededError,
  type Tool,
} from '../ts/index.ts'
import { caught, completed, failed, make, resultOf } from './helpers.ts'

const throwing = (thrown: () => unknown) => ({
  tools: {
    bad: {
      execute: () => {
        throw thrown()
      },
    },
  },
})
const rejecting = (thrown: () => unknown) => ({ tools: { bad: { execute: () => Promise.reject(thrown() as Error) } } })

describe('whatever a tool throws, the script gets a ToolError with a message and nothing else', () => {
  const fixed = 'Tool bad failed.'
  const thrown: [string, () => unknown, string][] = [
    ['an Error', () => new Error('disk full on vol-7'), 'disk full on vol-7'],
    ['a string', () => 'just text', 'just text'],
    ['an object with a message', () => ({ message: 'plain' }), 'plain'],
    ['an Error without a message', () => new Error(''), ''],
    ['an empty string', () => '', ''],
    ['null', () => null, fixed],
    ['undefined', () => undefined, fixed],
    ['a number', () => 5, fixed],
    ['a symbol', () => Symbol('s'), fixed],
    ['a message that is no string', () => ({ message: { toString: () => 'no' } }), fixed],
    [
      'a getter that throws',
      () => ({
        get message() {
          throw new Error('host secret')
        },
      }),
      fixed,
    ],
    [
      'a proxy that throws',
      () =>
        new Proxy(
          {},
          {
            get() {
              throw new Error('host secret')
            },
            has() {
              throw new Error('host secret')
            },
          },
        ),
      fixed,
    ],
    ['an AbortError', () => new DOMException('I stopped myself', 'AbortError'), 'I stopped myself'],
    [
      'a look-alike',
      () => Object.assign(new Error('Tool x needs approval'), { name: 'ToolError', status: 'denied' }),
      'Tool x needs approval',
    ],
  ]
  test.each(thrown)('%s', async (_what, make_, message) => {
    expect(await resultOf(throwing(make_), caught('tools.bad()'))).toEqual({ name: 'ToolError', message })
    expect(await resultOf(rejecting(make_), caught('tools.bad()'))).toEqual({ name: 'ToolError', message })
  })

  test('no stack, no cause, no secret', async () => {
    const options = throwing(() => {
      const error = new Error('connect failed', { cause: new Error('SECRET') })
      error.stack += '\n at /srv/app/SECRET.js'
      return Object.assign(error, { config: 'SECRET' })
    })
    const outcome = completed(
      await make(options).run(`try { await tools.bad() } catch (e) { return [e.message, 'cause' in e, 'config' in e, String(e.stack)] }`),
    )
    expect((outcome.result as unknown[]).slice(0, 3)).toEqual(['connect failed', false, false])
    expect(JSON.stringify(outcome)).not.toContain('SECRET')
  })

  test('a message is bounded, and says so', async () => {
    const { message } = (await resultOf(
      throwing(() => new Error('x'.repeat(20_000))),
      caught('tools.bad()'),
    )) as Error
    expect(message).toHaveLength(8_192)
    expect(message).toMatch(/x… \(\d+ more characters\)$/)
  })

  test('a tool that aborts or throws on its own does not abort the run', async () => {
    const code = `try { await tools.bad() } catch {} return 'goes on'`
    expect(
      await resultOf(
        rejecting(() => new DOMException('x', 'AbortError')),
        code,
      ),
    ).toBe('goes on')
  })

  test('a thenable is awaited; one that settles twice settles once; one whose `then` throws fails', async () => {
    const tools = {
      good: {
        execute: () =>
          ({
            then: (done: (value: unknown) => void) => {
              done(1)
              done(2)
            },
          }) as never,
      },
      bad: {
        execute: () =>
          ({
            get then() {
              throw new Error('no then')
            },
          }) as never,
      },
    }
    const code = `return [await tools.good(), await (async () => { ${caught('tools.bad()')} })()]`
    expect(await resultOf({ tools }, code)).toEqual([1, { name: 'ToolError', message: 'no then' }])
  })
})

describe('tool.execute', () => {
  test('resolves exactly { result, logs, toolCalls }', async () => {
    const codeMode = make({ tools: { one: { execute: () => 1 } } })
    expect(await codeMode.tool.execute({ code: `console.log('x'); return await tools.one()` })).toEqual({
      result: 1,
      logs: ['x'],
      toolCalls: 1,
    })
  })

  test('rejects with a CodeModeError whose message is the text for the model', async () => {
    const codeMode = make(throwing(() => new Error('disk full')))
    const error: unknown = await codeMode.tool
      .execute({ code: 'await tools.bad()' }, { toolCallId: 'rc' })
      .catch((thrown: unknown) => thrown)
    if (!CodeModeError.isInstance(error)) throw error
    expect(error).toBeInstanceOf(CodeModeError)
    expect(error).toMatchObject({ name: 'CodeModeError', code: 'script_error', outcome: { status: 'failed' } })
    expect(error.message).toBe(error.outcome.error.modelText)
    expect(error.outcome.calls[0]?.toolCallId).toBe('rc:1')
  })

  test('ignores what an agent framework passes beside our options', async () => {
    const codeMode = make({ tools: {} })
    const options = { toolCallId: 'call_1', messages: [], abortSignal: new AbortController().signal }
    expect(await codeMode.tool.execute({ code: 'return 1' }, options)).toMatchObject({ result: 1 })
  })
})

test.each([
  ['CodeModeError', CodeModeError],
  ['CodeModeClosedError', CodeModeClosedError],
  ['CodeModeInternalError', CodeModeInternalError],
  ['IsolationUnavailableError', IsolationUnavailableError],
  ['NotAvailableError', NotAvailableError],
  ['ApprovalNeededError', ApprovalNeededError],
  ['SignInNeededError', SignInNeededError],
])('%s is known by its brand, also from another install', (name, kind) => {
  const foreign = Object.assign(new Error('x'), { [Symbol.for(`codemode-native.${name}`)]: true })
  expect(kind.isInstance(foreign)).toBe(true)
  for (const other of [null, undefined, 'x', new Error('x'), {}]) expect(kind.isInstance(other)).toBe(false)
})

test('an ApprovalNeededError of another install is understood', async () => {
  const foreign = () => Object.assign(new Error('x'), { [Symbol.for('codemode-native.ApprovalNeededError')]: true })
  expect(await resultOf(throwing(foreign), caught('tools.bad()'))).toMatchObject({
    message: 'Tool bad started a sub-agent that needs approval; call it directly, not from run_code.',
  })
})

test("a custom name of the model's tool stands in the sentences", async () => {
  const tools: Record<string, Tool> = { pay: { needsApproval: true, execute: () => 1 } }
  expect(await resultOf({ tools, name: 'program' }, caught('tools.pay()'))).toMatchObject({
    message: 'Tool pay needs approval; call it directly, not from program.',
  })
})

test('the instance goes on after every kind of failure', async () => {
  const codeMode = make({ ...throwing(() => new Error('x')), limits: { timeoutMs: 200, maxToolCalls: 2 } })
  for (const code of [
    'await tools.bad()',
    'for (;;) try { await tools.bad() } catch {}',
    'return (',
    'throw null',
    'return 1n',
    'await new Promise(() => {})',
  ]) {
    failed(await codeMode.run(code))
    expect(completed(await codeMode.run('return 1 + 1')).result).toBe(2)
  }
})
