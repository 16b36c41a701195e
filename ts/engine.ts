// Engines of other languages: their contract.
import type { Json } from './json.ts'
import type { Limits } from './limits.ts'
import type { RunFailure } from './outcome.ts'

/** Another language behind the same gate. */
export interface CodeModeEngine {
  readonly language: string
  /** The part of the tool description that tells the model how to write programs. */
  instructions(catalog: {
    readonly signatures: string
    readonly toolNames: readonly string[]
  }): string
  openSession(host: {
    /** Goes through the whole gate. Rejects with the error the program should see. */
    callTool(name: string, input: Json): Promise<Json>
    log(line: string): void
    readonly limits: Limits
    readonly abortSignal: AbortSignal
  }): EngineSession
}

export interface EngineSession {
  /** Runs one program to its end. Must honour the signal and the limits; must not throw for what the program did. */
  execute(
    code: string,
  ): Promise<
    | { readonly status: 'completed'; readonly result: Json }
    | { readonly status: 'failed'; readonly error: Omit<RunFailure, 'modelText'> }
  >
  close(): Promise<void>
}
