// Media in tool results: the bytes stay on the host, the script has a reference, the host gets them once.
import { expect, test } from 'vitest'
import type { Artifact, CodeModeOptions, Tool } from '../ts/index.ts'
import { caught, completed, failed, make, objectOf, recorder, sleep } from './helpers.ts'

const pixels = Uint8Array.from({ length: 300 }, (_, i) => i % 256)
const base64 = Buffer.from(pixels).toString('base64')
const gives = (value: () => unknown): Tool => ({ execute: value })
const reference = (over: object = {}) => ({ artifact: expect.stringMatching(/^artifact_[0-9a-f]{24}$/) as string, bytes: 300, ...over })

/** A tool that remembers what it was given. */
function taker(over: Partial<Tool> = {}) {
  const got: unknown[] = []
  return { got, take: { execute: (input: unknown) => void got.push(input), ...over } }
}

const kinds: [string, () => unknown, object][] = [
  ['a Uint8Array', () => pixels, { mediaType: 'application/octet-stream', length: 300 }],
  ['a Buffer', () => Buffer.from(pixels), { mediaType: 'application/octet-stream', length: 300 }],
  ['an ArrayBuffer', () => pixels.slice().buffer, { mediaType: 'application/octet-stream' }],
  ['an image block of MCP', () => ({ type: 'image', data: base64, mimeType: 'image/png' }), { mediaType: 'image/png', type: 'image' }],
  ['an audio block of MCP', () => ({ type: 'audio', data: base64, mimeType: 'audio/wav' }), { mediaType: 'audio/wav', type: 'audio' }],
  [
    'an embedded resource of MCP',
    () => ({ type: 'resource', resource: { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob: base64 } }),
    { mediaType: 'application/pdf', name: 'file:///a.pdf', type: 'resource' },
  ],
  ['a file with base64', () => ({ type: 'file', data: base64 }), { mediaType: 'application/octet-stream', type: 'file' }],
  [
    'a file part of the AI SDK',
    () => ({ type: 'file', data: pixels, mediaType: 'image/png', filename: 'a.png' }),
    { mediaType: 'image/png', name: 'a.png', type: 'file' },
  ],
  [
    'a data URL',
    () => ({ type: 'image', data: `data:image/gif;base64,${base64}`, mimeType: 'image/gif' }),
    { mediaType: 'image/gif', type: 'image' },
  ],
]

test.each(kinds)('%s: a reference in the script, the real thing for another tool, the bytes for the host', async (_name, value, facts) => {
  const { got, take } = taker()
  const codeMode = make({ tools: { give: gives(() => ({ content: [value(), 'text'] })), take } })
  const code = 'const { content } = await tools.give(); await tools.take({ list: [content[0]] }); return content'
  const outcome = completed(await codeMode.run(code))
  expect(outcome.result).toEqual([reference(facts), 'text'])
  expect(got).toEqual([{ list: [value()] }])
  const [artifact] = outcome.artifacts
  expect(outcome.artifacts).toHaveLength(1)
  const { type: _type, length: _length, ...described } = facts as { type?: string; length?: number }
  expect(artifact).toEqual({
    ...described,
    id: (outcome.result as { artifact: string }[])[0]?.artifact,
    bytes: pixels,
    toolCallId: outcome.calls[0]?.toolCallId,
  })
})

test.each<[string, unknown]>([
  ['text of a resource', { type: 'resource', resource: { uri: 'a', text: 'hello' } }],
  ['an image by address', { type: 'image', url: 'https://example.com/a.png' }],
  ['an image without a type', { type: 'image', data: base64 }],
  ['text that is no base64', { type: 'file', data: 'not base64!' }],
  ['another kind of block', { type: 'text', data: base64, mimeType: 'image/png' }],
])('%s stays in the result', async (_name, value) => {
  const outcome = completed(await make({ tools: { give: gives(() => value) } }).run('return await tools.give()'))
  expect(outcome.result).toEqual(value)
  expect(outcome.artifacts).toEqual([])
})

test('the script never holds the bytes, however it asks', async () => {
  const codeMode = make({ tools: { give: gives(() => pixels) }, features: ['typedArrays'] })
  const outcome = completed(
    await codeMode.run('const a = await tools.give(); return [Object.keys(a), JSON.stringify(a).length < 120, a.bytes]'),
  )
  expect(outcome.result).toEqual([['artifact', 'mediaType', 'bytes', 'length'], true, 300])
})

test('records and events show references, and printing an outcome prints no bytes', async () => {
  const { events, onEvent } = recorder()
  const { take } = taker()
  const codeMode = make({ tools: { give: gives(() => ({ type: 'image', data: base64, mimeType: 'image/png' })), take }, onEvent })
  const outcome = completed(await codeMode.run('await tools.take({ image: await tools.give() })'))
  expect(outcome.calls[0]?.result).toEqual(reference({ mediaType: 'image/png', type: 'image' }))
  expect(outcome.calls[1]?.input).toEqual({ image: outcome.calls[0]?.result })
  const printed = JSON.stringify([outcome, events])
  expect(printed).not.toContain(base64.slice(0, 40))
  expect(JSON.parse(JSON.stringify(outcome.artifacts))).toEqual([
    { id: outcome.artifacts[0]?.id, mediaType: 'image/png', bytes: 300, toolCallId: outcome.calls[0]?.toolCallId },
  ])
})

