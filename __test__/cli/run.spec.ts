import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { CheckReport, Outcome } from '../../ts/index.ts'
import { folder, run, runWith, tools, write } from './command.ts'

beforeAll(() => {
  write('tools.mjs', tools)
  write('good.js', "const p = await tools.get_price({ item: 'apple' }); console.log('got', p.usd); return p.usd * 2")
  write('bad.js', "return await tools.get_price({ item: 'rock' })")
  write('buy.js', "return await tools.buy({ item: 'plum' })")
})

describe('run', () => {
  test('the result is on standard output and nothing else; calls and log lines are on standard error', () => {
    const { status, stdout, stderr } = run('run', 'good.js', '--tools', 'tools.mjs')
    expect({ status, stdout }).toEqual({ status: 0, stdout: '3\n' })
    expect(stderr).toMatch(/^→ get_price \{"item":"apple"\}\n✓ get_price [\d.]+ ms\n│ got 1.5\ncompleted [\d.]+ m?s, 1 call\n$/)
  })

  test('a failed program: exit code 1 and the text that the model would read', () => {
    const { status, stdout, stderr } = run('run', 'bad.js', '--tools', 'tools.mjs')
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain('✗ get_price: a rock is no fruit')
    expect(stderr).toContain('ToolError: a rock is no fruit')
  })

  test('--json: the outcome on one line, and silence beside it', () => {
    const { status, stdout, stderr } = run('run', 'bad.js', '--tools', 'tools.mjs', '--json')
    expect({ status, stderr, lines: stdout.split('\n').length }).toEqual({ status: 1, stderr: '', lines: 2 })
    expect(JSON.parse(stdout) as Outcome).toMatchObject({ status: 'failed', toolCalls: 1, error: { code: 'script_error' } })
  })

  test('the program from standard input, in TypeScript, without tools', () => {
    expect(runWith({ input: 'const n: number = 6 * 7; return { n }' }, 'run', '-', '--quiet')).toEqual({
      status: 0,
      stdout: '{\n  "n": 42\n}\n',
      stderr: '',
    })
  })

  test('limits, context and mode reach the run', () => {
    write('loop.js', 'for (;;) {}')
    expect(run('run', 'loop.js', '--timeout', '200').stderr).toContain('timeout')
    write('two.js', "await tools.get_price({ item: 'apple' }); return await tools.get_price({ item: 'pear' })")
    expect(run('run', 'two.js', '--tools', 'tools.mjs', '--max-calls', '1').stderr).toContain('tool_call_limit')
    const bought = run('run', 'buy.js', '--tools', 'tools.mjs', '--yes', '--context', '{"user":"a"}')
    expect(JSON.parse(bought.stdout)).toEqual({ bought: 'plum', context: { user: 'a' } })
    expect(run('run', 'buy.js', '--tools', 'tools.mjs', '--yes', '--mode', 'plan').status).toBe(1)
  })

  test('a call that needs approval is refused where nobody can be asked, and says what to do', () => {
    const { status, stderr } = run('run', 'buy.js', '--tools', 'tools.mjs')
    expect(status).toBe(1)
    expect(stderr).toContain('Tool buy needs approval and nobody can be asked here; --yes approves every call')
  })

  test('control characters of a tool do not reach the terminal', () => {
    write('evil.mjs', `export default { evil: { execute() { throw new Error('\\u001B[2Jgone\\u0007') } } }`)
    write('evil.js', 'return await tools.evil({})')
    // The last lines are the model's text, which is JSON-like and escaped there.
    const line = run('run', 'evil.js', '--tools', 'evil.mjs').stderr.split('\n')[1]
    expect(line).toMatch(/^✗ evil: gone [\d.]+ ms$/)
  })

  test('options of the module: limits and hooks beside the tools', () => {
    write('options.mjs', `export default { tools: { one: { execute: () => 1 } }, limits: { maxToolCalls: 1 } }`)
    write('ones.js', 'await tools.one(); return await tools.one()')
    expect(run('run', 'ones.js', '--tools', 'options.mjs').stderr).toContain('tool_call_limit')
  })

  test('--trace and --trace-json write the run', () => {
    expect(run('run', 'good.js', '--tools', 'tools.mjs', '--trace', 'out.html', '--trace-json', 'out.json').status).toBe(0)
    expect(fs.readFileSync(path.join(folder, 'out.html'), 'utf8')).toContain('good.js')
    const { traceEvents } = JSON.parse(fs.readFileSync(path.join(folder, 'out.json'), 'utf8')) as { traceEvents: { name: string }[] }
    expect(traceEvents.map((event) => event.name)).toContain('get_price')
  })
})

describe('a picture that cannot be written', () => {
  test.each([['--trace'], ['--trace-json']])('%s: told before the program runs, so that no effect loses its result', (option) => {
    write('effect.mjs', `import fs from 'node:fs'; export default { act: { execute() { fs.writeFileSync('acted', '') } } }`)
    write('act.js', 'return await tools.act({})')
    const cases = [
      ['no-such-folder/out.html', 'cannot write no-such-folder/out.html: there is no such file or folder'],
      ['.', 'cannot write .: it is a folder'],
    ] as const
    for (const [target, message] of cases) {
      const ended = run('run', 'act.js', '--tools', 'effect.mjs', option, target)
      expect(ended).toEqual({ status: 2, stdout: '', stderr: `codemode-native: ${message}\n` })
    }
    expect(fs.existsSync(path.join(folder, 'acted'))).toBe(false)
  })

  test('nothing is left where the run does not begin', () => {
    expect(run('run', 'good.js', '--tools', 'nope.mjs', '--trace', 'early.html').status).toBe(2)
    expect(fs.existsSync(path.join(folder, 'early.html'))).toBe(false)
  })
})

