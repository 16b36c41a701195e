// The structured clone algorithm for what exists in the realm. Evaluated in the guest's realm, on first use.
(() => {
  const { getPrototypeOf, keys } = Object
  const refuse = (what) => {
    const error = new TypeError(`${what} cannot be cloned`)
    error.name = 'DataCloneError'
    throw error
  }
  const errors = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]
  const typed = typeof ArrayBuffer === 'function' ? getPrototypeOf(Uint8Array) : undefined
  return (root) => {
    const seen = new Map()
    const copy = (value) => {
      if (typeof value === 'function') refuse('a function')
      if (typeof value === 'symbol') refuse('a symbol')
      if (value === null || typeof value !== 'object') return value
      if (seen.has(value)) return seen.get(value)
      const keep = (made) => {
        seen.set(value, made)
        return made
      }
      if (Array.isArray(value)) {
        const made = keep(new Array(value.length))
        for (const key of keys(value)) made[key] = copy(value[key])
        return made
      }
      if (value instanceof Date) return keep(new Date(value.getTime()))
      if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags))
      if (value instanceof Boolean || value instanceof Number || value instanceof String) {
        return keep(Object(value.valueOf()))
      }
      if (value instanceof Map) {
        const made = keep(new Map())
        for (const [key, item] of [...value]) made.set(copy(key), copy(item))
        return made
      }
      if (value instanceof Set) {
        const made = keep(new Set())
        for (const item of [...value]) made.add(copy(item))
        return made
      }
      if (value instanceof Error) {
        const kind = errors.find((one) => one.name === value.name) ?? Error
        const made = keep(Object.create(kind.prototype))
        const shell = new kind(String(value.message))
        for (const key of ['message', 'stack']) {
          Object.defineProperty(made, key, { value: shell[key], writable: true, configurable: true })
        }
        if ('cause' in value) made.cause = copy(value.cause)
        return made
      }
      if (typed !== undefined && value instanceof ArrayBuffer) return keep(value.slice(0))
      if (typed !== undefined && value instanceof typed) return keep(value.slice())
      if (value instanceof Promise) refuse('a promise')
      const made = keep({})
      for (const key of keys(value)) {
        Object.defineProperty(made, key, {
          value: copy(value[key]),
          writable: true,
          enumerable: true,
          configurable: true,
        })
      }
      return made
    }
    return copy(root)
  }
})()
