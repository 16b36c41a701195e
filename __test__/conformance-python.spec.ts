// The exported suite over an engine of another language, which lives outside the package: examples/engine-python.
import { describe, expect, test } from 'vitest'
import { pythonEngine, pythonName } from '../examples/engine-python/engine.mjs'
import { pythonPrograms } from '../examples/engine-python/programs.mjs'
import { createCodeMode } from '../ts/index.ts'
import { conformanceCases, javaScriptPrograms, type ConformanceSetup } from '../ts/testing/index.ts'
import { completed, echo, failed, make } from './helpers.ts'

const setup: ConformanceSetup = { create: (options) => createCodeMode({ ...options, engine: pythonEngine() }), programs: pythonPrograms }

/** The interpreter has no build for every platform that the package has one for. */
const installed = await import('@pydantic/monty').then(
  () => true,
  () => false,
)

describe.skipIf(!installed)('Python', () => {
  // eslint-disable-next-line vitest/expect-expect -- each case asserts by itself
  test.each(conformanceCases(setup))('$name', ({ run }) => run())

  test('leaves out what the language does not allow, and no more', () => {
    const missing = Object.keys(javaScriptPrograms).filter((name) => !(name in pythonPrograms))
    expect(missing).toEqual(['parallel'])
  })

  test('the model is told of the language and of every tool', () => {
    const { tool, ...codeMode } = make({ tools: { echo, 'get-price': echo }, engine: pythonEngine() })
    expect(tool.description).toContain('Runs one Python program')
    expect(tool.description).toContain('get_price (get-price)')
    expect(tool.inputSchema).toMatchObject({ properties: { code: { description: 'One Python program.' } } })
    const exec = codeMode.openSession().tools.find(({ name }) => name === 'exec')
    expect(exec?.description).toContain('The code is a Python program')
    expect(exec?.description).not.toContain('JavaScript')
  })

  test('names that are none in Python', async () => {
    expect(['get-price', '1st', 'import', 'ok'].map(pythonName)).toEqual(['get_price', '_1st', 'import_', 'ok'])
    const codeMode = make({ tools: { 'get-price': echo }, engine: pythonEngine() })
    expect(completed(await codeMode.run('get_price(item="a")')).result).toEqual({ item: 'a' })
  })

  test('what JSON has no word for', async () => {
    const codeMode = make({ tools: { echo }, engine: pythonEngine() })
    for (const code of ['{1, 2}', 'b"x"', '10 ** 30', '{1: 2}', 'echo(n=10 ** 30)'])
      expect(failed(await codeMode.run(code)).error.code, code).toMatch(/not_serializable|script_error/)
  })
})
