// The program beside its calls.
import { findSites, type CallSite } from './call-sites.ts'
import type { PlacedCall } from './timeline.ts'
import { escapeHtml } from './text.ts'

export interface SourceLines {
  readonly html: string
  /** Lines, from 1, that the call fits: the one that says most of it first. */
  linesOf(call: PlacedCall): readonly number[]
}

/** Links to calls beside one line; more are counted. */
const shownLinks = 8

export function renderSource(
  source: string | undefined,
  calls: readonly PlacedCall[],
): SourceLines | undefined {
  if (source === undefined) return undefined
  const sites = new Map<string, readonly CallSite[]>()
  const lines = new Map<PlacedCall, readonly number[]>()
  const made = new Map<number, PlacedCall[]>()
  for (const call of calls) {
    const { toolName, input } = call.record
    const ofTool = sites.get(toolName) ?? findSites(source, toolName)
    sites.set(toolName, ofTool)
    const fitting = fittingLines(ofTool, input)
    lines.set(call, fitting)
    for (const line of fitting) made.set(line, [...(made.get(line) ?? []), call])
  }
  const rows = source.split(/\r\n|\n|\r/).map((line, i) => {
    const here = made.get(i + 1) ?? []
    return `<li id="L${i + 1}"${here.length > 0 ? ' class="makes"' : ''}><code>${escapeHtml(line) || ' '}</code>${links(here)}</li>`
  })
  const note =
    'Beside a line are the calls that fit it: by the name of the tool, and by the arguments that are written out there.'
  return {
    html: `<section><h2>Program</h2>${made.size > 0 ? `<p class="note">${note}</p>` : ''}<ol class="source" tabindex="0">${rows.join('')}</ol></section>`,
    linesOf: (call) => lines.get(call) ?? [],
  }
}

/** Records hold the arguments as the program gave them, whatever a hook made of them: a line that says others did not make the call. */
function fittingLines(sites: readonly CallSite[], input: PlacedCall['record']['input']): number[] {
  const ranked = sites
    .map(({ line, fits }) => ({ line, score: fits(input) ?? -1 }))
    .filter(({ score }) => score >= 0)
    .toSorted((a, b) => b.score - a.score || a.line - b.line)
  return [...new Set(ranked.map(({ line }) => line))]
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
