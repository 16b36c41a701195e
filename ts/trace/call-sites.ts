// Where a program names a tool, and which of its calls fit there. A record does not say which line made it, so this goes by what is written:
// the name, and those arguments that stand there as plain values.
import type { Json } from '../index.ts'

export interface CallSite {
  /** From 1. */
  readonly line: number
  /** How many arguments written out here the call has; undefined where one of them differs. */
  fits(input: Json): number | undefined
}

type Literal = string | number | boolean | null
type Literals = ReadonlyMap<string, Literal>

export function findSites(source: string, toolName: string): CallSite[] {
  const name = toolName.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const named = new RegExp(
    `(?:\\b(?:tools|codemode)\\s*\\??\\.\\s*${name}(?![\\w$])|\\bexternal_${name}(?![\\w$])|(["'\`])${name}\\1)`,
    'g',
  )
  return [...source.matchAll(named)].map(({ 0: text, index }) => {
    const line = source.slice(0, index).split(/\r\n|\n|\r/).length
    const opening = /^\s*\]?\s*(?:\?\.\s*)?\(\s*\{/.exec(source.slice(index + text.length))
    const written: Literals = opening
      ? readLiterals(source, index + text.length + opening[0].length)
      : new Map()
    return { line, fits: (input) => fits(written, input) }
  })
}

function fits(written: Literals, input: Json): number | undefined {
  if (written.size === 0) return 0
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
  const given = new Map(Object.entries(input))
  for (const [key, value] of written) if (given.get(key) !== value) return undefined
  return written.size
}

const space = /\s*/y
const keyOf = /(?:([A-Za-z_$][\w$]*)|'([^'\\\n]*)'|"([^"\\\n]*)")/y
const literal =
  /(?:'([^'\\\n]*)'|"([^"\\\n]*)"|(-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false|null))(?=\s*[,}])/y
const nothing: Literals = new Map()

/** The plain values of an object literal, from behind its brace; none where the text is not understood to its end. */
function readLiterals(source: string, start: number): Literals {
  const found = new Map<string, Literal>()
  let at = start
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const match = pattern.exec(source)
    if (match) at = pattern.lastIndex
    return match
  }
  for (;;) {
    take(space)
    if (source[at] === '}') return found
    const key = take(keyOf)
    if (!key) return nothing
    const name = key[1] ?? key[2] ?? key[3] ?? ''
    take(space)
    found.delete(name)
    if (source[at] === ':') {
      at++
      take(space)
      const value = take(literal)
      if (value)
        found.set(name, value[1] ?? value[2] ?? (JSON.parse(value[3] ?? 'null') as Literal))
      else at = skipValue(source, at)
    }
    take(space)
    if (source[at] === ',') at++
    else if (source[at] !== '}') return nothing
  }
}

/** The place of the comma or brace behind an expression; the end of the text where that cannot be told without parsing. */
function skipValue(source: string, start: number): number {
  let depth = 0
  for (let at = start; at < source.length; at++) {
    const sign = source[at] ?? ''
    if (depth === 0 && (sign === ',' || sign === '}')) return at
    if ('([{'.includes(sign)) depth++
    else if (')]}'.includes(sign)) depth--
    else if ('`/\\'.includes(sign)) break
    else if (sign === '"' || sign === "'") {
      const end = source.indexOf(sign, at + 1)
      if (end < 0 || source.slice(at, end).includes('\\')) break
      at = end
    }
  }
  return source.length
}
