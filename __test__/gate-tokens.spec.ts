import { describe, expect, test } from 'vitest'
import type { CodeModeOptions, Tool } from '../ts/index.ts'
import { caught, completed, make, recorder, resultOf } from './helpers.ts'

const secret = 's3cr"et\\token'
const mail = (execute: Tool['execute']) => ({ tools: { mail: { execute } }, getToken: () => secret })
const leak = (options: CodeModeOptions, code = 'return await tools.mail({})') => resultOf(options, code)

describe('getToken', () => {
  test('gives the host the provider and its own context', async () => {
    const asked: unknown[] = []
    const context = { user: 'u' }
    const codeMode = make({
      tools: { mail: { execute: async (_input: unknown, { getToken }) => (await getToken('google')).length } },
      getToken: async (...args) => (asked.push(args), secret),
    })
    expect(completed(await codeMode.run('return await tools.mail({})', { context })).result).toBe(secret.length)
    expect(asked).toEqual([['google', context]])
  })

  test.each<[string, CodeModeOptions['getToken']]>([
    ['no getToken option', undefined],
    ['undefined', () => undefined],
    ['an empty token', async () => ''],
  ])('%s gives the sign-in sentence', async (_why, getToken) => {
    const options = { ...mail((_input, context) => context.getToken('google')), getToken }
    expect(await leak(options, caught('tools.mail({})'))).toEqual({
      name: 'ToolError',
      message: 'Tool mail needs the user to sign in to google; call it directly, not from run_code.',
    })
  })

  test("a host that throws: the tool gets a fixed sentence, the host's error stays", async () => {
    const options = {
      ...mail((_input, context) => context.getToken('google')),
      getToken: () => {
        throw new Error('vault password')
      },
    }
    const warnings: Error[] = []
    const listen = (warning: Error) => warnings.push(warning)
    process.on('warning', listen)
    const result = await leak(options, caught('tools.mail({})'))
    await new Promise((done) => setImmediate(done))
    process.off('warning', listen)
    expect(result).toEqual({ name: 'ToolError', message: 'The host failed to give a token' })
    expect(warnings.map((warning) => warning.message)).toEqual(['a function of the host failed: Error: vault password'])
  })

  test('a call that has ended gets none', async () => {
    let late: Promise<string> | undefined
    const tools = {
      mail: {
        execute: (_input: unknown, { getToken, abortSignal }: Parameters<Tool['execute']>[1]) =>
          new Promise((done) =>
            abortSignal.addEventListener('abort', () => {
              late = getToken('google')
              late.catch(() => {})
              done(0)
            }),
          ),
      },
    }
    await make({ tools, getToken: () => secret }).run('tools.mail({}); return 1')
    await expect(late).rejects.toThrow('The call has ended; it gets no token')
  })
})

describe('every token handed out is redacted from', () => {
  test('results: strings and keys, at any depth, and the JSON stays whole', async () => {
    const options = mail(async (_input, { getToken }) => {
      const token = await getToken('google')
      return { note: `key=${token}","y":1`, list: [token, { [token]: 1 }], n: 5 }
    })
    expect(await leak(options)).toEqual({ note: 'key=[redacted]","y":1', list: ['[redacted]', { '[redacted]': 1 }], n: 5 })
  })

  test('error messages', async () => {
    const options = mail(async (_input, { getToken }) => {
      throw new Error(`401 for ${await getToken('google')}`)
    })
    expect(await leak(options, caught('tools.mail({})'))).toEqual({ name: 'ToolError', message: '401 for [redacted]' })
  })

  test('partial results, events and records', async () => {
    const seen = recorder()
    const options = {
      ...mail(async function* (_input, { getToken }) {
        const token = await getToken('google')
        yield `part ${token}`
        yield `all ${token}`
      }),
      onEvent: seen.onEvent,
    }
    const outcome = completed(await make(options).run('return await tools.mail({})'))
    expect(outcome.result).toBe('all [redacted]')
    expect(seen.of('tool.partial').map((event) => event.partial)).toEqual(['part [redacted]', 'all [redacted]'])
    expect(JSON.stringify([outcome, seen.events])).not.toContain('s3cr')
  })

  test('results of other calls of the run', async () => {
    let known = ''
    const tools = {
      first: { execute: async (_input: unknown, context: Parameters<Tool['execute']>[1]) => void (known = await context.getToken('a')) },
      second: { execute: () => known },
    }
    expect(await resultOf({ tools, getToken: () => secret }, 'await tools.first(); return await tools.second()')).toBe('[redacted]')
  })

  test('tokens that contain each other', async () => {
    const options = {
      tools: {
        mail: {
          execute: async (_input: unknown, { getToken }: Parameters<Tool['execute']>[1]) =>
            `${await getToken('ab')} ${await getToken('abc')}`,
        },
      },
      getToken: (provider: string) => `token-${provider}`,
    }
    expect(await leak(options)).toBe('[redacted] [redacted]')
  })

  test('post-hooks see the redacted result', async () => {
    const results: unknown[] = []
    const options = {
      ...mail((_input, context) => context.getToken('google')),
      hooks: { postToolCall: ({ result }: { result: unknown }) => void results.push(result) },
    }
    await leak(options)
    expect(results).toEqual(['[redacted]'])
  })
})
