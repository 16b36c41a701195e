import { describe, expect, test } from 'vitest'
import { ApprovalNeededError, SignInNeededError, type ApprovalDecision, type CodeModeOptions, type ToolCall } from '../ts/index.ts'
import { caught, completed, failed, make, recorder, resultOf, sleep } from './helpers.ts'

async function yesAfter(ms: number): Promise<ApprovalDecision> {
  await sleep(ms)
  return 'approve'
}
const fails = (error: () => Error) => (): never => {
  throw error()
}

function paying(over: Partial<CodeModeOptions> = {}): CodeModeOptions & { paid: unknown[] } {
  const paid: unknown[] = []
  const execute = (input: unknown) => (paid.push(input), 'paid')
  return { tools: { pay: { needsApproval: true, execute }, look: { execute: () => 'seen' } }, paid, ...over }
}
function create({ paid, ...options }: ReturnType<typeof paying>) {
  return { paid, codeMode: make(options) }
}

describe('without `approve`', () => {
  test.each<[string, Partial<CodeModeOptions>]>([
    ['needsApproval', {}],
    ['a function that needs it', { tools: { pay: { needsApproval: () => true, execute: () => 'paid' } } }],
    ['an ask rule', { tools: { pay: { execute: () => 'paid' } }, permissions: [{ tool: 'pay', action: 'ask' as const }] }],
  ])('%s gives the sentence, exactly', async (_why, over) => {
    const { codeMode, paid } = create(paying(over))
    const outcome = completed(await codeMode.run(caught('tools.pay({})')))
    expect(outcome.result).toEqual({ name: 'ToolError', message: 'Tool pay needs approval; call it directly, not from run_code.' })
    expect(outcome.calls[0]?.status).toBe('denied')
    expect(paid).toEqual([])
  })

  test('sub-agents and sign-ins have theirs', async () => {
    const tools = {
      task: { execute: fails(() => new ApprovalNeededError()) },
      mail: { execute: () => Promise.reject(new SignInNeededError('google')) },
    }
    const code = `const seen = []; for (const f of [tools.task, tools.mail]) try { await f() } catch (e) { seen.push(e.message) } return seen`
    expect(await resultOf({ tools }, code)).toEqual([
      'Tool task started a sub-agent that needs approval; call it directly, not from run_code.',
      'Tool mail needs the user to sign in to google; call it directly, not from run_code.',
    ])
  })
})

describe('with `approve`', () => {
  test('it is asked with the call and the reason', async () => {
    const asked: (ToolCall & { reason: string })[] = []
    const context = { user: 'u' }
    const { codeMode } = create(paying({ approve: (call) => (asked.push(call), 'approve') }))
    await codeMode.run('await tools.pay({ usd: 5 })', { toolCallId: 'rc', context })
    expect(asked).toEqual([
      { toolCallId: 'rc:1', parentToolCallId: 'rc', toolName: 'pay', input: { usd: 5 }, context, reason: 'the tool needs approval' },
    ])
  })

  test.each<[string, ApprovalDecision | Promise<ApprovalDecision>, unknown]>([
    ['approve', 'approve', { value: 'paid' }],
    ['approve, later', Promise.resolve('approve'), { value: 'paid' }],
    ['deny', 'deny', { name: 'ToolError', message: 'Tool pay was not approved.' }],
    ['deny with a reason', Promise.resolve({ deny: 'too much' }), { name: 'ToolError', message: 'too much' }],
  ])('the answer %s', async (_name, answer, expected) => {
    const { codeMode, paid } = create(paying({ approve: () => answer }))
    const outcome = completed(await codeMode.run(caught('tools.pay({})')))
    expect(outcome.result).toEqual(expected)
    expect(outcome.calls[0]?.status).toBe(paid.length === 1 ? 'done' : 'denied')
  })

  test.each<[string, CodeModeOptions['approve'], string]>([
    [
      'throws',
      () => {
        throw new Error('host secret')
      },
      'Error: host secret',
    ],
    ['rejects', () => Promise.reject(new Error('host secret')), 'Error: host secret'],
    ['answers pause', () => 'pause', "The approval decision 'pause' is not available in this version"],
    ['answers nonsense', () => 'yes' as never, '`approve` gave none of'],
    ['answers nothing', () => undefined as never, '`approve` gave none of'],
  ])('one that %s fails closed; the host reads why', async (_how, approve, told) => {
    const seen = recorder()
    const { codeMode, paid } = create(paying({ approve, onEvent: seen.onEvent }))
    const outcome = completed(await codeMode.run(caught('tools.pay({})')))
    expect(outcome.result).toEqual({ name: 'ToolError', message: 'Tool pay could not be run: a check of the host failed.' })
    expect(seen.of('tool.error')[0]?.error).toContain(told)
    expect(JSON.stringify(outcome)).not.toContain('host secret')
    expect(paid).toEqual([])
  })

  test('other calls go on while one waits', async () => {
    let answer!: (decision: ApprovalDecision) => void
    const { codeMode } = create(paying({ approve: () => new Promise((done) => (answer = done)) }))
    const run = codeMode.run(`
      const waiting = tools.pay({})
      const seen = []
      for (let i = 0; i < 3; i++) seen.push(await tools.look({}))
      await tools.look({ done: true })
      return [...seen, await waiting]`)
    await sleep(100)
    answer('approve')
    expect(completed(await run).result).toEqual(['seen', 'seen', 'seen', 'paid'])
  })
})

