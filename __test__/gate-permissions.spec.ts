import { describe, expect, test } from 'vitest'
import type { PermissionRule } from '../ts/index.ts'
import { matchesGlob } from '../ts/permissions.ts'
import { caught, completed, make, recorder, resultOf } from './helpers.ts'

function files() {
  const ran: string[] = []
  const tools = {
    read_file: { readOnly: true, execute: () => (ran.push('read_file'), 'text') },
    write_file: { execute: () => (ran.push('write_file'), 'written') },
  }
  return { ran, tools }
}

describe('rules', () => {
  test('no rule means allow', async () => {
    const { tools } = files()
    expect(await resultOf({ tools }, 'return await tools.write_file()')).toBe('written')
  })

  test('the strictest matching rule wins, wherever it stands', async () => {
    const { ran, tools } = files()
    const permissions: PermissionRule[] = [
      { tool: 'write_file', action: 'allow' },
      { tool: '*_file', action: 'ask' },
      { tool: 'write*', action: 'deny', reason: 'the disk is read-only' },
      { tool: '*', action: 'allow' },
    ]
    expect(await resultOf({ tools, permissions, approve: () => 'approve' }, caught('tools.write_file()'))).toEqual({
      name: 'ToolError',
      message: 'the disk is read-only',
    })
    expect(ran).toEqual([])
  })

  test('a denial without a reason says which tool', async () => {
    const { tools } = files()
    const permissions: PermissionRule[] = [{ tool: 'write_file', action: 'deny' }]
    expect(await resultOf({ tools, permissions }, caught('tools.write_file()'))).toMatchObject({
      message: 'Tool write_file is denied by a permission rule.',
    })
  })

  test('`when` narrows a rule to arguments', async () => {
    const { ran, tools } = files()
    const permissions: PermissionRule[] = [
      { tool: 'write_file', action: 'deny', reason: 'not there', when: (input) => (input as { path: string }).path.startsWith('/etc') },
    ]
    const code = `await tools.write_file({ path: '/tmp/a' }); ${caught(`tools.write_file({ path: '/etc/a' })`)}`
    expect(await resultOf({ tools, permissions }, code)).toMatchObject({ message: 'not there' })
    expect(ran).toEqual(['write_file'])
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('host secret')
      },
    ],
    ['answers with a promise', (async () => true) as never],
  ])('a `when` that %s fails closed', async (_how, when) => {
    const { ran, tools } = files()
    const outcome = completed(
      await make({ tools, permissions: [{ tool: '*', action: 'allow', when }], onEvent: () => {} }).run(caught('tools.write_file()')),
    )
    expect(outcome.result).toMatchObject({ message: 'Tool write_file could not be run: a check of the host failed.' })
    expect(JSON.stringify(outcome)).not.toContain('host secret')
    expect(ran).toEqual([])
  })

  test('rules judge the arguments that a hook put in place', async () => {
    const { ran, tools } = files()
    const permissions: PermissionRule[] = [{ tool: '*', action: 'deny', when: (input) => (input as { path: string }).path === 'b' }]
    const hooks = { preToolCall: () => ({ input: { path: 'b' } }) }
    expect(await resultOf({ tools, permissions, hooks }, caught(`tools.write_file({ path: 'a' })`))).toMatchObject({ name: 'ToolError' })
    expect(ran).toEqual([])
  })

  test('changing the list of rules afterwards changes nothing', async () => {
    const { tools } = files()
    const permissions: PermissionRule[] = [{ tool: 'write_file', action: 'deny' }]
    const codeMode = make({ tools, permissions })
    permissions.length = 0
    expect(completed(await codeMode.run(caught('tools.write_file()'))).result).toMatchObject({ name: 'ToolError' })
  })
})

describe('modes', () => {
  test('plan lets read-only tools run and denies every other one', async () => {
    const { ran, tools } = files()
    const code = `const text = await tools.read_file(); try { await tools.write_file() } catch (e) { return [text, e.name, e.message] }`
    expect(await resultOf({ tools, mode: 'plan', approve: () => 'approve' }, code)).toEqual(['text', 'ToolError', 'denied by plan mode'])
    expect(ran).toEqual(['read_file'])
  })

  test('an allow rule does not open plan mode', async () => {
    const { ran, tools } = files()
    const permissions: PermissionRule[] = [{ tool: '*', action: 'allow' }]
    expect(await resultOf({ tools, mode: 'plan', permissions }, caught('tools.write_file()'))).toMatchObject({
      message: 'denied by plan mode',
    })
    expect(ran).toEqual([])
  })

  test('bypass asks nobody, but what a rule denies stays denied', async () => {
    let asked = 0
    const { ran, tools } = files()
    const permissions: PermissionRule[] = [
      { tool: 'write_file', action: 'ask' },
      { tool: 'read_file', action: 'deny' },
    ]
    const code = `const done = await tools.write_file(); try { await tools.read_file() } catch (e) { return [done, e.message] }`
    const result = await resultOf({ tools, permissions, mode: 'bypass', approve: () => (asked++, 'deny') }, code)
    expect(result).toEqual(['written', 'Tool read_file is denied by a permission rule.'])
    expect([asked, ran]).toEqual([0, ['write_file']])
  })
})

test('each decision is an event with the action and its reason', async () => {
  const { tools } = files()
  const seen = recorder()
  const permissions: PermissionRule[] = [{ tool: 'write_file', action: 'ask', reason: 'writes' }]
  const codeMode = make({ tools, permissions, approve: () => ({ deny: 'not today' }), onEvent: seen.onEvent })
  await codeMode.run('await tools.read_file(); try { await tools.write_file() } catch {}', { toolCallId: 'rc' })
  expect(seen.of('permission.decision')).toEqual([
    {
      type: 'permission.decision',
      toolCallId: 'rc:1',
      parentToolCallId: 'rc',
      toolName: 'read_file',
      action: 'allow',
      reason: 'no rule matches',
    },
    { type: 'permission.decision', toolCallId: 'rc:2', parentToolCallId: 'rc', toolName: 'write_file', action: 'ask', reason: 'writes' },
    {
      type: 'permission.decision',
      toolCallId: 'rc:2',
      parentToolCallId: 'rc',
      toolName: 'write_file',
      action: 'deny',
      reason: 'not today',
    },
  ])
})

test.each([
  ['*', 'anything', true],
  ['get_*', 'get_price', true],
  ['get_*', 'forget_price', false],
  ['*_file', 'read_file', true],
  ['a*b*c', 'a-b-c', true],
  ['a*b*c', 'acb', false],
  ['aa*aa', 'aaa', false],
  ['a*', 'a', true],
  ['a.b', 'axb', false],
  ['[a]*', 'a', false],
  ['**', '', true],
  ['*ab*b', 'ab', false],
])('the glob %s and the name %s: %s', (glob, name, expected) => {
  expect(matchesGlob(glob, name)).toBe(expected)
})
