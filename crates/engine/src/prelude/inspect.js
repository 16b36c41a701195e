// Text of one value for a console line. Evaluated in the guest's realm, on first use.
(() => {
  const { stringify } = JSON
  const { from, isArray } = Array
  const render = (value) => {
    switch (typeof value) {
      case 'symbol':
        return Symbol.prototype.toString.call(value)
      case 'function':
        return `[Function: ${value.name || 'anonymous'}]`
      case 'bigint':
        return `${value}n`
    }
    if (value instanceof Error) {
      const name = String(value.name)
      const message = String(value.message)
      return message ? `${name}: ${message}` : name
    }
    if (value instanceof Map) return { Map: from(value) }
    if (value instanceof Set) return { Set: from(value) }
    if (value instanceof RegExp) return String(value)
    if (value instanceof Promise) return '[Promise: await it]'
    return value
  }
  return (value) => {
    const path = []
    const replace = function (key, item) {
      const shown = render(item)
      if (shown === null || typeof shown !== 'object') return shown
      // `this` is the holder: what is below it on the path was left.
      while (path.length > 0 && path[path.length - 1].shown !== this) path.pop()
      for (const step of path) if (step.item === item) return '[Circular]'
      path.push({ item, shown })
      return shown
    }
    const top = render(value)
    if (typeof top === 'string') return top
    try {
      return stringify(value, replace) ?? '[object]'
    } catch (error) {
      return `[unreadable object: ${error instanceof Error ? error.message : 'it threw'}]`
    }
  }
})()