test('what tools do to their bytes, before or after, changes nothing', async () => {
  const mine = pixels.slice()
  const spoil = { execute: ({ b }: { b: Uint8Array }) => void b.fill(7) }
  const { got, take } = taker()
  const codeMode = make({ tools: { give: gives(() => mine), spoil, take } })
  const running = codeMode.run('const b = await tools.give(); await tools.spoil({ b }); await tools.take({ b })')
  const outcome = completed(await running)
  mine.fill(9)
  expect(got).toEqual([{ b: pixels }])
  expect(outcome.artifacts[0]?.bytes).toEqual(pixels)
})

test('schemas: of the reference, of the block, and of a validator in JavaScript', async () => {
  const block = objectOf({ type: { const: 'image' }, data: { type: 'string' }, mimeType: { type: 'string' } })
  const { got, take } = taker({ inputSchema: objectOf({ image: block }) })
  const byReference = taker({ inputSchema: objectOf({ image: objectOf({ artifact: { type: 'string' } }) }) })
  const loose = { type: 'object', properties: { image: { type: 'object' } }, required: ['image'] }
  const anyObject = taker({ inputSchema: loose })
  const give = gives(() => ({ type: 'image', data: base64, mimeType: 'image/png' }))
  const codeMode = make({ tools: { give, take, anyObject: anyObject.take, strict: byReference.take } })
  const code = (tool: string, image: string) => `const image = await tools.give(); ${caught(`tools.${tool}({ image: ${image} })`)}`
  completed(await codeMode.run(code('take', 'image')))
  expect(got).toEqual([{ image: { type: 'image', data: base64, mimeType: 'image/png' } }])
  completed(await codeMode.run(code('anyObject', 'image')))
  expect(anyObject.got).toEqual(got)
  expect(completed(await codeMode.run(code('strict', 'image'))).result).toMatchObject({ name: 'ToolError' })
  expect(completed(await codeMode.run(code('take', '{ ...image, artifact: 5 }'))).result).toMatchObject({ name: 'ToolError' })
})

test('an id of nobody, or of another run, is refused; an object that merely has such a property is not', async () => {
  const { got, take } = taker()
  const codeMode = make({ tools: { give: gives(() => pixels), take } })
  const other = completed(await codeMode.run('return await tools.give()')).result
  const tried = completed(await codeMode.run(`await tools.give(); ${caught(`tools.take(${JSON.stringify(other)})`)}`)).result
  const { artifact } = other as { artifact: string }
  expect(tried).toEqual({ name: 'ToolError', message: `Tool take was given the artifact "${artifact}", which is not kept here.` })
  completed(await codeMode.run('await tools.give(); await tools.take({ artifact: "a painting" })'))
  expect(got).toEqual([{ artifact: 'a painting' }])
})

test('maxToolResultBytes holds for each: just under passes, just over is a ToolError', async () => {
  const run = async (size: number) => {
    const codeMode = make({ tools: { give: gives(() => new Uint8Array(size)) }, limits: { maxToolResultBytes: 200 } })
    return completed(await codeMode.run(caught('tools.give()')))
  }
  expect((await run(200)).artifacts).toHaveLength(1)
  const over = await run(201)
  expect(over.artifacts).toEqual([])
  expect(over.result).toEqual({
    name: 'ToolError',
    message: 'Tool give returned 201 bytes, over the limit of 200 bytes (maxToolResultBytes).',
  })
})

test('maxArtifactBytes holds for all of a run: just under passes, just over is a ToolError', async () => {
  const options: CodeModeOptions = { tools: { give: gives(() => new Uint8Array(50)) }, limits: { maxArtifactBytes: 100 } }
  const outcome = completed(await make(options).run(`await tools.give(); await tools.give(); ${caught('tools.give()')}`))
  expect(outcome.artifacts).toHaveLength(2)
  expect((outcome.result as { message: string }).message).toBe(
    'Tool give returned media; with what is kept already they would be 150 bytes, over the limit of 100 bytes (maxArtifactBytes).',
  )
})

test('a call that fails after its tool leaves no artifact, nor does one whose hook took it out', async () => {
  const hooks = (result: () => unknown) => ({ postToolCall: () => result() as { result: null } })
  const run = (result: () => unknown) => make({ tools: { give: gives(() => pixels) }, hooks: hooks(result) }).run(caught('tools.give()'))
  const withheld = completed(
    await run(() => {
      throw new Error('no')
    }),
  )
  expect(withheld.artifacts).toEqual([])
  expect(completed(await run(() => ({ result: 'nothing to see' }))).artifacts).toEqual([])
  const replaced = completed(await run(() => ({ result: { type: 'image', data: base64, mimeType: 'image/png' } })))
  expect(replaced.artifacts).toHaveLength(1)
  expect(replaced.artifacts[0]?.mediaType).toBe('image/png')
})

