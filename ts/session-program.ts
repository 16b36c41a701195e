// One program of a session, watched: what it produced since somebody looked last, and how it ended.
import type { LiveRun } from './run.ts'
import type { NativeStop } from './native.ts'
import type { Artifact, Outcome } from './outcome.ts'
import type { ProgramResult } from './session.ts'

/** The end of a program, or the fault of ours that ended it. */
type End = { readonly outcome: Outcome } | { readonly fault: unknown }

export class Program {
  /** Resolves once the program ended and its tools settled or were given up. Never rejects. */
  readonly ended: Promise<void>
  readonly #run: LiveRun
  readonly #maxChunk: number
  #output = ''
  #yielded = false
  #end: End | undefined
  #toldArtifacts = 0
  #wake: (() => void) | undefined

  /** `begin` starts the run; what it says meanwhile comes through `said`. */
  constructor(maxChunk: number, begin: (program: Program) => LiveRun) {
    this.#maxChunk = maxChunk
    this.#run = begin(this)
    this.ended = this.#run.outcome.then(
      (outcome) => this.#finish({ outcome }),
      (fault: unknown) => this.#finish({ fault }),
    )
  }

  /** What was not cleaned up: tools that still worked when the time for it was over, or what the engine says. */
  get leftovers(): string | undefined {
    const names = [...new Set(this.#run.abandoned.map((call) => call.tool.name))].slice(0, 5)
    return names.length > 0 ? `${names.join(', ')} still works` : this.#run.unclean
  }

  said(line: string): void {
    this.#output += `${line}\n`
    if (this.#output.length >= this.#maxChunk) this.#look()
  }

  yielded(): void {
    this.#yielded = true
    this.#look()
  }

  stop(reason: NativeStop, message: string): void {
    this.#run.stop(reason, message)
  }

  abortedBy(signal: AbortSignal): void {
    this.#run.abortedBy(signal)
  }

  #finish(end: End): void {
    this.#end = end
    this.#look()
  }

  #look(): void {
    this.#wake?.()
  }

  /** Resolves when there is something to tell, at once where there is, or after `ms`. */
  async watch(ms: number): Promise<void> {
    if (this.#end || this.#yielded || this.#output.length >= this.#maxChunk) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      timer = setTimeout(resolve, ms)
    })
    clearTimeout(timer)
    this.#wake = undefined
  }

  /**
   * What nobody was told yet, `maxChunk` characters at most unless it is the last time. Final once the program ended and all of
   * its output is told. Throws a fault of ours.
   */
  tell(last: boolean): ProgramResult {
    const output = this.#takeOutput(last ? this.#output.length : this.#maxChunk)
    const artifacts = this.#takeArtifacts()
    this.#yielded = false
    const told = { output, ...(artifacts.length > 0 ? { artifacts } : {}) }
    if (this.#end === undefined || this.#output !== '') return { status: 'still_working', ...told }
    if ('fault' in this.#end) throw this.#end.fault
    const { outcome } = this.#end
    if (outcome.status === 'completed')
      return { status: 'completed', ...told, value: outcome.result }
    const { error } = outcome
    const terminated = error.code === 'stopped' || error.code === 'aborted'
    return { status: terminated ? 'terminated' : 'error', ...told, error }
  }

  #takeOutput(most: number): string {
    let end = Math.min(this.#output.length, most)
    // A pair of surrogates stays together.
    if (end < this.#output.length && isHighSurrogate(this.#output.charCodeAt(end - 1))) end--
    const chunk = this.#output.slice(0, end)
    this.#output = this.#output.slice(end)
    return chunk
  }

  #takeArtifacts(): readonly Artifact[] {
    const artifacts = this.#run.artifacts.slice(this.#toldArtifacts)
    this.#toldArtifacts += artifacts.length
    if (artifacts.length > 0) this.#run.shelf.told(artifacts)
    return artifacts
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}
