// What the model reads of many tools, against the same tools as definitions: the lists of real MCP servers, a real tokenizer.
import { describe, expect, test } from 'vitest'
// @ts-expect-error -- plain JavaScript
import { definitions, tokensOf } from '../benchmark/lib/tokens.mjs'
// @ts-expect-error -- plain JavaScript
import { manyTools, recordedTools } from '../benchmark/lib/tools.mjs'
import type { Tool } from '../ts/index.ts'
import { make } from './helpers.ts'

type Recorded = Tool & { name: string; inputSchema: Record<string, unknown> }
const recorded = (count: number) => (manyTools as (count: number) => Recorded[])(count)
const tokens = tokensOf as (value: unknown) => number
const describeTools = (tools: Recorded[], budgetTokens?: number) =>
  make({
    tools: tools.map((tool) => ({ ...tool, execute: () => null })),
    ...(budgetTokens === undefined ? {} : { catalog: { budgetTokens } }),
  })

test('50 tools take at most 60 % of the tokens of their definitions, result types included', () => {
  const tools = recorded(50)
  const { description } = describeTools(tools).tool
  expect(description).not.toContain('PARTIAL')
  expect(tokens(description)).toBeLessThanOrEqual(tokens((definitions as (tools: Recorded[]) => unknown)(tools)) * 0.6)
})

test('a description of 500 tools stays within its budget', () => {
  for (const budget of [1_000, 3_000, 6_000]) {
    const { signatures } = describeTools(recorded(500), budget)
    expect(tokens(signatures), String(budget)).toBeLessThanOrEqual(budget)
    expect(tokens(signatures), String(budget)).toBeGreaterThan(budget / 2)
  }
})

describe('every recorded tool', () => {
  test('is found under its words in the first five', async () => {
    const names = (recordedTools as () => Recorded[])().map((tool) => tool.name)
    const codeMode = describeTools(recorded(names.length))
    const outcome = await codeMode.run(`
      const missed = []
      for (const { name } of ALL_TOOLS) {
        const words = name.replace(/__|[-_]/g, ' ')
        const found = await tools.search(words, { limit: 5 })
        if (!found.some((hit) => hit.name === name)) missed.push(name)
      }
      return [ALL_TOOLS.length, missed]
    `)
    expect(outcome).toMatchObject({ status: 'completed', result: [names.length, []] })
  })
})