test('the tool of the model gives them beside its result, and only where there are any', async () => {
  const { tool } = make({ tools: { give: gives(() => ({ image: pixels, boxed: Object(5) as number })) } })
  const given = await tool.execute({ code: 'return await tools.give()' })
  expect(given.result).toEqual({ image: reference({ mediaType: 'application/octet-stream', length: 300 }), boxed: 5 })
  expect(given.artifacts?.map(({ bytes }) => bytes)).toEqual([pixels])
  expect(JSON.stringify(given).length).toBeLessThan(500)
  expect(Object.keys(await tool.execute({ code: 'return 1' }))).toEqual(['result', 'logs', 'toolCalls'])
})

test('a failed run gives what it had', async () => {
  const outcome = failed(await make({ tools: { give: gives(() => pixels) } }).run('await tools.give(); throw new Error("late")'))
  expect(outcome.artifacts).toHaveLength(1)
})

test('hooks and approvals see references, tools the bytes', async () => {
  const seen: unknown[] = []
  const { got, take } = taker()
  const codeMode = make({
    tools: { give: gives(() => pixels), take },
    hooks: { preToolCall: ({ input, toolName }) => void (toolName === 'take' && seen.push(input)) },
  })
  completed(await codeMode.run('await tools.take({ b: await tools.give() })'))
  expect(seen).toEqual([{ b: reference({ mediaType: 'application/octet-stream', length: 300 }) }])
  expect(got).toEqual([{ b: pixels }])
})

test('a hook may put a reference into the arguments', async () => {
  const { got, take } = taker()
  let kept: unknown
  const codeMode = make({
    tools: { give: gives(() => pixels), take },
    hooks: {
      postToolCall: ({ result, toolName }) => void (toolName === 'give' && (kept = result)),
      preToolCall: ({ toolName }) => (toolName === 'take' ? { input: { b: kept as string } } : undefined),
    },
  })
  completed(await codeMode.run('await tools.give(); await tools.take({})'))
  expect(got).toEqual([{ b: pixels }])
})

// ---------------------------------------------------------------- sessions

const ids = (artifacts: readonly Artifact[] | undefined) => artifacts?.map(({ bytes }) => bytes.byteLength)

test('a session tells each artifact once, with the observation after it came', async () => {
  let release!: () => void
  const hold = { execute: () => new Promise<void>((done) => (release = done)) }
  const codeMode = make({ tools: { give: { execute: ({ n }: { n: number }) => new Uint8Array(n) }, hold } })
  const session = codeMode.openSession({ observeMs: 5_000 })
  const first = await session.exec('await tools.give({ n: 1 }); yield_control(); await tools.hold(); await tools.give({ n: 2 }); return 1')
  expect([first.status, ids(first.artifacts)]).toEqual(['still_working', [1]])
  const rest = session.wait()
  await sleep(10)
  release()
  expect(await rest).toMatchObject({ status: 'completed' })
  expect(ids((await rest).artifacts)).toEqual([2])
  expect(await session.exec('return 1')).not.toHaveProperty('artifacts')
})

test('a later program of the session may pass an artifact on; other sessions may not', async () => {
  const { got, take } = taker()
  const codeMode = make({ tools: { give: gives(() => pixels), take } })
  const session = codeMode.openSession()
  await session.exec('store("shot", await tools.give())')
  expect(await session.exec('await tools.take(load("shot")); return 1')).toMatchObject({ status: 'completed' })
  expect(got).toEqual([pixels])
  const { value } = await session.exec('return load("shot")')
  const stranger = await codeMode.openSession().exec(`await tools.give(); await tools.take(${JSON.stringify(value)})`)
  expect(stranger).toMatchObject({ status: 'error', error: { name: 'ToolError' } })
})

test('a session forgets its oldest artifacts, told ones only, when room is needed', async () => {
  const { take } = taker()
  const session = make({ tools: { give: gives(() => new Uint8Array(60)), take }, limits: { maxArtifactBytes: 100 } }).openSession()
  expect(ids((await session.exec('store("one", await tools.give())')).artifacts)).toEqual([60])
  expect(ids((await session.exec('store("two", await tools.give())')).artifacts)).toEqual([60])
  expect(await session.exec('await tools.take(load("two"))')).toMatchObject({ status: 'completed' })
  expect((await session.exec('await tools.take(load("one"))')).error?.message).toContain('which is not kept here')
  expect((await session.exec('await tools.give(); await tools.give()')).error?.message).toContain('maxArtifactBytes')
})
