// The page of a run: plain HTML and CSS. What opens and closes is `details`, so the keyboard and screen readers need no script.
import type { Json, Outcome } from '../index.ts'
import { renderSource, type SourceLines } from './source-lines.ts'
import { style } from './style.ts'
import type { PlacedCall, Timeline } from './timeline.ts'
import { cut, escapeHtml, kibibytes, milliseconds } from './text.ts'

/** Calls that get a row; more are counted. A page with more of them is of no use to a person. */
const shownCalls = 2_000
/** Characters of one argument, result or error. */
const shownChars = 20_000

export function renderPage(
  timeline: Timeline,
  outcome: Outcome,
  options: { readonly source?: string; readonly title?: string },
): string {
  const title = escapeHtml(options.title ?? 'Run')
  const source = renderSource(options.source, timeline.calls)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${title} <span class="badge ${outcome.status}">${outcome.status === 'failed' ? escapeHtml(outcome.error.code) : 'completed'}</span></h1>
${facts(timeline, outcome)}
</header>
<main>
${ending(outcome)}
${callSection(timeline, source)}
${source?.html ?? ''}
${logSection(outcome)}
</main>
</body>
</html>
`
}

function facts({ peak }: Timeline, { stats, toolCalls, calls }: Outcome): string {
  const failed = calls.filter(({ status }) => status !== 'done').length
  const pairs = [
    ['Wall time', milliseconds(stats.wallMs)],
    ['CPU of the program', milliseconds(stats.cpuMs)],
    ['Memory, at most', kibibytes(stats.peakMemoryBytes)],
    ['Tool calls', `${toolCalls}${failed > 0 ? `, ${failed} not done` : ''}`],
    ['At one time', String(peak)],
  ]
  const items = pairs.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`)
  return `<dl class="facts">${items.join('')}</dl>`
}

function ending(outcome: Outcome): string {
  if (outcome.status === 'completed')
    return section('Result', `<pre tabindex="0">${json(outcome.result)}</pre>`)
  const { name, message, line, column } = outcome.error
  const place =
    line === undefined
      ? ''
      : ` <a href="#L${line}">line ${line}${column === undefined ? '' : `, column ${column}`}</a>`
  return section(
    'Failure',
    `<p class="failure"><strong>${escapeHtml(name)}</strong>${place}</p><pre tabindex="0">${escapeHtml(cut(message, shownChars))}</pre>`,
  )
}

function callSection(timeline: Timeline, source: SourceLines | undefined): string {
  const { calls, totalMs } = timeline
  if (calls.length === 0) return section('Tool calls', '<p>The program called no tool.</p>')
  const rows = calls.slice(0, shownCalls).map((call) => callRow(call, totalMs, source))
  const rest = calls.length - rows.length
  return section(
    'Tool calls',
    `${legend(calls)}<div class="axis" aria-hidden="true"><span>${ticks(totalMs)}</span></div>
<ol class="calls">${rows.join('\n')}</ol>${rest > 0 ? `<p>${rest} more calls are not shown.</p>` : ''}`,
  )
}

function legend(calls: readonly PlacedCall[]): string {
  const kinds = new Set<string>(calls.map(({ record }) => record.status))
  if (calls.some(({ approvalMs }) => approvalMs > 0)) kinds.add('approval')
  const words: Record<string, string> = { approval: 'waits for approval' }
  const items = [...kinds].map((kind) => `<li><i class="${kind}"></i>${words[kind] ?? kind}</li>`)
  return `<ul class="legend">${items.join('')}</ul>`
}

function ticks(totalMs: number): string {
  return [0, 0.25, 0.5, 0.75, 1]
    .map((part) => `<b style="left:${part * 100}%">${milliseconds(totalMs * part)}</b>`)
    .join('')
}

function callRow(call: PlacedCall, totalMs: number, source: SourceLines | undefined): string {
  const { number, record, startMs, endMs, approvalMs } = call
  const share = (ms: number) => ((ms / totalMs) * 100).toFixed(3)
  const took = milliseconds(endMs - startMs)
  const name = escapeHtml(record.toolName)
  const asked =
    approvalMs > 0
      ? `<i class="approval" style="left:${share(startMs)}%;width:${share(approvalMs)}%"></i>`
      : ''
  const bar = `<span class="track" aria-hidden="true"><i class="${record.status}" style="left:${share(startMs)}%;width:${share(endMs - startMs)}%"></i>${asked}</span>`
  const waited = approvalMs > 0 ? `, ${milliseconds(approvalMs)} of it waiting for approval` : ''
  const lines = source?.linesOf(call) ?? []
  const links = lines.map((line) => `<a href="#L${line}">line ${line}</a>`).join(', ')
  return `<li id="call-${number}"><details><summary>
<span class="n">${number}</span><span class="name">${name}</span>${bar}<span class="ms">${took}</span><span class="status ${record.status}">${record.status}</span>
</summary><div class="body">
<p>Call <code>${escapeHtml(record.toolCallId)}</code> from ${milliseconds(startMs)}, for ${took}${waited}.${links ? ` Fits ${links}.` : ''}</p>
<h3>Arguments</h3><pre tabindex="0">${json(record.input)}</pre>
${record.error === undefined ? `<h3>Result</h3><pre tabindex="0">${json(record.result)}</pre>` : `<h3>Error</h3><pre tabindex="0">${escapeHtml(cut(record.error, shownChars))}</pre>`}
</div></details></li>`
}

function logSection({ logs, text }: Outcome): string {
  const lines = (list: readonly string[]) =>
    list.map((line) => `<li>${escapeHtml(cut(line, shownChars))}</li>`)
  const logged =
    logs.length > 0 ? section('Log', `<ol class="log">${lines(logs).join('')}</ol>`) : ''
  const said =
    text?.length > 0 ? section('Text', `<ol class="log">${lines(text).join('')}</ol>`) : ''
  return logged + said
}

const section = (heading: string, html: string) => `<section><h2>${heading}</h2>${html}</section>`

function json(value: Json | undefined): string {
  return escapeHtml(
    cut(value === undefined ? 'undefined' : JSON.stringify(value, undefined, 2), shownChars),
  )
}
