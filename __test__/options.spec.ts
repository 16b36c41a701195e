import { describe, expect, test, vi } from 'vitest'
import { createCodeMode, type CodeModeOptions } from '../ts/index.ts'
import { completed, echo, failed, make } from './helpers.ts'

const base = { tools: { echo } }
const create = (over: Record<string, unknown>) => () => createCodeMode({ ...base, ...over } as CodeModeOptions)

describe('wrong options are refused with their path and value', () => {
  test.each<[Record<string, unknown>, string, 'TypeError' | 'RangeError']>([
    [{ limits: { timeoutMs: -5 } }, 'Expected `limits.timeoutMs` to be an integer from 1 to 2147483647, got `-5` (number)', 'RangeError'],
    [{ limits: { timeoutMs: '5' } }, 'Expected `limits.timeoutMs` to be an integer from 1 to 2147483647, got `"5"` (string)', 'TypeError'],
    [
      { limits: { timeoutMs: Infinity } },
      'Expected `limits.timeoutMs` to be an integer from 1 to 2147483647, got `Infinity` (number)',
      'RangeError',
    ],
    [
      { limits: { maxToolCalls: 1.5 } },
      'Expected `limits.maxToolCalls` to be an integer from 0 to 2147483647, got `1.5` (number)',
      'RangeError',
    ],
    [
      { limits: { memoryLimitBytes: 1_048_575 } },
      'Expected `limits.memoryLimitBytes` to be an integer from 1048576 to 1099511627776, got `1048575` (number)',
      'RangeError',
    ],
    [{ limits: [] }, 'Expected `limits` to be an object, got an array', 'TypeError'],
    [{ limits: { timeout: 5 } }, 'Unknown option `limits.timeout`. Known here: timeoutMs, cpuTimeoutMs,', 'TypeError'],
    [{ permission: [] }, 'Unknown option `permission`. Known here: tools,', 'TypeError'],
    [{ tools: null }, 'Expected `tools` to be an object or an array of tools, got `null`', 'TypeError'],
    [{ tools: { a: 5 } }, 'Expected `tools.a` to be an object, got `5` (number)', 'TypeError'],
    [{ tools: { a: {} } }, 'Expected `tools.a.execute` to be a function, got `undefined`', 'TypeError'],
    [{ tools: [echo] }, 'Expected `tools[0].name` to be a non-empty string, got `undefined`', 'TypeError'],
    [
      {
        tools: [
          { ...echo, name: 'a' },
          { ...echo, name: 'a' },
        ],
      },
      'Expected `tools[1].name` to be a name no other tool has, got `"a"` (string)',
      'RangeError',
    ],
    [
      { tools: { a: { ...echo, inputSchema: 5 } } },
      'Expected `tools.a.inputSchema` to be a Standard Schema, an AI SDK schema or a JSON Schema, got `5` (number)',
      'TypeError',
    ],
    [
      { tools: { a: { ...echo, timeoutMs: 0 } } },
      'Expected `tools.a.timeoutMs` to be an integer from 1 to 2147483647, got `0` (number)',
      'RangeError',
    ],
    [
      { tools: { a: { ...echo, maxConcurrency: 0 } } },
      'Expected `tools.a.maxConcurrency` to be an integer from 1 to 2147483647, got `0` (number)',
      'RangeError',
    ],
    [
      { tools: { a: { ...echo, needsApproval: 'yes' } } },
      'Expected `tools.a.needsApproval` to be a function, got `"yes"` (string)',
      'TypeError',
    ],
    [{ tools: { a: { ...echo, readOnly: 1 } } }, 'Expected `tools.a.readOnly` to be a boolean, got `1` (number)', 'TypeError'],
    [{ tools: { a: { ...echo, description: 1 } } }, 'Expected `tools.a.description` to be a string, got `1` (number)', 'TypeError'],
    [{ tools: { run_code: echo } }, 'Expected `tools` to be tools not named `run_code`, got `"run_code"` (string)', 'RangeError'],
    [{ allow: ['run_code'] }, 'Expected `allow` to be names other than `run_code`, got `"run_code"` (string)', 'RangeError'],
    [
      { engine: { language: 'x', instructions() {}, openSession() {} }, features: [] },
      'Expected `features` to be left out where `engine` is given',
      'TypeError',
    ],
    [{ engine: { language: 'python' } }, 'Expected `engine.instructions` to be a function, got `undefined`', 'TypeError'],
    [{ allow: 'echo' }, 'Expected `allow` to be an array, got `"echo"` (string)', 'TypeError'],
    [{ except: [5] }, 'Expected `except[0]` to be a non-empty string, got `5` (number)', 'TypeError'],
    [{ exclusive: 'yes' }, 'Expected `exclusive` to be a boolean, got `"yes"` (string)', 'TypeError'],
    [{ isolation: 'vm' }, 'Expected `isolation` to be one of `thread`, `process`, got `"vm"` (string)', 'RangeError'],
    [{ mode: 'yolo' }, 'Expected `mode` to be one of `default`, `plan`, `bypass`, got `"yolo"` (string)', 'RangeError'],
    [{ hooks: { preToolCall: 1 } }, 'Expected `hooks.preToolCall` to be a function, got `1` (number)', 'TypeError'],
    [{ guardrails: [1] }, 'Expected `guardrails[0]` to be a function, got `1` (number)', 'TypeError'],
    [
      { permissions: [{ tool: '', action: 'deny' }] },
      'Expected `permissions[0].tool` to be a non-empty string, got `""` (string)',
      'TypeError',
    ],
    [
      { permissions: [{ tool: '*', action: 'block' }] },
      'Expected `permissions[0].action` to be one of `deny`, `ask`, `allow`, got `"block"` (string)',
      'RangeError',
    ],
    [
      { permissions: [{ tool: '*', action: 'deny', when: true }] },
      'Expected `permissions[0].when` to be a function, got `true` (boolean)',
      'TypeError',
    ],
    [{ approve: true }, 'Expected `approve` to be a function, got `true` (boolean)', 'TypeError'],
    [{ getToken: 'x' }, 'Expected `getToken` to be a function, got `"x"` (string)', 'TypeError'],
    [{ onEvent: {} }, 'Expected `onEvent` to be a function, got an object', 'TypeError'],
    [{ telemetry: 1 }, 'Expected `telemetry` to be a boolean or an object, got `1` (number)', 'TypeError'],
    [{ telemetry: { recordContent: 1 } }, 'Expected `telemetry.recordContent` to be a boolean, got `1` (number)', 'TypeError'],
    [{ features: ['eval'] }, 'Expected `features[0]` to be one of `typedArrays`, `weakRefs`, got `"eval"` (string)', 'RangeError'],
    [{ name: 'run code' }, 'Expected `name` to be 1 to 64 letters, digits, `_` and `-`, got `"run code"` (string)', 'RangeError'],
    [
      { catalog: { budgetTokens: -1 } },
      'Expected `catalog.budgetTokens` to be an integer from 0 to 2147483647, got `-1` (number)',
      'RangeError',
    ],
  ])('%j', (over, message, name) => {
    let error: unknown
    try {
      create(over)()
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(name === 'TypeError' ? TypeError : RangeError)
    expect((error as Error).message.startsWith(message), (error as Error).message).toBe(true)
  })

  test('a schema that cannot be copied is named', () => {
    const cyclic: Record<string, unknown> = { type: 'object' }
    cyclic['self'] = cyclic
    expect(create({ tools: { a: { ...echo, inputSchema: cyclic } } })).toThrow(
      'Expected `tools.a.inputSchema` to be JSON, it cannot be copied',
    )
  })

  test('options that are no object', () => {
    expect(() => createCodeMode(undefined as never)).toThrow(new TypeError('Expected `options` to be an object, got `undefined`'))
  })

  test('every limit has its least value; the engine agrees', () => {
    const limits = {
      timeoutMs: 1,
      cpuTimeoutMs: 1,
      toolTimeoutMs: 1,
      approvalTimeoutMs: 1,
      memoryLimitBytes: 1_048_576,
      stackLimitBytes: 131_072,
      maxToolCalls: 0,
      toolConcurrency: 1,
      maxOutputChars: 1,
      maxSourceChars: 1,
      maxToolArgChars: 2,
      abortGraceMs: 0,
      maxToolResultBytes: 1,
    }
    make({ ...base, limits })
    for (const name of Object.keys(limits) as (keyof typeof limits)[])
      expect(create({ limits: { [name]: limits[name] - 1 } }), name).toThrow(RangeError)
  })

  test('every limit has its greatest value; the engine agrees', () => {
    const timer = 2_147_483_647
    const limits = {
      timeoutMs: timer,
      cpuTimeoutMs: timer,
      toolTimeoutMs: timer,
      approvalTimeoutMs: timer,
      memoryLimitBytes: 2 ** 40,
      stackLimitBytes: 8_388_608,
      maxToolCalls: timer,
      toolConcurrency: timer,
      maxOutputChars: timer,
      maxSourceChars: timer,
      maxToolArgChars: timer,
      abortGraceMs: timer,
      maxToolResultBytes: Number.MAX_SAFE_INTEGER,
    }
    make({ ...base, limits })
    for (const name of Object.keys(limits) as (keyof typeof limits)[])
      expect(create({ limits: { [name]: limits[name] + 1 } }), name).toThrow(RangeError)
  })
})

describe('maxLiveRuns', () => {
  test('as many run at one time, one more is overloaded and calls nothing, later ones run again', async () => {
    const open: (() => void)[] = []
    const gate = { execute: () => new Promise<void>((done) => open.push(done)) }
    const codeMode = make({ tools: { gate }, maxLiveRuns: 2 })
    const live = [codeMode.run('await tools.gate({}); return 1'), codeMode.run('await tools.gate({}); return 2')]
    const refused = failed(await codeMode.run('await tools.gate({}); return 3'))
    expect(refused.error).toMatchObject({
      code: 'overloaded',
      message: '2 programs are live, as many as maxLiveRuns allows; try again later',
    })
    expect(refused.toolCalls).toBe(0)
    await vi.waitFor(() => expect(open).toHaveLength(2))
    expect(codeMode.diagnostics().liveRuns).toBe(2)
    open.splice(0).forEach((done) => done())
    expect((await Promise.all(live)).map((outcome) => completed(outcome).result)).toEqual([1, 2])
    completed(await codeMode.run('return 4'))
  })
  test.each([[0], [1.5], ['2']])('%j is refused', (maxLiveRuns) => {
    expect(create({ maxLiveRuns })).toThrow('`maxLiveRuns` to be an integer from 1 to 2147483647')
  })
})

describe('the defaults, spelled out', () => {
  test('thread isolation and the native dialect', async () => {
    completed(await make({ ...base, isolation: 'thread', dialect: 'native' }).run('return 1'))
  })
})

describe('misuse of a run', () => {
  test.each<[unknown, unknown, string]>([
    [5, undefined, 'Expected `code` to be a string, got `5` (number)'],
    ['return 1', 5, 'Expected `options` to be an object, got `5` (number)'],
    ['return 1', { toolCallId: '' }, 'Expected `options.toolCallId` to be a non-empty string, got `""` (string)'],
    ['return 1', { abortSignal: {} }, 'Expected `options.abortSignal` to be an AbortSignal, got an object'],
    [
      'return 1',
      { limits: { timeoutMs: 0 } },
      'Expected `options.limits.timeoutMs` to be an integer from 1 to 2147483647, got `0` (number)',
    ],
    ['return 1', { onEvent: 1 }, 'Expected `options.onEvent` to be a function, got `1` (number)'],
  ])('run(%j, %j) rejects', async (code, options, message) => {
    const codeMode = make(base)
    await expect(codeMode.run(code as string, options as never)).rejects.toThrow(message)
    expect(() => codeMode.start(code as string, options as never)).toThrow(message)
    expect(codeMode.diagnostics()).toMatchObject({ liveRuns: 0 })
  })

  test('tool.execute refuses an input without code', async () => {
    const codeMode = make(base)
    await expect(codeMode.tool.execute({} as never)).rejects.toThrow('Expected `input.code` to be a string, got `undefined`')
    await expect(codeMode.tool.execute(undefined as never)).rejects.toThrow('Expected `input` to be an object, got `undefined`')
  })
})

describe('allow, except, exclusive', () => {
  const tools = { a: { execute: () => 'a' }, b: { execute: () => 'b' }, c: { execute: () => 'c' } }
  const names = 'return Object.keys(tools).sort()'
  const inScripts = async (over: Partial<CodeModeOptions>) => completed(await make({ tools, ...over }).run(names)).result

  test('scripts find every tool, those of `allow`, all but `except`', async () => {
    expect(await inScripts({})).toEqual(['a', 'b', 'c'])
    expect(await inScripts({ allow: ['a', 'nobody'] })).toEqual(['a'])
    expect(await inScripts({ except: ['b'] })).toEqual(['a', 'c'])
    expect(await inScripts({ allow: ['a', 'b'], except: ['b'] })).toEqual(['a'])
  })

  test('the model finds its tool and the tools themselves; with `exclusive` only those scripts cannot call', () => {
    expect(Object.keys(make({ tools }).modelTools)).toEqual(['run_code', 'a', 'b', 'c'])
    expect(Object.keys(make({ tools, exclusive: true }).modelTools)).toEqual(['run_code'])
    expect(Object.keys(make({ tools, exclusive: true, except: ['b'] }).modelTools)).toEqual(['run_code', 'b'])
    const codeMode = make({ tools, name: 'program' })
    expect(codeMode.modelTools['program']).toBe(codeMode.tool)
    expect(codeMode.modelTools['a']).toBe(tools.a)
  })

  test('a tool kept out of scripts needs no `execute`', () => {
    const ask = { description: 'answered by the user' }
    expect(make({ tools: { ...tools, ask: ask as never }, except: ['ask'] }).modelTools['ask']).toBe(ask)
  })

  test('a list of tools and a record of tools are the same', async () => {
    const list = Object.entries(tools).map(([name, tool]) => ({ name, ...tool }))
    expect(completed(await make({ tools: list }).run('return [await tools.a(), await tools.c()]')).result).toEqual(['a', 'c'])
  })

  test('definitions are read once: a getter has no second say, `this` stays the definition', async () => {
    let reads = 0
    const definition = {
      value: 5,
      get execute() {
        reads++
        return function (this: { value: number }) {
          return this.value
        }
      },
    }
    const codeMode = make({ tools: { own: definition as never } })
    expect(completed(await codeMode.run('return [await tools.own(), await tools.own()]')).result).toEqual([5, 5])
    expect(reads).toBe(1)
  })
})

describe('limits of one run', () => {
  test('those given win, the others stay', async () => {
    const codeMode = make({ ...base, limits: { maxToolCalls: 1, maxOutputChars: 50 } })
    const code = `await tools.echo(); await tools.echo(); return 'x'.repeat(40)`
    expect(await codeMode.run(code)).toMatchObject({ error: { code: 'tool_call_limit' } })
    expect(await codeMode.run(code, { limits: { maxToolCalls: 2 } })).toMatchObject({ status: 'completed' })
    expect(await codeMode.run(code, { limits: { maxToolCalls: 2, maxOutputChars: 10 } })).toMatchObject({ error: { code: 'output_limit' } })
    expect(await codeMode.run(code)).toMatchObject({ error: { code: 'tool_call_limit' } })
  })
})
