// finish() and exit(): `finally` sees the end, nothing undoes it.
import { describe, expect, test } from 'vitest'
import { completed, echo, failed, make, recorder, resultOf, sleep } from './helpers.ts'

const tools = {
  echo,
  slow: {
    execute: async (_: unknown, { abortSignal }: { abortSignal: AbortSignal }) => {
      await Promise.race([sleep(2_000), new Promise((done) => abortSignal.addEventListener('abort', done))])
      return 'late'
    },
  },
}
const run = async (code: string) => completed(await make({ tools }).run(code))
const value = async (code: string) => (await run(code)).result

describe('the value', () => {
  test.each([
    ['finish(1); return 2', 1],
    ['exit(1); return 2', 1],
    ['exit()', null],
    ['finish()', null],
    ['finish({ a: [1, "x"] })', { a: [1, 'x'] }],
    ['await tools.echo({}); finish("after a call")', 'after a call'],
    ['const inner = async () => { await tools.echo({}); finish("deep") }; await inner(); return 2', 'deep'],
    ['[1, 2, 3].forEach((n) => { if (n === 2) finish(n) }); return 9', 2],
    ['const value = { n: 1 }; try { finish(value) } finally { value.n = 2 }', { n: 1 }],
  ])('%s', async (code, result) => {
    expect(await value(code)).toEqual(result)
  })

  test('what JSON cannot hold fails the run as it does for return', async () => {
    expect(failed(await make({ tools }).run('finish(() => 1)')).error.code).toBe('not_serializable')
    expect(failed(await make({ tools }).run('const a = {}; a.a = a; finish(a)')).error.code).toBe('not_serializable')
  })

  test('counts against maxOutputChars, with what is said before and after it', async () => {
    const codeMode = make({ tools, limits: { maxOutputChars: 20 } })
    expect(completed(await codeMode.run('finish("x".repeat(18))')).result).toBe('x'.repeat(18))
    expect(failed(await codeMode.run('finish("x".repeat(19))')).error.code).toBe('output_limit')
    expect(failed(await codeMode.run('console.log("x"); finish("x".repeat(17))')).error.code).toBe('output_limit')
    expect(failed(await codeMode.run('try { finish("x".repeat(17)) } finally { console.log("x") }')).error.code).toBe('output_limit')
  })
})

describe('nothing undoes it', () => {
  test.each([
    ['catch', 'try { finish(1) } catch { return 2 }'],
    ['catch with a binding', 'try { finish(1) } catch (e) { return e } return 3'],
    ['catch around await', 'try { await (async () => finish(1))() } catch { return 2 }'],
    ['catch that throws', 'try { finish(1) } catch { throw new Error("no") }'],
    ['a loop of catches', 'for (;;) { try { finish(1) } catch {} }'],
    ['finally that returns', 'try { finish(1) } finally { return 2 }'],
    ['finally that throws', 'try { finish(1) } finally { throw new Error("no") }'],
    ['finally that breaks a loop', 'for (;;) { try { finish(1) } finally { break } } return 2'],
    ['a second finish', 'try { finish(1) } finally { finish(2) }'],
    ['.catch()', 'await Promise.resolve().then(() => finish(1)).catch(() => 2); return 3'],
    ['then(_, f)', 'return await (async () => finish(1))().then(undefined, () => 2)'],
    ['a bound handler', 'return await (async () => finish(1))().catch(((a) => a).bind(null, 2))'],
    ['Promise.allSettled', 'await Promise.allSettled([(async () => finish(1))(), tools.echo({})]); return 2'],
    ['Promise.any', 'return await Promise.any([(async () => finish(1))(), (async () => { throw 1 })()])'],
    ['Promise.any of nothing else', 'return await Promise.any([(async () => finish(1))()]).catch(() => 2)'],
    ['a generator', 'function* g() { try { finish(1) } catch { yield 2 } } return [...g()]'],
    ['an async generator', 'async function* g() { try { finish(1) } catch { yield 2 } } for await (const n of g()) return n'],
    ['new Promise', 'return await new Promise(() => finish(1)).catch(() => 2)'],
    ['a toJSON of the result', 'return { toJSON() { finish(1) } }'],
    ['a getter in arguments of a call', 'try { await tools.echo({ get a() { finish(1) } }) } catch { return 2 }'],
    ['a branch nobody awaits', '(async () => finish(1))(); await tools.slow(); return 2'],
    ['a callback of then nobody awaits', 'tools.echo({}).then(() => finish(1)); await tools.slow(); return 2'],
  ])('%s', async (_, code) => {
    expect(await value(code)).toBe(1)
  })

  test('no line after it runs, in no branch', async () => {
    const { logs, toolCalls } = await run(`
      const branch = async () => { try { await tools.echo({}); finish(1); console.log('after') } catch (e) { console.log('caught', e) } console.log('on') }
      await Promise.allSettled([branch(), tools.slow().then(() => console.log('slow'))])
      console.log('end')
      await tools.echo({})
    `)
    expect(logs).toEqual([])
    expect(toolCalls).toBe(2)
  })

  test('no call is made after it, also where nobody awaits the branch', async () => {
    const { result, toolCalls } = await run(`(async () => finish(1))(); await tools.echo({}); return 2`)
    expect([result, toolCalls]).toEqual([1, 0])
    const later = await run(`
      const branch = async () => { await tools.echo({}); try { finish(1) } finally { await tools.echo({ cleanup: true }) } }
      branch()
      await tools.slow()
      return 2
    `)
    expect(later.result).toBe(1)
    expect(later.calls.map((call) => call.status)).toEqual(['done', 'cancelled', 'done'])
  })
})

