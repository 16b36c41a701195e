// Cases about runs: values, errors, the gate, limits.
import assert from 'node:assert/strict'
import type { CodeModeEvent, Limits } from '../index.ts'
import type { ConformancePrograms, Draft } from './conformance.ts'
import { codeOf, image, outcomeOf, pause, resultOf, withCodeMode } from './conformance-tools.ts'

/** A limit that ends a program which tries to catch it. */
function limitCase(
  name: string,
  need: keyof ConformancePrograms,
  limits: Partial<Limits>,
  codes: readonly string[],
): Draft {
  return {
    name,
    needs: [need],
    async run(setup, code = '') {
      const begun = performance.now()
      const got = codeOf(await outcomeOf(setup, code, limits))
      assert.ok(codes.includes(got), `${got} is one of ${codes.join(', ')}`)
      assert.ok(performance.now() - begun < 10_000, 'it ends in time')
    },
  }
}

export const programCases: readonly Draft[] = [
  {
    name: 'a value comes back as JSON',
    needs: ['value'],
    async run(setup, code = '') {
      const value = { list: [1, 2.5, 'x', null, true], nested: { empty: {} } }
      assert.deepEqual(resultOf(await outcomeOf(setup, code)), value)
    },
  },
  {
    name: 'arguments and results cross as copies',
    needs: ['echo'],
    async run(setup, code = '') {
      const value = { text: 'hé 😀', list: [1, [2]], nothing: null }
      const outcome = await outcomeOf(setup, code)
      assert.deepEqual(resultOf(outcome), value)
      assert.deepEqual(outcome.calls[0]?.input, value)
    },
  },
  {
    name: 'calls are numbered, recorded and told in order',
    needs: ['chain'],
    async run(setup, code = '') {
      const events: CodeModeEvent[] = []
      await withCodeMode(setup, { onEvent: (event) => events.push(event) }, async (codeMode) => {
        const outcome = await codeMode.run(code, { toolCallId: 'id' })
        assert.equal(resultOf(outcome), 13)
        assert.equal(outcome.toolCalls, 2)
        assert.deepEqual(
          outcome.calls.map((call) => [call.toolCallId, call.status, call.result]),
          [
            ['id:1', 'done', 3],
            ['id:2', 'done', 13],
          ],
        )
      })
      const told = events.map(({ type }) => type).filter((type) => type !== 'permission.decision')
      const call = ['tool.start', 'tool.done']
      assert.deepEqual(told, ['run.start', ...call, ...call, 'run.done'])
    },
  },
  {
    name: 'calls made together run together, as many as toolConcurrency allows',
    needs: ['parallel'],
    async run(setup, code = '') {
      for (const toolConcurrency of [4, 2]) {
        await withCodeMode(setup, { limits: { toolConcurrency } }, async (codeMode, bench) => {
          assert.deepEqual(resultOf(await codeMode.run(code)), [1, 2, 3, 4])
          assert.equal(bench.mostRunning, toolConcurrency)
        })
      }
    },
  },
  {
    name: 'what is printed becomes lines',
    needs: ['prints'],
    async run(setup, code = '') {
      const outcome = await outcomeOf(setup, code)
      assert.deepEqual([resultOf(outcome), outcome.logs], [null, ['hello', 'world']])
    },
  },
  {
    name: 'an error of the program has its message and its line',
    needs: ['raises'],
    async run(setup, code = '') {
      const outcome = await outcomeOf(setup, code)
      assert.equal(codeOf(outcome), 'script_error')
      const error = outcome.status === 'failed' ? outcome.error : undefined
      assert.match(error?.message ?? '', /boom/)
      assert.equal(error?.line, 2)
      assert.match(error?.modelText ?? '', /boom/)
    },
  },
  {
    name: 'text that is no program is a syntax error, and nothing runs',
    needs: ['malformed'],
    async run(setup, code = '') {
      const outcome = await outcomeOf(setup, code)
      assert.equal(codeOf(outcome), 'syntax_error')
      assert.deepEqual(outcome.calls, [])
    },
  },
  {
    name: "a tool's error ends a program that does not catch it",
    needs: ['failingTool'],
    async run(setup, code = '') {
      const outcome = await outcomeOf(setup, code)
      assert.equal(codeOf(outcome), 'script_error')
      assert.match(outcome.status === 'failed' ? outcome.error.message : '', /no such luck/)
      assert.deepEqual(
        [outcome.calls[0]?.status, outcome.calls[0]?.error],
        ['error', 'no such luck'],
      )
    },
  },
  {
    name: "a program can catch a tool's error and read its message, no more",
    needs: ['caughtTool'],
    async run(setup, code = '') {
      assert.equal(resultOf(await outcomeOf(setup, code)), 'no such luck')
    },
  },
  {
    name: 'a tool that is not there cannot be called',
    needs: ['unknownTool'],
    async run(setup, code = '') {
      const outcome = await outcomeOf(setup, code)
      assert.equal(codeOf(outcome), 'script_error')
      assert.deepEqual(outcome.calls, [])
    },
  },
  {
    name: 'a tool that is not allowed cannot be called',
    needs: ['caughtTool'],
    async run(setup, code = '') {
      await withCodeMode(setup, { except: ['fail'] }, async (codeMode) => {
        const outcome = await codeMode.run(code)
        assert.deepEqual(outcome.calls, [])
        assert.notEqual(outcome.status === 'completed' && outcome.result, 'no such luck')
      })
    },
  },
  {
    name: 'arguments are validated, and the program is told what is wrong',
    needs: ['badArguments'],
    async run(setup, code = '') {
      const outcome = await outcomeOf(setup, code)
      assert.match(String(resultOf(outcome)), /^Invalid arguments for tool add: /)
      assert.equal(outcome.calls[0]?.status, 'error')
    },
  },
  {
    name: 'a rule that denies reaches the program as an error, and the tool is not run',
    needs: ['caughtTool'],
    async run(setup, code = '') {
      const permissions = [{ tool: 'fail', action: 'deny' as const, reason: 'not today' }]
      await withCodeMode(setup, { permissions }, async (codeMode) => {
        const outcome = await codeMode.run(code)
        assert.match(String(resultOf(outcome)), /not today/)
        assert.equal(outcome.calls[0]?.status, 'denied')
      })
    },
  },
  {
    name: 'a guardrail that blocks ends the run, caught or not',
    needs: ['fiveCalls'],
    async run(setup, code = '') {
      const guardrails = [() => ({ block: 'stop here' })]
      await withCodeMode(setup, { guardrails }, async (codeMode) => {
        const outcome = await codeMode.run(code)
        assert.equal(codeOf(outcome), 'guardrail')
        assert.match(outcome.status === 'failed' ? outcome.error.message : '', /stop here/)
      })
    },
  },
  {
    name: 'the clock stands while somebody is asked to approve',
    needs: ['chain'],
    async run(setup, code = '') {
      const permissions = [{ tool: 'add', action: 'ask' as const }]
      const approve = () => pause(1_500).then(() => 'approve' as const)
      await withCodeMode(
        setup,
        { permissions, approve, limits: { timeoutMs: 2_500 } },
        async (codeMode) => {
          assert.equal(resultOf(await codeMode.run(code)), 13)
        },
      )
    },
  },
  {
    name: 'five calls pass where five are allowed',
    needs: ['fiveCalls'],
    async run(setup, code = '') {
      assert.equal(resultOf(await outcomeOf(setup, code, { maxToolCalls: 5 })), 'caught')
    },
  },
  limitCase(
    'the call over maxToolCalls ends the run, caught or not',
    'fiveCalls',
    { maxToolCalls: 3 },
    ['tool_call_limit'],
  ),
  limitCase(
    'output over maxOutputChars ends the run, caught or not',
    'printsMuch',
    { maxOutputChars: 500 },
    ['output_limit'],
  ),
  limitCase('a result over maxOutputChars ends the run', 'largeResult', {}, ['output_limit']),
  limitCase('a source over maxSourceChars does not run', 'chain', { maxSourceChars: 10 }, [
    'source_limit',
  ]),
  limitCase(
    'an endless loop ends, caught or not',
    'endless',
    { cpuTimeoutMs: 400, timeoutMs: 2_000 },
    ['cpu_timeout', 'timeout'],
  ),
  limitCase(
    'growing memory ends the run, caught or not',
    'growing',
    { memoryLimitBytes: 8_388_608 },
    ['memory_limit'],
  ),
  limitCase('endless recursion is an error of the program', 'recursing', {}, ['script_error']),
  limitCase('waiting over timeoutMs ends the run', 'holds', { timeoutMs: 400 }, ['timeout']),
  {
    name: 'an aborted run ends its tools',
    needs: ['holds'],
    async run(setup, code = '') {
      await withCodeMode(setup, {}, async (codeMode, bench) => {
        const caller = new AbortController()
        const running = codeMode.run(code, { abortSignal: caller.signal })
        await bench.held()
        caller.abort()
        assert.equal(codeOf(await running), 'aborted')
        assert.equal(bench.aborted, 1)
      })
    },
  },
  {
    name: 'runs share nothing',
    needs: ['leaves', 'finds'],
    async run(setup, leaves = '', finds = '') {
      await withCodeMode(setup, {}, async (codeMode) => {
        resultOf(await codeMode.run(leaves))
        assert.equal(resultOf(await codeMode.run(finds)), false)
      })
    },
  },
  {
    name: 'runs at one time do not meet',
    needs: ['chain', 'echo'],
    async run(setup, chain = '', echo = '') {
      await withCodeMode(setup, {}, async (codeMode) => {
        const codes = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? chain : echo))
        const outcomes = await Promise.all(codes.map((code) => codeMode.run(code)))
        for (const [i, outcome] of outcomes.entries()) {
          const result = resultOf(outcome)
          assert.equal(i % 2 === 0 ? result : typeof result, i % 2 === 0 ? 13 : 'object')
        }
      })
    },
  },
  {
    name: 'nothing of the host can be reached',
    needs: ['reaches'],
    async run(setup, code = '') {
      assert.deepEqual(resultOf(await outcomeOf(setup, code)), [])
    },
  },
  {
    name: 'media pass through a program by reference, and come back once',
    needs: ['passesMedia'],
    async run(setup, code = '') {
      await withCodeMode(setup, {}, async (codeMode, bench) => {
        const outcome = await codeMode.run(code)
        const reference = resultOf(outcome) as { artifact: string }
        const [artifact] = outcome.artifacts
        assert.equal(outcome.artifacts.length, 1)
        assert.deepEqual([artifact?.id, artifact?.bytes], [reference.artifact, image])
        const data = Buffer.from(image).toString('base64')
        assert.deepEqual(bench.taken, [{ image: { type: 'image', data, mimeType: 'image/png' } }])
        assert.ok(!JSON.stringify(reference).includes(data), 'the program has no bytes')
      })
    },
  },
]
