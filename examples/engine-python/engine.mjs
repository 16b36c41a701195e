// Python as an engine: programs run in `@pydantic/monty`, a Python interpreter in Rust, each in a process of its own that can be
// killed at any moment. The process has an empty environment and talks to this one in messages; it can call tools, and nothing else.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const interpreter = fileURLToPath(new URL('./interpreter.mjs', import.meta.url))
/** Words that cannot be names of functions in Python. */
const keywords = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

/** `get-price` is called as `get_price`. */
export function pythonName(tool) {
  const name = tool.replaceAll(/\W/g, '_').replace(/^(?=\d)/, '_')
  return keywords.has(name) ? `${name}_` : name
}

export function pythonEngine() {
  return {
    name: 'monty',
    language: 'Python',
    instructions({ signatures, toolNames }) {
      const functions = toolNames.map((name) =>
        pythonName(name) === name ? name : `${pythonName(name)} (${name})`,
      )
      return [
        '- The code is a Python program. The value of its last expression is the result: numbers, texts, booleans, None, lists and dictionaries.',
        '- Tools are functions that take keyword arguments, `get_price(item="apple")`, and give what the tool gave. A tool that fails raises a RuntimeError that says why.',
        '- Calls wait for each other. `print()` writes lines. There are no classes, no files and no network, and of the modules only a few, as `re`, `json` and `math`.',
        '- In a session `store(key, value)` keeps a value for later programs and `load(key)` gives it; `yield_control()` shows the output so far.',
        `- The functions: ${functions.join(', ')}. What they take and give, as TypeScript declarations:\n\n${signatures.trim()}`,
      ].join('\n')
    },
    openSession: (host) => new PythonSession(host),
  }
}

class PythonSession {
  #host
  #child
  #exited = Promise.resolve()
  #timer
  /** Milliseconds of computing that are left. */
  #left
  #since = 0

  constructor(host) {
    this.#host = host
    this.#left = host.limits.cpuTimeoutMs
  }

  /** The one program of the session. */
  execute(code) {
    const { limits, tools, session, abortSignal } = this.#host
    return new Promise((resolve) => {
      const fail = (error) => resolve({ status: 'failed', error })
      if (abortSignal.aborted) return fail(aborted())
      const child = fork(interpreter, {
        env: {},
        execArgv: [],
        serialization: 'advanced',
        stdio: 'ignore',
      })
      this.#child = child
      this.#exited = new Promise((exited) => child.once('exit', exited))
      abortSignal.addEventListener('abort', () => {
        fail(aborted())
        child.kill('SIGKILL')
      })
      child.on('error', (error) => fail(crashed(error.message)))
      child.on('exit', (status, signal) => fail(crashed(`it ended with ${status ?? signal}`)))
      child.on('message', (message) => {
        if (message.kind === 'end') resolve(message.outcome)
        else void this.#serve(message, fail)
      })
      const names = tools.map(({ name }) => [pythonName(name), name])
      const values = session && [...session.values]
      const start = {
        kind: 'start',
        code,
        names,
        values,
        memoryLimitBytes: limits.memoryLimitBytes,
      }
      this.#compute(start, fail)
    })
  }

  /** Gives the process something to compute on. Its time counts until it asks for something, or ends. */
  #compute(message, fail) {
    if (!this.#child.connected) return
    this.#since = performance.now()
    this.#timer = setTimeout(() => {
      fail({
        code: 'cpu_timeout',
        name: 'CpuTimeoutError',
        message: `the program computed for more than cpuTimeoutMs (${this.#host.limits.cpuTimeoutMs} ms)`,
      })
      this.#child.kill('SIGKILL')
    }, this.#left)
    this.#child.send(message, () => {})
  }

  async #serve(message, fail) {
    if (message.kind === 'print') return this.#host.log(message.line)
    clearTimeout(this.#timer)
    this.#left -= performance.now() - this.#since
    let answer
    try {
      answer = { kind: 'answer', value: (await this.#answer(message)) ?? null }
    } catch (error) {
      // The program is being ended: nothing in it may catch that.
      if (error.name === 'StopError') return
      answer = { kind: 'answer', error: { name: error.name, message: error.message } }
    }
    this.#compute(answer, fail)
  }

  #answer({ kind, tool, input, key, value }) {
    const { session } = this.#host
    if (kind === 'call') return this.#host.callTool(tool, input)
    if (!session) throw new TypeError('there is no session')
    if (kind === 'store') session.store(key, value)
    else session.yieldControl()
    return null
  }

  async close() {
    clearTimeout(this.#timer)
    this.#child?.kill('SIGKILL')
    await this.#exited
  }
}

const aborted = () => ({
  code: 'aborted',
  name: 'AbortError',
  message: 'the host ended the program',
})
const crashed = (why) => ({
  code: 'crashed',
  name: 'CrashError',
  message: `the interpreter's process failed: ${why}`,
})
