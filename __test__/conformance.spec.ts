// The exported suite over the built-in engine: by its own short way, and plugged in as an engine.
import { describe, expect, test } from 'vitest'
import { createCodeMode, quickJsEngine } from '../ts/index.ts'
import { conformanceCases, javaScriptPrograms, type ConformanceSetup } from '../ts/testing/index.ts'

const processes: [string, ConformanceSetup][] = [
  ['processes', { create: (options) => createCodeMode({ ...options, isolation: 'process' }), programs: javaScriptPrograms }],
]

const setups: [string, ConformanceSetup][] = [
  ['threads', { create: createCodeMode, programs: javaScriptPrograms }],
  ...(process.platform === 'linux' ? processes : []),
  ['QuickJS as an engine', { create: (options) => createCodeMode({ ...options, engine: quickJsEngine() }), programs: javaScriptPrograms }],
]

describe.each(setups)('%s', (_name, setup) => {
  // eslint-disable-next-line vitest/expect-expect -- each case asserts by itself
  test.each(conformanceCases(setup))('$name', ({ run }) => run())
})

test('a program that a language does not allow leaves its cases out', () => {
  const { parallel: _parallel, ...programs } = javaScriptPrograms
  const names = (setup: ConformanceSetup) => conformanceCases(setup).map(({ name }) => name)
  const all = names({ create: createCodeMode, programs: javaScriptPrograms })
  const some = names({ create: createCodeMode, programs })
  expect(all.filter((name) => !some.includes(name))).toEqual(['calls made together run together, as many as toolConcurrency allows'])
})

test('an engine that does something else fails the suite', async () => {
  const wrong: ConformanceSetup = {
    create: (options) =>
      createCodeMode({
        ...options,
        engine: {
          language: 'Nothing',
          instructions: () => '',
          openSession: () => ({
            execute: () => Promise.resolve({ status: 'completed' as const, result: 'always' }),
            close: () => Promise.resolve(),
          }),
        },
      }),
    programs: javaScriptPrograms,
  }
  const cases = conformanceCases(wrong)
  const results = await Promise.allSettled(cases.map(({ run }) => run()))
  const passed = cases.filter((_, i) => results[i]?.status === 'fulfilled').map(({ name }) => name)
  expect(passed).toEqual(['a tool that is not allowed cannot be called', 'a source over maxSourceChars does not run'])
})