describe('the clock', () => {
  test('a limit of 300 ms, an answer after one second, a script that then ends: completed', async () => {
    const { codeMode, paid } = create(paying({ limits: { timeoutMs: 300 }, approve: () => yesAfter(1_000) }))
    const started = performance.now()
    const outcome = completed(await codeMode.run('return await tools.pay({})'))
    expect(performance.now() - started).toBeGreaterThanOrEqual(990)
    expect(outcome.result).toBe('paid')
    expect(paid).toHaveLength(1)
  })

  test('it runs again after the answer', async () => {
    const tools = { pay: { needsApproval: true, execute: () => new Promise(() => {}) } }
    const codeMode = make({ tools, limits: { timeoutMs: 300, abortGraceMs: 10 }, approve: () => yesAfter(500) })
    expect(failed(await codeMode.run('await tools.pay({})')).error.code).toBe('timeout')
  })

  test('no answer within approvalTimeoutMs denies that call; the run goes on', async () => {
    const { codeMode, paid } = create(paying({ limits: { timeoutMs: 300, approvalTimeoutMs: 400 }, approve: () => new Promise(() => {}) }))
    const outcome = completed(
      await codeMode.run(`const first = await (async () => { ${caught('tools.pay({})')} })(); return [first, await tools.look({})]`),
    )
    expect(outcome.result).toEqual([
      { name: 'ToolError', message: 'Tool pay was not approved: no answer within 400 ms (approvalTimeoutMs).' },
      'seen',
    ])
    expect(outcome.calls[0]?.status).toBe('denied')
    expect(paid).toEqual([])
  })

  test('a yes that comes too late never runs the tool', async () => {
    let answer!: (decision: ApprovalDecision) => void
    const { codeMode, paid } = create(paying({ limits: { approvalTimeoutMs: 50 }, approve: () => new Promise((done) => (answer = done)) }))
    expect(failed(await codeMode.run('return await tools.pay({})')).error.code).toBe('script_error')
    answer('approve')
    await sleep(50)
    expect(paid).toEqual([])
  })

  test('a run that ends while a call waits does not wait for the answer', async () => {
    let answer!: (decision: ApprovalDecision) => void
    const { codeMode, paid } = create(paying({ approve: () => new Promise((done) => (answer = done)) }))
    const started = performance.now()
    const outcome = completed(await codeMode.run('tools.pay({}); await tools.look({}); return 1'))
    expect(performance.now() - started).toBeLessThan(900)
    expect(outcome.calls.map((call) => call.status)).toEqual(['cancelled', 'done'])
    answer('approve')
    await sleep(20)
    expect(paid).toEqual([])
    expect(codeMode.diagnostics()).toMatchObject({ liveRuns: 0, pendingCalls: 0 })
  })
})

test('two hundred calls of ten runs wait at once: answered in random order, some twice, some never', async () => {
  const waiting: { call: ToolCall; answer: (decision: ApprovalDecision) => void }[] = []
  const ran: string[] = []
  const codeMode = make({
    tools: { pay: { needsApproval: true, execute: (_input: unknown, { toolCallId }) => (ran.push(toolCallId), toolCallId) } },
    limits: { approvalTimeoutMs: 2_500, timeoutMs: 20_000 },
    approve: (call) => new Promise((answer) => waiting.push({ call, answer })),
  })
  const code = `return (await Promise.allSettled(Array.from({ length: 20 }, (_, n) => tools.pay({ n })))).map((s) => s.value ?? s.reason.message)`
  const runs = Array.from({ length: 10 }, (_, r) => codeMode.run(code, { toolCallId: `r${r}` }))
  while (waiting.length < 200) await sleep(10)
  expect(codeMode.diagnostics().pendingCalls).toBe(200)

  let seed = 7
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647
  const expected = new Map<string, string>()
  for (const { call, answer } of waiting.sort(() => random() - 0.5)) {
    const n = (call.input as { n: number }).n
    if (n % 5 === 4) {
      expected.set(call.toolCallId, 'Tool pay was not approved: no answer within 2500 ms (approvalTimeoutMs).')
      continue
    }
    const yes = random() < 0.5
    expected.set(call.toolCallId, yes ? call.toolCallId : 'no')
    answer(yes ? 'approve' : { deny: 'no' })
    if (random() < 0.3) answer(yes ? { deny: 'no' } : 'approve')
    if (random() < 0.1) await sleep(1)
  }
  const outcomes = await Promise.all(runs)
  outcomes.forEach((outcome, r) => {
    expect(completed(outcome).result).toEqual(Array.from({ length: 20 }, (_, n) => expected.get(`r${r}:${n + 1}`)))
  })
  expect(ran.sort()).toEqual(
    [...expected]
      .filter(([id, said]) => id === said)
      .map(([id]) => id)
      .sort(),
  )
  expect(codeMode.diagnostics()).toMatchObject({ liveRuns: 0, pendingCalls: 0 })
})
