// A place in a source: the line, its neighbours, and a mark under the column.

const lineLimit = 120
/** Characters kept in front of the marked column of a long line. */
const lead = 60

export function codeFrame(
  code: string,
  line: number,
  column: number | undefined,
): { text: string; isCut: boolean } {
  let isCut = false
  const lines = code.split(/\r\n|[\n\r\u2028\u2029]/)
  const from = Math.max(1, line - 1)
  const to = Math.min(lines.length, line + 1)
  const width = String(to).length
  const frame = [column === undefined ? `At line ${line}:` : `At line ${line}, column ${column}:`]
  for (let n = from; n <= to; n++) {
    const marked = n === line
    const whole = lines[n - 1] ?? ''
    const { text, offset } = cutLine(whole, marked ? column : undefined)
    isCut ||= whole.length > lineLimit
    frame.push(`${marked ? '>' : ' '} ${String(n).padStart(width)} | ${text}`)
    const place = (column ?? 0) - offset
    if (marked && column !== undefined && place >= 1 && place <= text.length + 1)
      frame.push(`  ${' '.repeat(width)} | ${' '.repeat(place - 1)}^`)
  }
  return { text: frame.join('\n'), isCut }
}

/** At most `lineLimit` characters with the column among them, and how far they were moved to the left. */
function cutLine(line: string, column: number | undefined): { text: string; offset: number } {
  if (line.length <= lineLimit) return { text: line, offset: 0 }
  const start = column === undefined || column <= lineLimit - 10 ? 0 : column - 1 - lead
  const part = line.slice(start, start + lineLimit - 2)
  const before = start > 0 ? '…' : ''
  const after = start + part.length < line.length ? '…' : ''
  return { text: before + part + after, offset: start - before.length }
}
