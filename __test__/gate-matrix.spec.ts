// Every combination of rule, mode, needsApproval and answer, against a table written by hand from docs/gate.md.
import { describe, expect, test } from 'vitest'
import type { ApprovalDecision, PermissionMode } from '../ts/index.ts'
import { caught, make, resultOf } from './helpers.ts'

const rules = ['none', 'allow', 'ask', 'deny'] as const
const modes: PermissionMode[] = ['default', 'plan', 'bypass']
const answers = ['no callback', 'approve', 'deny', 'reason', 'pause', 'throws'] as const

type Rule = (typeof rules)[number]
type Answer = (typeof answers)[number]

const messages = {
  ran: undefined,
  rule: 'Tool act is denied by a permission rule.',
  plan: 'denied by plan mode',
  unasked: 'Tool act needs approval; call it directly, not from run_code.',
  deny: 'Tool act was not approved.',
  reason: 'not now',
  fault: 'Tool act could not be run: a check of the host failed.',
}

/** What asking comes to, by answer. */
const asked: Record<Answer, keyof typeof messages> = {
  'no callback': 'unasked',
  approve: 'ran',
  deny: 'deny',
  reason: 'reason',
  pause: 'fault',
  throws: 'fault',
}

function expected(rule: Rule, mode: PermissionMode, readOnly: boolean, needs: boolean, answer: Answer): keyof typeof messages {
  if (rule === 'deny') return 'rule'
  if (mode === 'plan' && !readOnly) return 'plan'
  if (mode === 'bypass') return 'ran'
  return needs || rule === 'ask' ? asked[answer] : 'ran'
}

function approveWith(answer: Answer): { approve?: () => ApprovalDecision } {
  if (answer === 'no callback') return {}
  return {
    approve() {
      if (answer === 'throws') throw new Error('host')
      return answer === 'reason' ? { deny: 'not now' } : answer
    },
  }
}

describe.each(modes)('mode %s', (mode) => {
  describe.each(rules)('rule %s', (rule) => {
    for (const readOnly of [false, true])
      for (const needs of [false, true])
        for (const answer of answers)
          test(`readOnly ${readOnly}, needsApproval ${needs}, answer ${answer}`, async () => {
            let entered = 0
            const result = await resultOf(
              {
                tools: { act: { readOnly, needsApproval: needs, execute: () => (entered++, 'done') } },
                mode,
                permissions: rule === 'none' ? [] : [{ tool: 'act', action: rule }],
                onEvent: () => {},
                ...approveWith(answer),
              },
              caught('tools.act({})'),
            )
            const message = messages[expected(rule, mode, readOnly, needs, answer)]
            expect(result).toEqual(message === undefined ? { value: 'done' } : { name: 'ToolError', message })
            expect(entered).toBe(message === undefined ? 1 : 0)
          })
  })
})

test('a refused call can be made again and is judged again', async () => {
  let open = false
  const codeMode = make({ tools: { act: { execute: () => 'done' } }, permissions: [{ tool: 'act', action: 'deny', when: () => !open }] })
  expect((await codeMode.run('return await tools.act({})')).status).toBe('failed')
  open = true
  expect((await codeMode.run('return await tools.act({})')).status).toBe('completed')
})
