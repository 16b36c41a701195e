// Misuse: what an option should have been, and what came instead.

/** The wrong type: a TypeError that names the option, what it should be and what it was. */
export function wrongType(path: string, wanted: string, got: unknown): TypeError {
  return new TypeError(sentence(path, wanted, got))
}

/** The right type out of its range: a RangeError with the same sentence. */
export function outOfRange(path: string, wanted: string, got: unknown): RangeError {
  return new RangeError(sentence(path, wanted, got))
}

function sentence(path: string, wanted: string, got: unknown): string {
  return `Expected \`${path}\` to be ${wanted}, got ${show(got)}`
}

function show(value: unknown): string {
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  switch (type) {
    case 'undefined':
    case 'null':
      return `\`${type}\``
    case 'string':
      return `\`${JSON.stringify((value as string).slice(0, 80))}\` (string)`
    case 'number':
    case 'boolean':
    case 'bigint':
      return `\`${String(value)}\` (${type})`
    default:
      return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
  }
}

export function expectFunction(path: string, value: unknown): void {
  if (typeof value !== 'function') throw wrongType(path, 'a function', value)
}

export function expectBoolean(path: string, value: unknown): void {
  if (typeof value !== 'boolean') throw wrongType(path, 'a boolean', value)
}

export function expectObject(path: string, value: unknown): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrongType(path, 'an object', value)
}

export function expectArray(path: string, value: unknown): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) throw wrongType(path, 'an array', value)
}

export function expectOneOf(path: string, value: unknown, choices: readonly string[]): void {
  if (typeof value === 'string' && choices.includes(value)) return
  const wanted = `one of ${choices.map((choice) => `\`${choice}\``).join(', ')}`
  throw typeof value === 'string' ? outOfRange(path, wanted, value) : wrongType(path, wanted, value)
}

export function expectText(path: string, value: unknown): asserts value is string {
  if (typeof value !== 'string' || value === '') throw wrongType(path, 'a non-empty string', value)
}

/** Refuses keys that nobody reads: a misspelt limit must not mean "no limit". */
export function expectKnownKeys(path: string, value: object, known: readonly string[]): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const where = path === '' ? key : `${path}.${key}`
    throw new TypeError(`Unknown option \`${where}\`. Known here: ${known.join(', ')}`)
  }
}
