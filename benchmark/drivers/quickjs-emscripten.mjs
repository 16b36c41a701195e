// The baseline: the same engine compiled to WebAssembly on the JavaScript thread. One module, a fresh runtime and context
// per program, tools as promises, values as JSON text, an interrupt handler for the deadline.
import { getQuickJS } from 'quickjs-emscripten'

const defaults = { timeoutMs: 30_000, memoryLimitBytes: 64 << 20 }

const prelude = (names) => `{
  const call = globalThis.call
  delete globalThis.call
  const entries = ${JSON.stringify(names)}.map((name) => [
    name,
    (input) => call(name, JSON.stringify(input ?? {})).then(JSON.parse),
  ])
  globalThis.tools = Object.freeze(Object.fromEntries(entries))
}`

export async function open(tools) {
  const module = await getQuickJS()
  return {
    run: (source, overrides) => runOnce(module, tools, source, { ...defaults, ...overrides }),
    close: async () => {},
  }
}

async function runOnce(module, tools, source, limits) {
  const runtime = module.newRuntime()
  runtime.setMemoryLimit(limits.memoryLimitBytes)
  runtime.setMaxStackSize(512 * 1024)
  const deadline = Date.now() + limits.timeoutMs
  runtime.setInterruptHandler(() => Date.now() > deadline)
  const context = runtime.newContext()
  const pending = new Set()
  let timer
  const expired = new Promise((_, reject) => {
    timer = setTimeout(reject, limits.timeoutMs, new Error('timeout'))
  })
  const jobs = () => context.unwrapResult(runtime.executePendingJobs())
  try {
    installCall(context, tools, pending, jobs)
    context.unwrapResult(context.evalCode(prelude(Object.keys(tools)))).dispose()
    const program = `(async () => {\n${source}\n})().then((value) => JSON.stringify(value))`
    const promise = context.unwrapResult(context.evalCode(program))
    const settled = context.resolvePromise(promise)
    promise.dispose()
    jobs()
    const handle = context.unwrapResult(await Promise.race([settled, expired]))
    const text = context.typeof(handle) === 'undefined' ? 'null' : context.getString(handle)
    handle.dispose()
    return JSON.parse(text)
  } finally {
    clearTimeout(timer)
    for (const deferred of pending) deferred.dispose()
    pending.clear()
    context.dispose()
    runtime.dispose()
  }
}

function installCall(context, tools, pending, jobs) {
  const settle = (deferred, finish) => {
    if (!pending.delete(deferred)) return
    finish()
    jobs()
  }
  const call = context.newFunction('call', (nameHandle, inputHandle) => {
    const name = context.getString(nameHandle)
    const input = JSON.parse(context.getString(inputHandle))
    const deferred = context.newPromise()
    pending.add(deferred)
    Promise.resolve(tools[name](input)).then(
      (value) =>
        settle(deferred, () =>
          context
            .newString(JSON.stringify(value) ?? 'null')
            .consume((text) => deferred.resolve(text)),
        ),
      (error) =>
        settle(deferred, () =>
          context.newError(error.message).consume((thrown) => deferred.reject(thrown)),
        ),
    )
    return deferred.handle
  })
  context.setProp(context.global, 'call', call)
  call.dispose()
}
