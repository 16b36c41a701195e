// Random sequences of operations over random programs, against a small model of the contract. SESSION_SEQUENCES sets their number.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCodeMode, SessionError, type ProgramResult, type Session } from '../ts/index.ts'
import { sleep } from './helpers.ts'

const sequences = Number(process.env['SESSION_SEQUENCES'] ?? 2_000)
const maxPrograms = 3

/** What a program says before its first wait, what it waits for, and how it ends when it is let go on. */
interface Plan {
  readonly says: number
  readonly waits: boolean
  readonly saysAfter: number
  readonly ends: 'returns' | 'throws'
}

function source(plan: Plan, id: number): string {
  const say = (count: number, word: string) => Array.from({ length: count }, (_, i) => `console.log('${id} ${word} ${i}')`).join(';')
  return `${say(plan.says, 'a')};${plan.waits ? `await tools.hold({ id: ${id} });` : ''}${say(plan.saysAfter, 'b')};${
    plan.ends === 'returns' ? `return ${id}` : `throw new Error('${id}')`
  }`
}

function output(plan: Plan, id: number, whole: boolean): string {
  const said = (count: number, word: string) => Array.from({ length: count }, (_, i) => `${id} ${word} ${i}\n`).join('')
  return said(plan.says, 'a') + (whole ? said(plan.saysAfter, 'b') : '')
}

// ---------------------------------------------------------------- the model

/** The program whose end was not told yet, as the contract has it. */
interface ModelProgram {
  readonly id: number
  readonly plan: Plan
  told: string
  /** The tool that it waits for has answered. */
  released: boolean
}

class Model {
  started = 0
  program: ModelProgram | undefined
  over: 'closed' | undefined
}

/** The tool that programs wait for, and the test that lets them go on. */
class Gate {
  readonly #open = new Map<number, (value: unknown) => void>()
  readonly tool = {
    execute: ({ id }: { id: number }, { abortSignal }: { abortSignal: AbortSignal }) =>
      new Promise((resolve, reject) => {
        this.#open.set(id, resolve)
        abortSignal.addEventListener('abort', () => {
          reject(abortSignal.reason as Error)
        })
      }),
  }

