// The only place where values become JSON text and back. `__proto__` stays an own key, a copy shares nothing with its origin.
import { isMedia } from './media.ts'

/** A value that JSON text can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** JSON Schema draft 7 or 2020-12, as data. */
export type JsonSchema = Record<string, unknown> | boolean

/** Thrown by `encodeJson`: what about the value is not JSON, in words that are safe to show to a script. */
export class NotJson {
  constructor(readonly reason: string) {}
}

export interface EncodedJson {
  /** Undefined where the value is `undefined`, or has a `toJSON` that gives it. */
  readonly text: string | undefined
  /** Names of classes whose instances became `{}`: their data was lost. */
  readonly emptied: readonly string[]
}

const nothingLost: readonly string[] = []

export function parseJson(text: string): unknown {
  return JSON.parse(text)
}

export function stringifyJson(value: Json): string {
  return JSON.stringify(value)
}

/**
 * JSON text of anything a host may return, with the semantics of `JSON.stringify`; refuses what those would garble.
 * `setAside` gets a value that holds media, and gives what stands for it; without it bytes are refused.
 */
export function encodeJson(value: unknown, setAside?: (value: unknown) => unknown): EncodedJson {
  switch (typeof value) {
    case 'undefined':
      return { text: undefined, emptied: nothingLost }
    case 'string':
    case 'number':
    case 'boolean':
      return { text: JSON.stringify(value), emptied: nothingLost }
    case 'function':
    case 'symbol':
      throw new NotJson(`it is a ${typeof value}`)
    default:
      return encodeObject(value, setAside)
  }
}

/** What a look at a value found. */
interface Seen {
  readonly emptied: string[]
  /** False: media are no concern of whoever asks. */
  readonly looksForMedia: boolean
  media: boolean
}

/** Most results are an ordinary object of nothing but text, numbers and the like, which cannot be media: they need no further look. */
function encodeFlat(value: unknown): EncodedJson | undefined {
  try {
    return isFlat(value) ? { text: JSON.stringify(value), emptied: nothingLost } : undefined
  } catch {
    // The full look finds words for it.
    return undefined
  }
}

function isFlat(value: unknown): boolean {
  if (value === null || Object.getPrototypeOf(value) !== Object.prototype) return false
  for (const key in value as object) {
    const part = (value as Record<string, unknown>)[key]
    const kind = typeof part
    if (kind === 'string' && key !== 'type') continue
    if (kind !== 'number' && kind !== 'boolean' && part !== null) return false
  }
  return true
}

function encodeObject(value: unknown, setAside?: (value: unknown) => unknown): EncodedJson {
  const flat = encodeFlat(value)
  if (flat) return flat
  const seen: Seen = { emptied: [], looksForMedia: setAside !== undefined, media: false }
  const { emptied } = seen
  let tooDeep = false
  try {
    inspect(value, seen)
  } catch (error) {
    if (error instanceof NotJson) throw error
    // A cycle overflows the stack here; stringify below tells it from mere depth.
    if (!(error instanceof RangeError)) throw new NotJson('it cannot be read')
    tooDeep = true
  }
  const plain = seen.media && !tooDeep && setAside ? setAside(value) : value
  try {
    const text: string | undefined = JSON.stringify(plain)
    if (tooDeep) throw new NotJson('it is nested too deeply')
    return { text, emptied }
  } catch (error) {
    throw error instanceof NotJson ? error : new NotJson(reasonOf(error))
  }
}

function reasonOf(error: unknown): string {
  let message = ''
  try {
    if (error instanceof RangeError) return 'it is too large or nested too deeply'
    if (error instanceof TypeError) message = error.message
  } catch {
    return 'it cannot be read'
  }
  if (message.startsWith('Converting circular structure')) return 'it refers to itself'
  if (message.includes('serialize a BigInt')) return 'it holds a BigInt'
  return 'a getter or toJSON of it throws'
}

/** Looks for what `JSON.stringify` would turn into garbage: bytes and streams are refused, emptied instances are noted. */
function inspect(value: unknown, seen: Seen): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) inspect(value[i], seen)
    return
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  const plain =
    prototype === Object.prototype ||
    prototype === null ||
    Object.getPrototypeOf(prototype) === null
  // Most objects are plain and have no `type`: they cost one look.
  const mayBeMedia = !plain || typeof (value as { type?: unknown }).type === 'string'
  if (mayBeMedia && seen.looksForMedia && isMedia(value)) {
    seen.media = true
    return
  }
  const keys = Object.keys(value)
  if (!plain && inspectInstance(value, keys.length, seen.emptied)) return
  for (const key of keys) inspect((value as Record<string, unknown>)[key], seen)
}

/** True where the instance needs no further look. */
function inspectInstance(value: object, keys: number, emptied: string[]): boolean {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    throw new NotJson(
      `it holds a ${className(value)}; return base64 text or a list of numbers instead`,
    )
  }
  const { pipe, on, toJSON } = value as Record<string, unknown>
  if (typeof pipe === 'function' && typeof on === 'function')
    throw new NotJson(`it holds a stream (${className(value)}); return its data instead`)
  if (typeof toJSON === 'function') return true
  if (value instanceof Number || value instanceof Boolean || value instanceof String) return true
  if (keys === 0 && !emptied.includes(className(value))) emptied.push(className(value))
  return false
}

function className(value: object): string {
  const name: unknown = (value.constructor as { name?: unknown } | undefined)?.name
  return typeof name === 'string' && /^[\w$]{1,40}$/.test(name) ? name : 'class instance'
}

/** Texts up to this length are parsed at once, longer ones when somebody looks. */
const parsedAtOnce = 4_096

/** Gives `target` the value of a JSON text as its `result`. */
export function defineResult(target: { result?: unknown }, text: string): void {
  if (text.length <= parsedAtOnce) {
    target.result = parseJson(text)
    return
  }
  let value: unknown
  Object.defineProperty(target, 'result', {
    get: () => (value ??= parseJson(text)),
    enumerable: true,
    configurable: true,
  })
}

/** A deep copy of a JSON value. */
export function copyJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyJson)
  const copy: Record<string, Json> = {}
  for (const key of Object.keys(value)) {
    const part = copyJson(value[key] as Json)
    if (key === '__proto__') setOwn(copy, key, part)
    else copy[key] = part
  }
  return copy
}

function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  })
}

/** Freezes a JSON value in depth, without recursion, and returns it. */
export function freezeJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  const open: object[] = [value]
  for (let part = open.pop(); part; part = open.pop()) {
    Object.freeze(part)
    for (const inner of Object.values(part) as Json[])
      if (typeof inner === 'object' && inner !== null) open.push(inner)
  }
  return value
}

/** The same JSON value with every string, key or not, passed through `change`. */
export function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((part) => mapStrings(part, change))
  const mapped: Record<string, Json> = {}
  for (const key of Object.keys(value))
    setOwn(mapped, change(key), mapStrings(value[key] as Json, change))
  return mapped
}

/** At most `limit` characters; what was cut is said at the end. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text
  const mark = `… (${text.length - limit} more characters)`
  return text.slice(0, Math.max(0, limit - mark.length)) + mark
}
