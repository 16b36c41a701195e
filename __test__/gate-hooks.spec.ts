import { describe, expect, test } from 'vitest'
import type { Hooks, ToolCall } from '../ts/index.ts'
import { caught, completed, make, objectOf, recorder, resultOf } from './helpers.ts'

function shell() {
  const ran: unknown[] = []
  const tools = {
    shell: { inputSchema: objectOf({ cmd: { type: 'string' } }), execute: ({ cmd }: { cmd: string }) => (ran.push(cmd), `ran ${cmd}`) },
  }
  return { ran, tools }
}
const fixed = { name: 'ToolError', message: 'Tool shell could not be run: a check of the host failed.' }

describe('preToolCall', () => {
  test('a denial throws in the script with exactly its reason', async () => {
    const { ran, tools } = shell()
    const hooks: Hooks = { preToolCall: () => ({ deny: 'blocked by policy 7' }) }
    const outcome = completed(await make({ tools, hooks }).run(caught(`tools.shell({ cmd: 'x' })`)))
    expect(outcome.result).toEqual({ name: 'ToolError', message: 'blocked by policy 7' })
    expect(outcome.calls[0]).toMatchObject({ status: 'denied', error: 'blocked by policy 7' })
    expect(ran).toEqual([])
  })

  test('new arguments reach the tool; the record keeps what the script gave', async () => {
    const { ran, tools } = shell()
    const hooks: Hooks = { preToolCall: async () => ({ input: { cmd: 'safe' } }) }
    const outcome = completed(await make({ tools, hooks }).run(`return await tools.shell({ cmd: 'x' })`))
    expect(outcome.result).toBe('ran safe')
    expect(ran).toEqual(['safe'])
    expect(outcome.calls[0]?.input).toEqual({ cmd: 'x' })
  })

  test('new arguments are validated again', async () => {
    const { ran, tools } = shell()
    const hooks: Hooks = { preToolCall: () => ({ input: { cmd: 5 } }) }
    const result = await resultOf({ tools, hooks }, caught(`tools.shell({ cmd: 'x' })`))
    expect((result as Error).message).toMatch(/^Invalid arguments for tool shell: .*cmd/s)
    expect(ran).toEqual([])
  })

  test.each<[string, Hooks['preToolCall']]>([
    [
      'throws',
      () => {
        throw new Error('host secret')
      },
    ],
    ['rejects', () => Promise.reject(new Error('host secret'))],
    ['answers nonsense', () => 'yes' as never],
    ['denies with no text', () => ({ deny: true }) as never],
    ['gives arguments that are not JSON', () => ({ input: (() => 1) as never })],
  ])('one that %s fails closed with a fixed sentence', async (_how, preToolCall) => {
    const { ran, tools } = shell()
    const seen = recorder()
    const outcome = completed(await make({ tools, hooks: { preToolCall }, onEvent: seen.onEvent }).run(caught(`tools.shell({ cmd: 'x' })`)))
    expect(outcome.result).toEqual(fixed)
    expect(ran).toEqual([])
    expect(JSON.stringify(outcome)).not.toContain('host secret')
    const [event] = seen.of('tool.error')
    expect(event?.error.startsWith(`${fixed.message} (`)).toBe(true)
  })

  test("the host's own error reaches the event", async () => {
    const { tools } = shell()
    const seen = recorder()
    const hooks: Hooks = {
      preToolCall: () => {
        throw new TypeError('no such user')
      },
    }
    await make({ tools, hooks, onEvent: seen.onEvent }).run(caught(`tools.shell({ cmd: 'x' })`))
    expect(seen.of('tool.error')[0]?.error).toBe(`${fixed.message} (TypeError: no such user)`)
  })

  test('it sees the call, and cannot change it behind the back of validation', async () => {
    const { ran, tools } = shell()
    const calls: ToolCall[] = []
    const hooks: Hooks = {
      preToolCall(call) {
        calls.push(call)
        expect(() => {
          ;(call.input as { cmd: string }).cmd = 'evil'
        }).toThrow(TypeError)
      },
    }
    const context = { user: 'u1' }
    await make({ tools, hooks }).run(`await tools.shell({ cmd: 'x' })`, { toolCallId: 'rc', context })
    expect(calls).toEqual([{ toolCallId: 'rc:1', parentToolCallId: 'rc', toolName: 'shell', input: { cmd: 'x' }, context }])
    expect(calls[0]?.context).toBe(context)
    expect(ran).toEqual(['x'])
  })

  test('no trick of naming or concurrency gets around it', async () => {
    const { ran, tools } = shell()
    const hooks: Hooks = { preToolCall: () => ({ deny: 'no' }) }
    const code = `
      const direct = tools.shell, { shell } = tools, bound = tools['sh' + 'ell'].bind(null)
      const tries = [direct, shell, bound, (...a) => Reflect.apply(tools.shell, tools, a)].flatMap((f) => [f({ cmd: 'a' }), f({ cmd: 'b' })])
      return (await Promise.allSettled(tries)).map((t) => t.reason?.message)`
    expect(await resultOf({ tools, hooks }, code)).toEqual(Array(8).fill('no'))
    expect(ran).toEqual([])
  })
})

describe('postToolCall', () => {
  test('replaces the result; the script gets exactly what it gave', async () => {
    const { tools } = shell()
    const hooks: Hooks = { postToolCall: ({ result }) => ({ result: { was: result, extra: [1, null] } }) }
    expect(await resultOf({ tools, hooks }, `return await tools.shell({ cmd: 'x' })`)).toEqual({ was: 'ran x', extra: [1, null] })
  })

  test('one that gives nothing leaves the result', async () => {
    const { tools } = shell()
    expect(await resultOf({ tools, hooks: { postToolCall: () => undefined } }, `return await tools.shell({ cmd: 'x' })`)).toBe('ran x')
  })

  test.each<[string, Hooks['postToolCall']]>([
    [
      'throws',
      () => {
        throw new Error('host secret')
      },
    ],
    ['rejects', () => Promise.reject(new Error('host secret'))],
    ['answers nonsense', () => ({ other: 1 }) as never],
    ['gives a result that is not JSON', () => ({ result: 1n as never })],
  ])('one that %s withholds the result and says that the tool ran', async (_how, postToolCall) => {
    const { ran, tools } = shell()
    const outcome = completed(await make({ tools, hooks: { postToolCall }, onEvent: () => {} }).run(caught(`tools.shell({ cmd: 'x' })`)))
    expect(outcome.result).toEqual({
      name: 'ToolError',
      message: 'Tool shell ran, but its result could not be passed on: a check of the host failed.',
    })
    expect(ran).toEqual(['x'])
    expect(JSON.stringify(outcome)).not.toContain('host secret')
  })
})