describe('check and types', () => {
  test('types prints the declarations, or writes them', () => {
    const { status, stdout } = run('types', '--tools', 'tools.mjs')
    expect(status).toBe(0)
    expect(stdout).toContain('get_price(input: { item: string })')
    expect(run('types', '--tools', 'tools.mjs', '--out', 'tools.d.ts')).toMatchObject({ status: 0, stdout: '' })
    expect(fs.readFileSync(path.join(folder, 'tools.d.ts'), 'utf8')).toBe(stdout)
  })

  test('check reports what codeMode.check finds, or says in one line that this version has none', () => {
    write('typo.js', "return await tools.get_prise({ item: 'apple' })")
    const typo = run('check', 'typo.js', '--tools', 'tools.mjs', '--json')
    const good = run('check', 'good.js', '--tools', 'tools.mjs')
    const absent = { status: 1, stdout: '', stderr: 'codemode-native: `check` is not available in this version of codemode-native\n' }
    const found = () => (JSON.parse(typo.stdout) as CheckReport).diagnostics[0]
    const expected =
      typo.stdout === ''
        ? [absent, absent]
        : [
            { ...typo, status: 1 },
            { ...good, status: 0 },
          ]
    expect([typo, good]).toEqual(expected)
    expect(typo.stdout === '' || found()?.message).toSatisfy((told: unknown) => told === true || String(told).includes('get_price'))
  })
})

describe('doctor', () => {
  test('tries a run, the limits and the threads', () => {
    const { status, stdout } = run('doctor', '--json')
    const report = JSON.parse(stdout) as { ok: boolean; findings: { name: string; status: string }[] }
    expect(status).toBe(0)
    expect(report.ok).toBe(true)
    for (const name of ['codemode-native', 'platform', 'run', 'limits', 'worker threads'])
      expect(report.findings).toContainEqual(expect.objectContaining({ name, status: 'ok' }))
    expect(run('doctor').stdout).toMatch(/✓ run +a program with one tool call/)
  })
})

describe('what is wrong is one line and exit code 2', () => {
  const cases: [string[], string][] = [
    [['run', 'nope.js'], 'cannot read nope.js: there is no such file'],
    [['run', '.'], 'cannot read .: it is a folder'],
    [['run', 'good.js', '--tools', 'nope.mjs'], 'cannot read nope.mjs: there is no such file'],
    [
      ['run', 'good.js', '--tools', 'empty.mjs'],
      'empty.mjs exports no tools: give it a default export, a record of tools or { tools, ...options }',
    ],
    [['run', 'good.js', '--tools', 'throws.mjs'], 'cannot load throws.mjs: no database'],
    [['run', 'good.js', '--tools', 'wrong.mjs'], 'Expected `tools.a.execute` to be a function, got `undefined`'],
    [['run', 'good.js', '--context', '{'], '--context is not JSON'],
    [['run', 'good.js', '--mcp', 'bad.json'], 'bad.json is not JSON'],
    [['run', 'good.js', '--mcp', 'none.json'], 'none.json has no object `mcpServers`'],
    [['types', '--mcp', 'void.json'], 'void.json names no server'],
    [['types', '--mcp', 'half.json'], 'half.json: mcpServers.a needs a `command` or a `url`'],
    [['types', '--mcp', 'unset.json'], 'unset.json: mcpServers.a.env.KEY: $CODEMODE_NOT_SET is not set'],
    [['mcp', '--config', 'nope.json'], 'cannot read nope.json: there is no such file'],
  ]

  beforeAll(() => {
    write('empty.mjs', 'export const other = 1')
    write('throws.mjs', "throw new Error('no database\\n  at somewhere')")
    write('wrong.mjs', 'export default { a: {} }')
    write('bad.json', '{ "mcpServers": ')
    write('none.json', '{}')
    write('void.json', '{ "mcpServers": { "a": { "command": "x", "disabled": true } } }')
    write('half.json', '{ "mcpServers": { "a": {} } }')
    write('unset.json', '{ "mcpServers": { "a": { "command": "x", "env": { "KEY": "${CODEMODE_NOT_SET}" } } } }')
  })

  test.each(cases)('%j', (args, message) => {
    const { status, stdout, stderr } = run(...args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(`codemode-native: ${message}`)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test.each([
    [['rn', 'good.js'], "unknown command 'rn'\n(Did you mean run?)"],
    [['run', 'good.js', '--tolls', 'x'], "unknown option '--tolls'\n(Did you mean --tools?)"],
    [['run', 'good.js', '--timeout', 'soon'], "argument 'soon' is invalid. It is a whole number above zero."],
  ])('%j', (args, message) => {
    const { status, stderr } = run(...args)
    expect(status).toBe(2)
    expect(stderr).toContain(message)
  })

  test('a server that does not start: exit code 1, its name and why', () => {
    write('gone.json', '{ "mcpServers": { "gone": { "command": "codemode-no-such-command" } } }')
    expect(run('types', '--mcp', 'gone.json')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'codemode-native: MCP server gone did not start: there is no command codemode-no-such-command\n',
    })
  })

  test('a server that ends while it starts: what it said on standard error', () => {
    write('dies.mjs', "console.error('Error: KEY is not set\\n    at dies.mjs:1'); process.exit(3)")
    write('dies.json', JSON.stringify({ mcpServers: { dies: { command: process.execPath, args: ['dies.mjs'] } } }))
    const { status, stderr } = run('types', '--mcp', 'dies.json')
    expect(status).toBe(1)
    expect(stderr).toMatch(/^codemode-native: MCP server dies did not start: .+ \(it said: Error: KEY is not set\)\n$/)
  })
})
