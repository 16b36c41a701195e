import { describe, expect, test } from 'vitest'
import { completed, echo, make } from './helpers.ts'

const tools = {
  get_price: { description: 'The price of one fruit in USD', execute: () => 1 },
  add: { description: 'Adds two numbers', execute: () => 2 },
  hidden: { execute: () => 3 },
}

describe('the description of the tool', () => {
  const description = () => make({ tools, except: ['hidden'] }).tool.description

  test('names the language, the form of the program, and every tool a script may call, once', () => {
    const text = description()
    for (const part of ['JavaScript', '`return`', '`await ', 'The price of one fruit in USD', 'ToolError', 'console.log()'])
      expect(text).toContain(part)
    for (const name of ['get_price', 'add']) expect(text.split(new RegExp(`\\b${name}\\b`)).length - 1).toBe(1)
    expect(text).not.toContain('hidden')
    expect(text).not.toMatch(/(execute|write|run) typescript/i)
  })

  test('holds the signatures as they are', () => {
    const codeMode = make({ tools })
    expect(codeMode.tool.description).toContain(codeMode.signatures.trim())
  })

  test('states the limits of this instance', () => {
    const text = make({ tools, limits: { timeoutMs: 1_234, maxToolCalls: 7, toolConcurrency: 3, maxOutputChars: 999 } }).tool.description
    for (const part of ['1234 ms', '7 calls in all', 'at most 3 run at one time', '999 characters']) expect(text).toContain(part)
  })

  test('what it promises holds: type annotations are ignored, nothing is kept, there is no timer', async () => {
    const codeMode = make({ tools: { echo } })
    expect(completed(await codeMode.run('const n: number = 41; return n + 1')).result).toBe(42)
    completed(await codeMode.run('globalThis.kept = 1; return 1'))
    expect(completed(await codeMode.run('return typeof kept')).result).toBe('undefined')
    expect(await codeMode.run('setTimeout(() => {}, 1)')).toMatchObject({ status: 'failed' })
    expect(await codeMode.run(`await import('node:fs')`)).toMatchObject({ status: 'failed' })
  })

  test('the input is a JSON Schema of { code: string }', () => {
    expect(make({ tools }).tool).toMatchObject({
      name: 'run_code',
      inputSchema: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'], additionalProperties: false },
    })
  })
})
