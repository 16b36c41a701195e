// Where text goes. Standard output is for results alone; everything else is on standard error.

export interface Output {
  /** Writes a result. */
  result(text: string): void
  /** Writes a line for the person who watches. */
  note(text: string): void
  readonly terminal: boolean
  readonly colours: boolean
}

export function standardOutput(): Output {
  const terminal = process.stderr.isTTY === true
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env
  return {
    result: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
    terminal,
    colours: FORCE_COLOR ? FORCE_COLOR !== '0' : terminal && !NO_COLOR && TERM !== 'dumb',
  }
}

const codes = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const

export function paint(output: Output, style: keyof typeof codes, text: string): string {
  return output.colours ? `\u001B[${codes[style]}m${text}\u001B[0m` : text
}

// eslint-disable-next-line no-control-regex -- control characters are what it is about
const sequence = /\u001B\[[0-?]*[ -/]*[@-~]/g

/** Text of a program or a tool: no control character of it reaches the terminal but line ends and tabs. */
export function plain(text: string): string {
  return text.replace(sequence, '').replace(/[^\P{Cc}\n\t]/gu, '')
}

/** The same on one line, cut at `limit` characters. */
export function oneLine(text: string, limit: number): string {
  const line = plain(text).replace(/\s+/g, ' ')
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line
}

export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}
