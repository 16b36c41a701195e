// The blanked program against the TypeScript compiler's own output: both run in the same engine and must behave alike.
// Generated snippets cover types × places × the next line; real ones are read out of packages that ship their sources.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import ts from 'typescript'
import { afterAll, describe, expect, test } from 'vitest'
import { createCodeMode } from '../ts/index.ts'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const codeMode = createCodeMode({ tools: {}, limits: { maxOutputChars: 1_000_000, timeoutMs: 60_000 } })
afterAll(() => codeMode.close())

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  removeComments: true,
  useDefineForClassFields: true,
}
const compiled = (code: string) => ts.transpileModule(code, { compilerOptions }).outputText.replace(/^export \{\};\n?/m, '')

/** What a program does, without places. */
async function behaviour(code: string): Promise<string> {
  const outcome = await codeMode.run(code)
  return outcome.status === 'completed'
    ? JSON.stringify([outcome.result, outcome.logs])
    : `${outcome.error.code} ${outcome.error.name}: ${outcome.error.message}`
}

/** TypeScript's own parser takes it: pairs that only look like programs are left out. */
const isTypeScript = (code: string) => ts.transpileModule(code, { compilerOptions, reportDiagnostics: true }).diagnostics?.length === 0

async function compare(snippets: readonly string[]): Promise<string[]> {
  const differing: string[] = []
  for (let i = 0; i < snippets.length; i += 16) {
    const part = snippets.slice(i, i + 16)
    const pairs = await Promise.all(part.map(async (code) => [code, await behaviour(code), await behaviour(compiled(code))] as const))
    for (const [code, ours, theirs] of pairs)
      if (ours !== theirs || ours.startsWith('syntax_error')) differing.push(`${code}\n-- ours: ${ours}\n-- tsc:  ${theirs}`)
  }
  return differing.slice(0, 12)
}

const types = [
  'string',
  'any',
  'number[]',
  'readonly string[]',
  'Array<Map<string, Set<number>>>',
  '{ a: string; b?: number }',
  '{\n    a: string\n    readonly b: number\n  }',
  '"a" | \'b\' | `c`',
  '| 1\n  | 2',
  '1 & 2',
  '[first: string, second?: number, ...rest: boolean[]]',
  '(x: number, ...y: string[]) => string',
  '<U,>(x: U) => x is U',
  'new (x: number) => Date',
  'abstract new () => object',
  'typeof globalThis.Math',
  'keyof { a: 1 }',
  '{ a: 1 }["a"]',
  'string extends infer U ? U : never',
  '{ [K in "a" | "b"]?: K }',
  '{ readonly [key: string]: unknown }',
  '{ -readonly [K in keyof Date as `get${K}`]-?: Date[K] }',
  '`x${string}-${number}`',
  'import("x").Y<string>',
  'unique symbol',
  '(string | null)[] | undefined',
  '{ (x: number): string; new (x: string): Date; method?(): void; get a(): number; set a(v) }',
  'never /* : not a type */',
  '{ "quoted-key": 1; 5: 2; [Symbol.iterator](): Iterator<1> }',
  'Promise<Array<`${"a"}`>>',
]

/** Programs that use a type in every place where one can stand. */
const places: ((type: string) => string)[] = [
  (t) => `let a: ${t} = 1 as any\nreturn a`,
  (t) => `const a = [1, 2] as unknown as ${t}\nreturn a`,
  (t) => `const a = { b: 1 } satisfies ${t}\nreturn a`,
  (t) => `const a = <${t}>(<unknown>5)\nreturn a`,
  (t) => `type A = ${t}\n;[1].map((x) => x)\nreturn 1`,
  (t) => `type A<T = ${t}> = T\nreturn 1`,
  (t) => `interface A { p: ${t}; m(x: ${t}): ${t} }\nreturn 1`,
  (t) => `function f(x: ${t}, y?: ${t}, ...z: any[]): ${t} { return [x, y, z.length] as any }\nreturn f(1 as any)`,
  (t) => `function f(x: ${t}): void\nfunction f(x: any) { return x }\nreturn f(3 as never)`,
  (t) => `const f = (x: ${t} = 2 as any): ${t} => x\nreturn f()`,
  (t) => `const f = async <T extends ${t}>(x: T): Promise<${t}> => x as any\nreturn await f(4 as never)`,
  (t) => `const { a, b: [c] = [1] }: ${t} = { a: 1, b: [2] } as any\nreturn [a, c]`,
  (t) =>
    `class A<T> { private x: ${t} = 1 as any; static y?: ${t}; readonly z!: ${t}; get(this: A<T>, q?: ${t}): ${t} { return this.x } }\nreturn [new A().get(), Object.keys(new A()), 'y' in A]`,
  (t) =>
    `abstract class A { abstract p: ${t}; abstract m(x: ${t}): void; [k: string]: ${t}; q() { return 7 } }\nclass B extends A { declare p: ${t}; override m(x: ${t}) {} }\nreturn [new B().q(), Object.keys(new B())]`,
  (t) => `const s = new Map<string, ${t}>([['a', 1 as any]])\nreturn [...s]`,
  (t) => `for (const x of [1, 2] as any as ${t}) return x`,
  (t) => `try { throw 1 } catch (e: unknown) { return (e as ${t}) }`,
  (t) =>
    `const o = { m<T>(x: ${t}): ${t} { return x }, get g(): ${t} { return 1 as any }, async *a(x: ${t}) {} }\nreturn [o.m(1 as any), o.g]`,
  (t) => `declare const hidden: ${t}\ndeclare function nothing(x: ${t}): ${t}\nreturn typeof hidden`,
  (t) => `function isA(x: any): x is ${t} { return x === 1 }\nfunction must(x: any): asserts x is ${t} {}\nreturn [isA(1), must(2)]`,
  (t) => `const x: { y: ${t} }[] = [{ y: 1 as any }]\nreturn x[0]!.y!`,
]

