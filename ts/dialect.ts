// Names that programs find their tools under. The native side makes them; here are the words for the model.

/** `native` and `codex`: `tools.x(args)`. `cloudflare`: `codemode.x(args)`. `tanstack` and `mastra`: `external_x(args)`. */
export type Dialect = 'native' | 'codex' | 'cloudflare' | 'tanstack' | 'mastra'

export const dialects: readonly Dialect[] = ['native', 'codex', 'cloudflare', 'tanstack', 'mastra']

export interface DialectWords {
  /** The object that has the helpers, and in most dialects the tools. */
  readonly object: string
  /** How a call is written. */
  readonly call: string
}

export function wordsOf(dialect: Dialect): DialectWords {
  if (dialect === 'cloudflare') return { object: 'codemode', call: 'codemode.name(args)' }
  const call = dialect === 'tanstack' || dialect === 'mastra' ? 'external_name' : 'tools.name'
  return { object: 'tools', call: `${call}(args)` }
}
