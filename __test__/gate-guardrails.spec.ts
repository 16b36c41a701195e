import { describe, expect, test } from 'vitest'
import type { Guardrail } from '../ts/index.ts'
import { caught, completed, echo, failed, make, recorder } from './helpers.ts'

const blocks: Guardrail = ({ input }) => ((input as { bad?: boolean }).bad ? { block: 'leaks a secret' } : undefined)

describe('a guardrail that blocks', () => {
  test.each([
    ['catch', 'try { await tools.echo({ bad: true }) } catch {} return 1'],
    ['finally', 'try { await tools.echo({ bad: true }) } finally { return 1 }'],
    ['allSettled', 'await Promise.allSettled([tools.echo({ bad: true })]); return 1'],
    ['a second call', 'try { await tools.echo({ bad: true }) } catch { return await tools.echo({}) }'],
  ])('ends the run as guardrail; %s does not help', async (_how, code) => {
    const outcome = failed(await make({ tools: { echo }, guardrails: [blocks] }).run(code))
    expect(outcome.error).toMatchObject({ code: 'guardrail', message: 'A guardrail stopped the run: leaks a secret' })
    expect(outcome.calls[0]).toMatchObject({ status: 'denied' })
  })

  test('aborts the other calls and never enters the blocked tool', async () => {
    const seen = recorder()
    let aborted = false
    const ran: unknown[] = []
    const tools = {
      slow: {
        execute: (_input: unknown, { abortSignal }: { abortSignal: AbortSignal }) =>
          new Promise((_done, fail) => {
            abortSignal.addEventListener('abort', () => {
              aborted = true
              fail(new Error('aborted'))
            })
          }),
      },
      echo: { execute: (input: unknown) => ran.push(input) },
    }
    const codeMode = make({ tools, guardrails: [blocks], onEvent: seen.onEvent })
    const outcome = failed(await codeMode.run('await Promise.all([tools.slow({}), tools.echo({ bad: true })])'))
    expect(outcome.error.code).toBe('guardrail')
    expect(aborted).toBe(true)
    expect(ran).toEqual([])
    expect(outcome.calls.map((call) => call.status)).toEqual(['cancelled', 'denied'])
    expect(seen.types().at(-1)).toBe('run.done')
    expect(seen.of('tool.error')).toHaveLength(2)
  })

  test('asynchronous ones are awaited, in order, up to the first that blocks', async () => {
    const seen: string[] = []
    const guardrails: Guardrail[] = [
      async () => void seen.push('first'),
      () => void seen.push('second'),
      async () => (seen.push('third'), { block: 'stop' }),
      () => void seen.push('fourth'),
    ]
    const outcome = failed(await make({ tools: { echo }, guardrails }).run('await tools.echo({})'))
    expect(outcome.error.code).toBe('guardrail')
    expect(seen).toEqual(['first', 'second', 'third'])
  })
})

test('guardrails that say nothing let the call through', async () => {
  const outcome = completed(await make({ tools: { echo }, guardrails: [blocks, async () => {}] }).run('return await tools.echo({ a: 1 })'))
  expect(outcome.result).toEqual({ a: 1 })
})

test.each<[string, Guardrail]>([
  [
    'throws',
    () => {
      throw new Error('host secret')
    },
  ],
  ['rejects', () => Promise.reject(new Error('host secret'))],
  ['answers nonsense', () => true as never],
])('one that %s fails the call closed; the run goes on', async (_how, guardrail) => {
  let entered = 0
  const codeMode = make({ tools: { echo: { execute: () => entered++ } }, guardrails: [guardrail], onEvent: () => {} })
  const outcome = completed(await codeMode.run(caught('tools.echo({})')))
  expect(outcome.result).toEqual({ name: 'ToolError', message: 'Tool echo could not be run: a check of the host failed.' })
  expect(entered).toBe(0)
  expect(JSON.stringify(outcome)).not.toContain('host secret')
})