/** Ends of a line that are a type, and beginnings of the next that must not join it. */
const ends = [
  'let y = x as any',
  'let y = x satisfies any',
  'let y = x!',
  'y = x as any',
  'let z: any',
  'let z!: any',
  'type Q = any',
  'interface Q { a: 1 }',
  'declare let q: any',
  'const g = () => x as any',
  'const g = async () => x!',
  'function f(a: any): any\n  function f(a) { return a }',
  'y ??= x as any',
  'void (x as any)',
  'let k = [x as any]',
  'abstract class C { abstract m(): void }',
  'let w = <any>x',
  'if (x) y = x as any',
]
const beginnings = [
  '(function () { log.push("called") })()',
  '[0].forEach((i) => log.push(i))',
  '`text`.length',
  '/re/.test("re")',
  '+log.length',
  '-log.length',
  '++n',
  'type',
  'declare',
  'namespace',
  'abstract',
  'async',
  '"use strict"',
  'log.push(1)',
  '{ log.push(2) }',
  ';(log)',
  'let m = 1',
  'class D {}',
]
const joined = ends.flatMap((end) =>
  beginnings.map(
    (begin) =>
      `var log: any[] = [], n = 0, y: any, type = 1, declare = 2, namespace = 3, abstract = 4, async = 5\nconst x: any = (...a: any[]) => (log.push(a.length), x)\ntry {\n  ${end}\n  ${begin}\n} catch (e: any) { log.push(e.name) }\nreturn [log, n, typeof y]`,
  ),
)

/** Class members whose types or modifiers go, in every order: none may become part of its neighbour. */
const members = [
  'a: number',
  'b = 1 as any',
  'static c?: string',
  'readonly d = 2',
  'private e',
  'get: any',
  'set!: string',
  'static: any',
  'async: 1',
  'declare f: any',
  '[k: string]: any',
  'public *g(): any {}',
  'protected async h?<T>(x: T) {}',
  "private ['i'] = 3",
  'public static readonly j: any = 4',
  'm(): void\n  m(x?: any) {}',
  'override = 5',
  'accessor: any',
  '#p: number = 6',
  'readonly [Symbol.iterator]: any = 7',
  'in = 8',
  'public get l(): any { return 9 }',
]
const classes = members.flatMap((one) =>
  members
    .filter((other) => other !== one)
    .map(
      (other) =>
        `class A {\n  ${one}\n  ${other}\n}\nconst it: any = new A()\nreturn [Reflect.ownKeys(it).map(String), Reflect.ownKeys(A.prototype).map(String), Reflect.ownKeys(A).map(String), Object.values(it)]`,
    ),
)

describe('generated snippets behave as what the compiler makes of them', () => {
  test(`${types.length} types in ${places.length} places`, async () => {
    const snippets = types.flatMap((type) => places.map((place) => place(type))).filter(isTypeScript)
    expect(snippets.length).toBeGreaterThan(500)
    expect(await compare(snippets)).toEqual([])
  }, 240_000)

  test(`${ends.length} ends of a line before ${beginnings.length} beginnings of the next`, async () => {
    const snippets = joined.filter(isTypeScript)
    expect(snippets.length).toBeGreaterThan(250)
    expect(await compare(snippets)).toEqual([])
  }, 240_000)

  test(`${members.length} class members before each other`, async () => {
    const snippets = classes.filter(isTypeScript)
    expect(snippets.length).toBeGreaterThan(350)
    expect(await compare(snippets)).toEqual([])
  }, 240_000)

  test('random programs', async () => {
    const type = fc.constantFrom(...types)
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'expression' },
        fc.constantFrom('1', '"a"', 'x', '[1, x]', '({ b: x })', 'null', '`t`'),
        fc.tuple(tie('expression'), type).map(([e, t]) => `(${e} as ${t})`),
        fc.tuple(tie('expression'), type).map(([e, t]) => `(${e} satisfies ${t})`),
        // The space: the parser takes `<<` for a shift.
        fc.tuple(tie('expression'), type).map(([e, t]) => `< ${t}>(${e})`),
        tie('expression').map((e) => `(${e})!`),
        fc.tuple(tie('expression'), type, type).map(([e, t, u]) => `((p: ${t}): ${u} => ${e})(x as any)`),
        fc.tuple(tie('expression'), type).map(([e, t]) => `(function <T>(this: any, p?: ${t}): T { return ${e} as T })()`),
        fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `[${a}, ${b} as any]`),
        fc.tuple(tie('expression'), type).map(([e, t]) => `new Map<string, ${t}>([['k', ${e}]]).get('k')!`),
        fc.tuple(tie('expression'), tie('expression'), type).map(([a, b, t]) => `(${a} ? ${b} as ${t} : ${a}!)`),
      ),
    }))
    const statement = fc.oneof(
      expression.map((e) => `log.push(${e} as any)`),
      fc.tuple(expression, type).map(([e, t]) => `x = ${e} as ${t}`),
      type.map((t) => `type A${'B'} = ${t}`),
      fc.tuple(expression, type).map(([e, t]) => `{ const y: ${t} = ${e} as any\n  log.push(y) }`),
    )
    const program = fc
      .array(statement, { minLength: 1, maxLength: 5 })
      .map(
        (lines) =>
          `var x: any = 0\nconst log: any[] = []\n${lines.map((line, i) => line.replace('type AB', `type A${i}`)).join('\n')}\nreturn [log, x]`,
      )
    await fc.assert(
      fc.asyncProperty(program, async (code) => {
        expect(await compare([code])).toEqual([])
      }),
      { numRuns: 300 },
    )
  }, 240_000)
})

