// Sessions (exec, wait, stop): their contract.
import type { Artifact, RunFailure } from './outcome.ts'
import type { Json, JsonSchema } from './json.ts'

export interface SessionOptions {
  /**
   * How many milliseconds exec and wait watch a program.
   * @default 60_000
   */
  readonly observeMs?: number
  /**
   * Total life of one program in milliseconds; it takes the place of `limits.timeoutMs`.
   * @default 3_600_000
   */
  readonly wallMs?: number
  /**
   * Programs per session.
   * @default 16
   */
  readonly maxPrograms?: number
  /**
   * Milliseconds for cleanup before it counts as failed.
   * @default 5_000
   */
  readonly cleanupMs?: number
}

export interface ProgramResult {
  readonly status: 'still_working' | 'completed' | 'error' | 'terminated'
  /** Only what was produced since the previous exec or wait. */
  readonly output: string
  readonly value?: Json
  readonly error?: RunFailure
  /** Images, files and other media that tools returned: once, with the result that ends or observes the program. */
  readonly artifacts?: readonly Artifact[]
}

export interface Session {
  exec(code: string): Promise<ProgramResult>
  wait(): Promise<ProgramResult>
  stop(): Promise<ProgramResult>
  /** exec, wait and stop as tools for the model, same shape as `CodeMode.tool`. */
  readonly tools: readonly {
    readonly name: string
    readonly description: string
    readonly inputSchema: JsonSchema
    // eslint-disable-next-line typescript/no-explicit-any -- exec, wait and stop take different arguments
    execute(input: any): Promise<ProgramResult>
  }[]
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
