import { describe, expect, test } from 'vitest'
import type { CodeModeOptions } from '../ts/index.ts'
import { completed, make, objectOf } from './helpers.ts'

/** Every step of the gate as a spy that writes its name down. */
function spied(seen: string[], over: Partial<CodeModeOptions> = {}): CodeModeOptions {
  const standard = {
    '~standard': {
      version: 1 as const,
      vendor: 'spy',
      validate: (value: unknown) => (seen.push('validate'), { value }),
      jsonSchema: { input: () => objectOf({ n: { type: 'number' } }), output: () => ({}) },
    },
  }
  return {
    tools: {
      spy: {
        inputSchema: standard,
        needsApproval: () => (seen.push('needsApproval'), true),
        async execute(_input: unknown, context) {
          seen.push('execute')
          return `token ${await context.getToken('mail')}`
        },
      },
    },
    getToken: () => 'secret-token',
    hooks: {
      preToolCall: () => (seen.push('preToolCall'), { input: { n: 2 } }),
      postToolCall: ({ result }) => void seen.push(`postToolCall ${String(result)}`),
    },
    permissions: [{ tool: 'spy', action: 'ask', when: () => (seen.push('permission'), true) }],
    guardrails: [() => void seen.push('guardrail 1'), async () => void seen.push('guardrail 2')],
    approve: () => (seen.push('approve'), 'approve'),
    ...over,
  }
}

describe('the order of the gate', () => {
  test('every step runs once, in the documented order', async () => {
    const seen: string[] = []
    const outcome = completed(await make(spied(seen)).run('return await tools.spy({ n: 1 })'))
    expect(seen).toEqual([
      'validate',
      'preToolCall',
      'validate',
      'permission',
      'guardrail 1',
      'guardrail 2',
      'needsApproval',
      'approve',
      'execute',
      'postToolCall token [redacted]',
    ])
    expect(outcome.result).toBe('token [redacted]')
  })

  test.each([
    ['preToolCall', { hooks: { preToolCall: () => ({ deny: 'no' }) } }, ['validate']],
    ['permission', { permissions: [{ tool: '*', action: 'deny' as const }] }, ['validate', 'preToolCall', 'validate']],
    ['guardrail', { guardrails: [() => ({ block: 'no' })] }, ['validate', 'preToolCall', 'validate', 'permission']],
    [
      'approval',
      { approve: () => 'deny' as const },
      ['validate', 'preToolCall', 'validate', 'permission', 'guardrail 1', 'guardrail 2', 'needsApproval'],
    ],
  ])('a refusal at the step %s ends the call there', async (_step, over, expected) => {
    const seen: string[] = []
    await make(spied(seen, over)).run('try { await tools.spy({ n: 1 }) } catch {}')
    expect(seen).toEqual(expected)
  })

  test('asynchronous steps keep the order of each call and let calls pass each other', async () => {
    const seen: string[] = []
    const codeMode = make({
      tools: { add: { execute: ({ n }: { n: number }) => (seen.push(`execute ${n}`), n) } },
      hooks: {
        async preToolCall(call) {
          const { n } = call.input as { n: number }
          seen.push(`pre ${n}`)
          if (n === 1) await new Promise((done) => setTimeout(done, 30))
        },
      },
    })
    const outcome = completed(await codeMode.run('return await Promise.all([1, 2].map((n) => tools.add({ n })))'))
    expect(outcome.result).toEqual([1, 2])
    expect(seen).toEqual(['pre 1', 'pre 2', 'execute 2', 'execute 1'])
  })

  test('a call whose run ended while a check was pending never reaches the tool', async () => {
    let entered = 0
    let release!: () => void
    const codeMode = make({
      tools: { late: { execute: () => entered++ } },
      hooks: { preToolCall: () => new Promise<void>((done) => (release = done)) },
    })
    const outcome = completed(await codeMode.run('tools.late({}); return 1'))
    release()
    await new Promise((done) => setTimeout(done, 20))
    expect(entered).toBe(0)
    expect(outcome.calls.map((call) => call.status)).toEqual(['cancelled'])
  })
})
