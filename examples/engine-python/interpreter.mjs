// The process of one Python program. It computes, and asks its parent for everything else, one thing at a time.
import { Monty, MontyComplete, MontyNameLookup, MontySyntaxError } from '@pydantic/monty'

let answered
process.on('message', (message) => {
  if (message.kind === 'start') void run(message)
  else answered(message)
})

function ask(message) {
  const answer = new Promise((resolve) => (answered = resolve))
  process.send(message)
  return answer
}

async function run({ code, names, values, memoryLimitBytes }) {
  let outcome
  try {
    const result = await interpret(
      code,
      new Map(names),
      values && new Map(values),
      memoryLimitBytes,
    )
    outcome = { status: 'completed', result: toJson(result) }
  } catch (error) {
    outcome = { status: 'failed', error: describe(error) }
  }
  process.send({ kind: 'end', outcome })
}

async function interpret(code, tools, stored, memoryLimitBytes) {
  let line = ''
  const print = (_stream, text) => {
    const lines = (line + text).split('\n')
    line = lines.pop()
    for (const whole of lines) process.send({ kind: 'print', line: whole })
  }
  let state = new Monty(code, { scriptName: 'program.py' }).start({
    limits: { maxMemory: memoryLimitBytes, maxRecursionDepth: 1_000 },
    printCallback: print,
  })
  while (!(state instanceof MontyComplete)) {
    // A tool may be named without being called; every other unknown name is an error of the program.
    if (state instanceof MontyNameLookup) state = state.resume(nameOf(state, tools))
    else state = state.resume(await call(state, tools, stored))
  }
  if (line !== '') process.send({ kind: 'print', line })
  return state.output
}

function nameOf({ variableName }, tools) {
  if (!tools.has(variableName)) return undefined
  return { value: Object.defineProperty(() => {}, 'name', { value: variableName }) }
}

async function call({ functionName, args, kwargs }, tools, stored) {
  try {
    const value = await answerOf(functionName, args, kwargs, tools, stored)
    return { returnValue: value }
  } catch (error) {
    return { exception: { type: error.type ?? 'RuntimeError', message: error.message } }
  }
}

function answerOf(name, args, kwargs, tools, stored) {
  if (stored && name === 'load') return stored.get(String(args[0])) ?? null
  if (stored && name === 'store') return store(String(args[0]), args[1], stored)
  if (stored && name === 'yield_control') return request({ kind: 'yield' })
  const tool = tools.get(name)
  if (tool === undefined) throw raised('NameError', `name '${name}' is not defined`)
  if (args.length > 1 || (args.length === 1 && !(args[0] instanceof Map)))
    throw raised('TypeError', `${name}() takes keyword arguments`)
  return request({ kind: 'call', tool, input: { ...toJson(args[0] ?? {}), ...toJson(kwargs) } })
}

async function store(key, value, stored) {
  const json = value === undefined ? undefined : toJson(value)
  await request({ kind: 'store', key, value: json })
  stored.set(key, json)
  return null
}

async function request(message) {
  const { value, error } = await ask(message)
  if (!error) return value
  const types = { TypeError: 'TypeError', RangeError: 'ValueError' }
  throw raised(types[error.name] ?? 'RuntimeError', error.message)
}

function raised(type, message) {
  return Object.assign(new Error(message), { type })
}

class NotSerializable extends Error {}

/** Python's values as JSON; what JSON has no word for is refused. */
function toJson(value) {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (Array.isArray(value)) return value.map(toJson)
  if (value instanceof Map) return fromEntries([...value])
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype)
    return fromEntries(Object.entries(value))
  throw new NotSerializable(
    `the value holds ${typeof value === 'bigint' ? 'an int of more than 53 bits' : kindOf(value)}, which JSON has no word for`,
  )
}

function fromEntries(entries) {
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (typeof key !== 'string')
        throw new NotSerializable('a dictionary has a key that is no text')
      return [key, toJson(value)]
    }),
  )
}

function kindOf(value) {
  if (value instanceof Set) return 'a set'
  if (value instanceof Uint8Array) return 'bytes'
  return typeof value === 'number' ? String(value) : `a ${typeof value}`
}

function describe(error) {
  if (error instanceof NotSerializable)
    return { code: 'not_serializable', name: 'NotSerializableError', message: error.message }
  const { typeName = 'Error', message = error.message } = error.exception ?? {}
  if (error instanceof MontySyntaxError || typeName === 'SyntaxError')
    return { code: 'syntax_error', name: 'SyntaxError', message }
  if (typeName === 'MemoryError' && message.startsWith('memory limit exceeded'))
    return { code: 'memory_limit', name: 'MemoryLimitError', message }
  const frame = error.traceback?.().at(-1)
  return {
    code: 'script_error',
    name: typeName,
    message,
    ...(frame ? { line: frame.line, column: frame.column } : {}),
  }
}