describe('finally', () => {
  test('runs on the way out, innermost first, and may call tools', async () => {
    const { result, logs, calls } = await run(`
      const inner = async () => { try { finish('done') } finally { console.log('inner'); await tools.echo({ n: 1 }) } }
      try { await inner() } finally { console.log('outer', (await tools.echo({ n: 2 })).n) }
      console.log('never')
    `)
    expect(result).toBe('done')
    expect(logs).toEqual(['inner', 'outer 2'])
    expect(calls.map((call) => call.status)).toEqual(['done', 'done'])
  })

  test('Promise.prototype.finally and iterators are closed too', async () => {
    const { logs } = await run(`
      const list = { *[Symbol.iterator]() { try { yield 1; yield 2 } finally { console.log('closed') } } }
      await (async () => { for (const n of list) finish(n) })().finally(() => console.log('finally'))
    `)
    expect(logs).toEqual(['closed', 'finally'])
  })

  test.each([
    ['beside a catch', `try { finish(1) } catch (e) { console.log('caught') } finally { console.log('finally') }`],
    ['beside a catch without a binding', `try { finish(1) } catch { console.log('caught') } finally { console.log('finally') }`],
    [
      'beside a catch with a pattern',
      `try { finish(1) } catch ({ message: [a = (() => { try { return 1 } catch { return 2 } })(), ...rest], ...others }) { console.log('caught') } finally { console.log('finally') }`,
    ],
    ['called in a catch', `try { throw 1 } catch (e) { finish(e) } finally { console.log('finally') }`],
    [
      'called in a nested catch',
      `try { try { throw 1 } catch (e) { try { finish(e) } catch { console.log('caught') } } } catch { console.log('caught') } finally { console.log('finally') }`,
    ],
    [
      'around a loop and a switch',
      `outer: for (const a of [1, 2]) { switch (a) { case 1: try { for (const b of [a]) { try { finish(b) } catch (e) { continue outer } } } catch { break outer } finally { console.log('finally') } } }`,
    ],
    [
      'with captured variables',
      `try { let x = 1; const f = () => x; finish(f()) } catch (e) { (() => e)() } finally { const y = 'finally'; (() => console.log(y))() }`,
    ],
    [
      'of a generator beside a catch',
      `const g = (function* () { try { yield 1; finish(1) } catch { yield 2 } finally { console.log('finally') } })(); for (const n of g) ;`,
    ],
    [
      'of an async generator beside a catch',
      `const g = (async function* () { try { yield 1; finish(1) } catch { yield 2 } finally { console.log('finally') } })(); for await (const n of g) ;`,
    ],
  ])('runs %s', async (_, code) => {
    expect(await run(code)).toMatchObject({ result: 1, logs: ['finally'] })
  })

  test('deep nests of try leave no trace', async () => {
    const nest = (n: number): string =>
      n === 0 ? 'finish(depth)' : `try { ${nest(n - 1)} } catch (e${n}) { depth = -1 } finally { depth++ }`
    expect(await run(`let depth = 0; try { ${nest(40)} } finally { console.log(depth) }`)).toMatchObject({ result: 0, logs: ['40'] })
  })

  test('catch inside it works for other errors', async () => {
    const { logs } = await run(`try { finish(1) } finally { try { throw new Error('own') } catch (e) { console.log(e.message) } }`)
    expect(logs).toEqual(['own'])
  })

  test('limits still hold', async () => {
    const outcome = await make({ tools, limits: { timeoutMs: 100 } }).run('try { finish(1) } finally { for (;;) {} }')
    expect(failed(outcome).error.code).toMatch(/timeout/)
  })
})

test('calls that were going on are aborted and recorded', async () => {
  const { events, onEvent } = recorder()
  const started = performance.now()
  const outcome = completed(await make({ tools, onEvent }).run('const p = tools.slow(); await tools.echo({}); finish(7); await p'))
  expect(outcome.result).toBe(7)
  expect(performance.now() - started).toBeLessThan(1_500)
  expect(outcome.calls.map((call) => call.status)).toEqual(['cancelled', 'done'])
  expect(events.at(-1)?.type).toBe('run.done')
  expect(outcome.logs).toEqual([])
})

test('an ordinary error is what it was', async () => {
  expect(await resultOf({ tools }, 'try { throw new Error("x") } catch (e) { return e.message }')).toBe('x')
  expect(await resultOf({ tools }, 'return await Promise.reject(1).catch((n) => n + 1)')).toBe(2)
})
