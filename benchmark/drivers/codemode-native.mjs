// The package as a user has it: one instance for one set of tools, `run()` per program.
import { createCodeMode } from '../../dist/index.js'

const limits = {
  timeoutMs: 30_000,
  memoryLimitBytes: 64 << 20,
  maxToolCalls: 1_000_000,
  toolConcurrency: 10_000,
}

/** Only makes one of full definitions, and gives it back. */
export const create = (tools, options) => createCodeMode({ tools, ...options })

/** Drivers of one isolation. `run(source, overrides)` gives the value or throws; `check` is the package's own; `close` frees everything. */
export const openWith = (isolation) => async (tools) => {
  const codeMode = createCodeMode({
    isolation,
    limits,
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, execute]) => [
        name,
        { inputSchema: { type: 'object' }, execute },
      ]),
    ),
  })
  return {
    async run(source, overrides) {
      const outcome = await codeMode.run(source, { limits: overrides })
      if (outcome.status === 'completed') return outcome.result
      throw new Error(`${outcome.error.code}: ${outcome.error.message}`)
    },
    check: (source) => codeMode.check(source),
    close: () => codeMode.close(),
  }
}

export const open = openWith('thread')
