// Live progress of a run: a spinner with the time and the calls that run, on a terminal; else one plain line for each thing that happens.
import type { CodeModeEvent } from '../index.ts'
import { duration, oneLine, paint, type Output } from './output.ts'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** Milliseconds between frames: fast enough to look alive, slow enough to cost nothing. */
const frameMs = 80

export interface Progress {
  onEvent(event: CodeModeEvent): void
  /** Takes the spinner away, for a question. Gives the function that puts it back. */
  pause(): () => void
  end(): void
}

export const noProgress: Progress = { onEvent() {}, pause: () => () => {}, end() {} }

export function showProgress(output: Output): Progress {
  const started = performance.now()
  const running = new Map<string, string>()
  let made = 0
  let frame = 0
  let timer: NodeJS.Timeout | undefined
  const clear = () => void (output.terminal && process.stderr.write('\r\u001B[K'))
  const draw = () => {
    const calls = [...running.values()]
    const shown = calls.slice(0, 3).join(', ') + (calls.length > 3 ? ` +${calls.length - 3}` : '')
    const parts = [
      duration(performance.now() - started),
      `${made} ${made === 1 ? 'call' : 'calls'}`,
      ...(shown ? [shown] : []),
    ]
    const line = oneLine(parts.join(' · '), (process.stderr.columns || 80) - 4)
    process.stderr.write(`\r\u001B[K${frames[frame++ % frames.length]} ${line}`)
  }
  const resume = () => {
    if (output.terminal) timer = setInterval(draw, frameMs)
  }
  const stop = () => {
    clearInterval(timer)
    clear()
  }
  const line = (text: string) => {
    clear()
    output.note(text)
  }
  resume()
  return {
    onEvent(event) {
      if (event.type === 'tool.start') {
        made++
        running.set(event.toolCallId, event.toolName)
      } else if (event.type === 'tool.done' || event.type === 'tool.error') {
        running.delete(event.toolCallId)
      }
      const text = describe(event, output)
      if (text !== undefined) line(text)
    },
    pause() {
      stop()
      return resume
    },
    end: stop,
  }
}

function describe(event: CodeModeEvent, output: Output): string | undefined {
  switch (event.type) {
    case 'tool.start': {
      const input = oneLine(JSON.stringify(event.input), 80)
      // On a terminal the spinner names what runs; the line comes when it ends.
      return output.terminal ? undefined : `→ ${event.toolName} ${input}`
    }
    case 'tool.done':
      return `${paint(output, 'green', '✓')} ${event.toolName} ${paint(output, 'dim', duration(event.durationMs))}`
    case 'tool.error':
      return `${paint(output, 'red', '✗')} ${event.toolName}: ${oneLine(event.error, 200)} ${paint(output, 'dim', duration(event.durationMs))}`
    case 'run.log':
      return `${paint(output, 'dim', '│')} ${oneLine(event.line, 1_000)}`
    default:
      return undefined
  }
}