/** The text of JavaScript without comments, needless parentheses and empty statements. */
function normalised(code: string): string {
  const source = ts.createSourceFile('a.js', code, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS)
  const plain: ts.TransformerFactory<ts.SourceFile> = (context) => (file) => {
    const visit = (node: ts.Node): ts.Node | undefined => {
      if (ts.isParenthesizedExpression(node)) return visit(node.expression)
      if (ts.isEmptyStatement(node) && (ts.isBlock(node.parent) || ts.isSourceFile(node.parent) || ts.isCaseOrDefaultClause(node.parent)))
        return undefined
      if (ts.isSemicolonClassElement(node)) return undefined
      return ts.visitEachChild(node, visit, context)
    }
    return ts.visitNode(file, visit) as ts.SourceFile
  }
  const { transformed } = ts.transform(source, [plain])
  const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed })
  // Where the original text had its line ends says nothing.
  return printer.printFile(transformed[0]!).replaceAll(/\s*([^\w\s$])\s*/g, '$1')
}

const packages = [
  'zod/src',
  'ai/src',
  'ajv/lib',
  '@ai-sdk/provider-utils/src',
  'eventsource-parser/src',
  '@jridgewell/gen-mapping/src',
  '@jridgewell/trace-mapping/src',
]

/** Named functions and classes of the files of packages that ship their TypeScript. */
function realSnippets(): { name: string; where: string; code: string }[] {
  const found: { name: string; where: string; code: string }[] = []
  for (const folder of packages) {
    const from = path.join(root, 'node_modules', folder)
    if (!fs.existsSync(from)) continue
    for (const file of fs.readdirSync(from, { recursive: true, encoding: 'utf8' })) {
      if (!/(?<!\.d|\.test|\.test-d)\.ts$/.test(file)) continue
      const text = fs.readFileSync(path.join(from, file), 'utf8')
      const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true)
      for (const node of source.statements) {
        if (!(ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) || !node.name) continue
        if (ts.isFunctionDeclaration(node) && !node.body) continue
        const code = node.getText(source)
        if (code.length < 20_000)
          found.push({ name: node.name.text, where: `${folder}/${file}`, code: code.replace(/^export (default )?/, '') })
      }
    }
  }
  return found
}

/** The base class and static values are not there: the class is never evaluated, its text is taken from a function around it. */
const asText = ({ name, code }: { name: string; code: string }) =>
  `function holder(): unknown {\n${code}\nreturn ${name}\n}\nreturn String(holder)`

describe('real sources', () => {
  const snippets = realSnippets()

  test('functions and classes of packages that ship their TypeScript come out as the compiler prints them', async () => {
    expect(snippets.length).toBeGreaterThan(500)
    const differing: string[] = []
    let refused = 0
    for (const snippet of snippets) {
      const code = asText(snippet)
      const outcome = await codeMode.run(code)
      if (outcome.status === 'failed') {
        // What TypeScript makes code of is refused by name, and only that.
        const { message, line, column } = outcome.error
        if (
          /^a (TypeScript (`enum`|`namespace`|parameter property)|decorator)|^`import`/.test(message) &&
          line !== undefined &&
          column !== undefined
        )
          refused++
        else differing.push(`${snippet.where} ${snippet.name}: ${message}\n${snippet.code.slice(0, 2_000)}`)
        continue
      }
      const ours = normalised(outcome.result as string)
      const theirs = normalised(compiled(`function holder(): unknown {\n${snippet.code}\nreturn ${snippet.name}\n}`))
      if (ours !== theirs)
        differing.push(`${snippet.where} ${snippet.name}\n-- ours: ${ours.slice(0, 3_000)}\n-- tsc:  ${theirs.slice(0, 3_000)}`)
    }
    expect(differing.slice(0, 3)).toEqual([])
    expect(refused).toBeLessThan(snippets.length / 10)
  }, 240_000)
})
