// The program beside its calls. Records do not say which line made a call, so a line is tied to the tools that it names.
import type { PlacedCall } from './timeline.ts'
import { escapeHtml } from './text.ts'

export interface SourceLines {
  readonly html: string
  /** Lines, from 1, that name the tool. */
  linesOf(toolName: string): readonly number[]
}

/** Links to calls beside one line; more are counted. */
const shownLinks = 8

export function renderSource(
  source: string | undefined,
  calls: readonly PlacedCall[],
): SourceLines | undefined {
  if (source === undefined) return undefined
  const lines = source.split(/\r\n|\n|\r/)
  const byTool = new Map<string, PlacedCall[]>()
  for (const call of calls) {
    const list = byTool.get(call.record.toolName)
    if (list) list.push(call)
    else byTool.set(call.record.toolName, [call])
  }
  const named = new Map<string, number[]>()
  const rows = lines.map((line, i) => {
    const tools = [...byTool.keys()].filter((name) => callsOn(line, name))
    for (const name of tools) named.set(name, [...(named.get(name) ?? []), i + 1])
    const made = tools.flatMap((name) => byTool.get(name) ?? [])
    return `<li id="L${i + 1}"${made.length > 0 ? ' class="makes"' : ''}><code>${escapeHtml(line) || ' '}</code>${links(made)}</li>`
  })
  return {
    html: `<section><h2>Program</h2><ol class="source" tabindex="0">${rows.join('')}</ol></section>`,
    linesOf: (toolName) => named.get(toolName) ?? [],
  }
}

/** `tools.name`, `tools?.name`, `tools['name']`, or the name as a string: what a program may build its calls from. */
function callsOn(line: string, name: string): boolean {
  const escaped = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(?:\\btools\\s*\\??\\.\\s*${escaped}(?![\\w$])|(["'\`])${escaped}\\1)`).test(
    line,
  )
}

function links(calls: readonly PlacedCall[]): string {
  if (calls.length === 0) return ''
  const shown = calls
    .slice(0, shownLinks)
    .map(
      ({ number, record }) =>
        `<a class="${record.status}" href="#call-${number}" title="${escapeHtml(record.toolName)}">${number}</a>`,
    )
  const rest = calls.length - shown.length
  return `<span class="made">${shown.join('')}${rest > 0 ? ` +${rest}` : ''}</span>`
}