  async release(id: number): Promise<void> {
    while (!this.#open.has(id)) await sleep(1)
    this.#open.get(id)?.(null)
  }
}

type Step = (real: Real, model: Model) => Promise<void>

interface Real {
  readonly session: Session
  readonly gate: Gate
  readonly owner: AbortController
}

const refusal = (promise: Promise<ProgramResult>) =>
  promise.then(
    (result) => `resolved ${result.status}`,
    (error: unknown) => (SessionError.isInstance(error) ? error.code : String(error)),
  )

/** Checks one result against the program of the model, which is told by it. */
function judge(result: ProgramResult, model: Model, ends: readonly ProgramResult['status'][]): void {
  const program = model.program
  if (!program) throw new Error('the model has no program')
  program.told += result.output
  expect(ends).toContain(result.status)
  const all = output(program.plan, program.id, true)
  expect(all.startsWith(program.told)).toBe(true)
  if (result.status === 'still_working') return
  model.program = undefined
  if (result.status !== 'terminated') expect(program.told).toBe(all)
  if (result.status === 'completed') expect(result.value).toBe(program.id)
  if (result.status === 'error') expect(result.error).toMatchObject({ code: 'script_error', message: String(program.id) })
  if (result.status === 'terminated') expect(['stopped', 'aborted']).toContain(result.error?.code)
}

/** How a program that nobody stops can be seen. */
function seen({ plan, released }: ModelProgram): ProgramResult['status'][] {
  const end = plan.ends === 'returns' ? 'completed' : 'error'
  return plan.waits && !released ? ['still_working'] : ['still_working', end]
}

const exec =
  (plan: Plan): Step =>
  async ({ session }, model) => {
    const id = model.started + 1
    const running = session.exec(source(plan, id))
    if (model.over) return expect(await refusal(running)).toBe(model.over)
    if (model.program) return expect(await refusal(running)).toBe('program_active')
    if (model.started >= maxPrograms) return expect(await refusal(running)).toBe('program_limit')
    model.started++
    model.program = { id, plan, told: '', released: false }
    judge(await running, model, seen(model.program))
  }

const wait: Step = async ({ session }, model) => {
  const running = session.wait()
  if (model.over) return expect(await refusal(running)).toBe(model.over)
  if (!model.program) return expect(await refusal(running)).toBe('no_program')
  judge(await running, model, seen(model.program))
}

const stop: Step = async ({ session }, model) => {
  const running = session.stop()
  if (model.over) return expect(await refusal(running)).toBe(model.over)
  if (!model.program) return expect(await refusal(running)).toBe('no_program')
  const ends = seen(model.program).filter((status) => status !== 'still_working')
  judge(await running, model, [...ends, 'terminated'])
}

/** Two operations at once: the second is refused, whatever the first one does. */
const twice =
  (first: 'wait' | 'stop', second: 'exec' | 'wait' | 'stop'): Step =>
  async (real, model) => {
    const { session } = real
    // A refused operation is not in progress: without a program there is no race.
    if (!model.program && !model.over) return (first === 'wait' ? wait : stop)(real, model)
    const going = (first === 'wait' ? wait : stop)(real, model)
    const code = await refusal(second === 'exec' ? session.exec('return 1') : session[second]())
    expect(code).toBe(model.over ?? 'busy')
    await going
  }

const release: Step = async ({ gate }, model) => {
  const program = model.program
  if (!program?.plan.waits || program.released || model.over) return
  program.released = true
  await gate.release(program.id)
}

/** The surrounding call of a wait is aborted while it watches: the program ends, the session goes on. */
const abortedCall: Step = async ({ session }, model) => {
  const call = new AbortController()
  const running = session.wait({ abortSignal: call.signal })
  call.abort()
  if (model.over) return expect(await refusal(running)).toBe(model.over)
  const { program } = model
  if (!program) return expect(await refusal(running)).toBe('no_program')
  judgeLast(await running, model, program)
}

/** Ends a program that watches, from outside. */
const during =
  (how: 'close' | 'abort'): Step =>
  async (real, model) => {
    const { session, owner } = real
    const program = model.program
    const watching = program && !model.over ? session.wait() : undefined
    if (how === 'close') await session.close()
    else owner.abort()
    if (watching && program) judgeLast(await watching, model, program)
    await session.close()
    model.over = 'closed'
    model.program = undefined
  }

function judgeLast(result: ProgramResult, model: Model, program: ModelProgram): void {
  const ends = seen(program).filter((status) => status !== 'still_working')
  judge(result, model, [...ends, 'terminated'])
}

// ---------------------------------------------------------------- the sequences

const plans = fc.record<Plan>({
  says: fc.integer({ min: 0, max: 2 }),
  waits: fc.boolean(),
  saysAfter: fc.integer({ min: 0, max: 2 }),
  ends: fc.constantFrom('returns', 'throws'),
})
const named = (name: string, step: Step) => ({ name, step })
const steps = fc.oneof(
  { weight: 5, arbitrary: plans.map((plan) => named(`exec ${JSON.stringify(plan)}`, exec(plan))) },
  { weight: 3, arbitrary: fc.constant(named('wait', wait)) },
  { weight: 3, arbitrary: fc.constant(named('stop', stop)) },
  { weight: 3, arbitrary: fc.constant(named('release', release)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('wait' as const, 'stop' as const), fc.constantFrom('exec' as const, 'wait' as const, 'stop' as const))
      .map(([first, second]) => named(`${first} beside ${second}`, twice(first, second))),
  },
  { weight: 1, arbitrary: fc.constant(named('wait, its call aborted', abortedCall)) },
  { weight: 1, arbitrary: fc.constantFrom(named('close', during('close')), named('abort', during('abort'))) },
)

test(`${sequences} random sequences of exec, wait, stop, close and abort do what the contract says`, async () => {
  let ran = 0
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 8 }), async (sequence) => {
      const own = new Gate()
      const instance = createCodeMode({ tools: { hold: own.tool }, telemetry: false })
      const owner = new AbortController()
      const session = instance.openSession({ observeMs: 2, maxPrograms, abortSignal: owner.signal })
      const model = new Model()
      for (const { step } of sequence) await step({ session, gate: own, owner }, model)
      await session.close()
      expect(instance.diagnostics()).toMatchObject({ liveRuns: 0, pendingCalls: 0, stuckThreads: 0 })
      await instance.close()
      ran++
    }),
    { numRuns: sequences },
  )
  expect(ran).toBeGreaterThanOrEqual(sequences)
}, 600_000)
