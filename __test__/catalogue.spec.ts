// Option `catalog`: how much of many tools the model reads, and how programs find the rest.
import { describe, expect, test } from 'vitest'
import type { CodeModeOptions } from '../ts/index.ts'
import { make, objectOf, resultOf } from './helpers.ts'

const tool = (name: string, description: string) =>
  [name, { description, inputSchema: objectOf({ id: { type: 'string' } }), execute: () => name }] as const

/** 300 tools of one server and a few of others. */
const tools = Object.fromEntries([
  ...Array.from({ length: 300 }, (_, i) => tool(`github__action_${i}`, `Does action number ${i}`)),
  ...['send', 'read', 'list'].map((verb) => tool(`mail__${verb}`, `Lets you ${verb} mail`)),
  tool('clock', 'Tells the time'),
])
const of = (budgetTokens: number | undefined, over: Partial<CodeModeOptions> = {}) =>
  make({ tools, ...(budgetTokens === undefined ? {} : { catalog: { budgetTokens } }), ...over })

const declared = (text: string) => text.match(/\(input/g)?.length ?? 0

describe('a catalogue that fits', () => {
  test('is spelled out whole, without a word about searching', () => {
    const codeMode = of(100_000)
    expect(declared(codeMode.signatures)).toBe(304)
    expect(codeMode.tool.description).toContain(codeMode.signatures.trim())
    expect(codeMode.tool.description).not.toMatch(/PARTIAL|search/)
  })
})

describe('a catalogue that does not fit', () => {
  const codeMode = () => of(1_000)

  test('is listed fairly by namespace', () => {
    const { signatures } = codeMode()
    expect(declared(signatures)).toBeLessThan(304)
    expect(declared(signatures)).toBeGreaterThan(20)
    for (const name of ['mail__send', 'mail__read', 'mail__list', 'clock', 'github__action_0']) expect(signatures).toContain(`${name}(`)
  })

  test('the description says PARTIAL, the counts, and how to find the rest', () => {
    const {
      signatures,
      tool: { description },
    } = codeMode()
    const listed = declared(signatures)
    expect(description).toContain(`PARTIAL: ${304 - listed} of the 304 tools are not declared below (github: ${304 - listed}).`)
    expect(description).toContain(`${listed} of the 304 tools:\n\ndeclare const tools`)
    for (const call of ["await tools.search('words', { limit: 5 })", 'await tools.describe(name)', 'await tools.call(name, args)'])
      expect(description).toContain(call)
    expect(description).toContain(signatures.trim())
  })

  test('what it tells to do works for a tool that is not listed', async () => {
    const last = 'github__action_299'
    expect(codeMode().signatures).not.toContain(last)
    const code = `
      const [found] = await tools.search('action number 299', { limit: 5 })
      const told = await tools.describe(found.name)
      return [found.name, found.signature, told.name, await tools.call(found.name, { id: 'x' }), await tools.${last}({ id: 'y' })]
    `
    expect(await resultOf({ tools, catalog: { budgetTokens: 1_000 } }, code)).toEqual([
      last,
      `${last}(input: { id: string }): Promise<unknown>`,
      last,
      last,
      last,
    ])
  })

  test('a helper whose name a tool has is told under its other one', () => {
    const { description } = of(100, { tools: { ...tools, search: { execute: () => 1 } } }).tool
    expect(description).toContain("await tools.$search('words'")
    expect(description).toContain('await tools.describe(name)')
  })

  test('in a dialect, in its words', () => {
    expect(of(100, { dialect: 'cloudflare' }).tool.description).toContain("await codemode.search('words'")
    expect(of(100, { dialect: 'mastra' }).tool.description).toContain("await tools.search('words'")
  })

  test('of very many namespaces the largest are named and the rest counted', () => {
    const spread = Object.fromEntries(Array.from({ length: 60 }, (_, i) => tool(`server${i}__act`, 'Acts')))
    const { description } = make({ tools: spread, catalog: { budgetTokens: 0 } }).tool
    expect(description).toContain('PARTIAL: 60 of the 60 tools')
    expect(description).toContain('40 more namespaces: 40)')
  })
})

test('the default is 6,000 tokens', () => {
  const { signatures } = of(undefined)
  expect(signatures).toBe(of(6_000).signatures)
  expect(declared(signatures)).toBe(declared(of(100_000).signatures) > declared(signatures) ? declared(signatures) : 304)
  expect(of(0).signatures.trim()).toBe('declare const tools: {}')
})
