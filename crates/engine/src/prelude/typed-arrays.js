// JSON of bytes is a list of numbers, not an object with numeric keys.
(() => {
  const { from } = Array
  const define = (target, toJSON) =>
    Object.defineProperty(target, 'toJSON', { value: toJSON, writable: true, configurable: true })
  define(Object.getPrototypeOf(Uint8Array.prototype), {
    toJSON() {
      return from(this)
    },
  }.toJSON)
  define(ArrayBuffer.prototype, {
    toJSON() {
      return from(new Uint8Array(this))
    },
  }.toJSON)
})()
