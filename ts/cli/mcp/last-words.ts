// What a server says on standard error before it fails to start: the reason is there, not in the protocol's error.
import type { Stream } from 'node:stream'
import { oneLine } from '../output.ts'

/** Characters that are kept: enough for the last lines. */
const keptChars = 4_000
const shownChars = 300

export class LastWords {
  #text = ''
  #kept = true

  /** Reads the stream to its end, also when nobody keeps it any more: a server whose pipe is full would stop. */
  listen(stream: Stream | null): void {
    stream?.on('data', (chunk: Buffer) => {
      if (this.#kept) this.#text = (this.#text + chunk.toString()).slice(-keptChars)
    })
  }

  enough(): void {
    this.#kept = false
  }

  /** In brackets, the line that names an error, else the last one; nothing where there is none. */
  shown(): string {
    const lines = this.#text.split('\n').filter((line) => line.trim() !== '')
    const line = lines.findLast((candidate) => /error/i.test(candidate)) ?? lines.at(-1)
    return line === undefined ? '' : ` (it said: ${oneLine(line.trim(), shownChars)})`
  }
}
