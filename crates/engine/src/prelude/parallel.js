// `tools.parallel([...])`: promises are awaited, functions are called; the values in the order of the list.
(async (items) => {
  if (!Array.isArray(items)) throw new TypeError('tools.parallel() takes one array of promises or of functions that make them')
  return Promise.all(items.map(async (item) => (typeof item === 'function' ? item() : item)))
})
