// Runs every ```ts and ```js fence of the README and the guides, and type-checks the former. What stands after `// → ` is compared with what is printed.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatWithOptions } from 'node:util'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const folder = path.join(root, '__test__', `.docs-${process.pid}`)
const guides = fs.existsSync(path.join(root, 'docs')) ? fs.readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md')) : []
const documents = ['README.md', ...guides.map((name) => `docs/${name}`)].filter((name) => fs.existsSync(path.join(root, name)))

/** The source behind an entry of the package. */
function sourceOf(_: string, entry = ''): string {
  const at =
    entry === ''
      ? 'index.ts'
      : ['adapters/NAME.ts', 'adapters/NAME/index.ts', 'NAME/index.ts'].map((file) => file.replace('NAME', entry.slice(1)))
  const file = [at].flat().find((candidate) => fs.existsSync(path.join(root, 'ts', candidate)))
  return `'../../ts/${file}'`
}

interface Fence {
  readonly name: string
  readonly code: string
  readonly file: string
  readonly printed: readonly string[]
}

const fences: Fence[] = documents.flatMap((document) => {
  const text = fs.readFileSync(path.join(root, document), 'utf8')
  return [...text.matchAll(/^```(ts|js)\n([\s\S]*?)^```$/gm)].map(({ 1: language = '', 2: code = '', index }, n) => ({
    name: `${document}, line ${text.slice(0, index).split('\n').length}`,
    code,
    file: path.join(folder, `${document.replaceAll(/\W/g, '_')}_${n}.${language}`),
    printed: [...code.matchAll(/\/\/ → (.*)$/gm)].map((match) => match[1] ?? ''),
  }))
})

beforeAll(() => {
  fs.mkdirSync(folder, { recursive: true })
  for (const { file, code } of fences) fs.writeFileSync(file, `${code.replaceAll(/'codemode-native(\/[\w-]+)?'/g, sourceOf)}\nexport {}\n`)
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

test('there are guides with examples', () => {
  for (const guide of ['docs/gate.md', 'docs/approvals.md', 'docs/observability.md'])
    expect(
      fences.some((fence) => fence.name.startsWith(guide)),
      guide,
    ).toBe(true)
})

test('every example type-checks', () => {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: { compilerOptions: object }
  }
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const program = ts.createProgram(
    fences.map((fence) => fence.file).filter((file) => file.endsWith('.ts')),
    options,
  )
  const errors = ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const fence = fences.find((candidate) => candidate.file === diagnostic.file?.fileName)
    return `${fence?.name ?? diagnostic.file?.fileName}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}`
  })
  expect(errors).toEqual([])
}, 180_000)

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

test('every heading that a link names is there', () => {
  const anchors = new Map(
    documents.map((document) => {
      const text = fs.readFileSync(path.join(root, document), 'utf8').replaceAll(/```[\s\S]*?```/g, '')
      return [document, [...text.matchAll(/^#+ (.*)$/gm)].map((match) => anchorOf(match[1] ?? ''))] as const
    }),
  )
  const broken = documents.flatMap((document) => {
    const text = fs.readFileSync(path.join(root, document), 'utf8').replaceAll(/```[\s\S]*?```/g, '')
    return [...text.matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)].flatMap(({ 1: file = '', 2: anchor = '' }) => {
      const target = file === '' ? document : path.posix.join(path.posix.dirname(document), file)
      return anchors.get(target)?.includes(anchor) === false ? [`${document}: ${file}#${anchor}`] : []
    })
  })
  expect(broken).toEqual([])
})

test('the index names every guide; the README stays short', () => {
  const index = fs.readFileSync(path.join(root, 'docs/README.md'), 'utf8')
  expect(guides.filter((name) => name !== 'README.md' && !index.includes(`](${name})`))).toEqual([])
  expect(fs.readFileSync(path.join(root, 'README.md'), 'utf8').split('\n').length).toBeLessThan(250)
})

test('every link between documents leads somewhere', () => {
  const broken = documents.flatMap((document) => {
    const text = fs.readFileSync(path.join(root, document), 'utf8').replaceAll(/```[\s\S]*?```/g, '')
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? '')
    return targets
      .filter((target) => !fs.existsSync(path.join(root, path.dirname(document), target)))
      .map((target) => `${document}: ${target}`)
  })
  expect(broken).toEqual([])
})

describe('every example runs and prints what it says', () => {
  test.each(fences)('$name', async ({ file, printed }) => {
    expect.assertions(1)
    expect.assertions(1)
    const lines: string[] = []
    const log = vi
      .spyOn(console, 'log')
      .mockImplementation((...args) => void lines.push(formatWithOptions({ breakLength: Infinity }, ...args)))
    try {
      await import(/* @vite-ignore */ file)
    } finally {
      log.mockRestore()
    }
    // An example that promises nothing may print what it likes.
    expect(printed.length > 0 ? lines : []).toEqual(printed)
  })
})
