// Progress notifications for inner calls, where the client asked for them.
import type { CodeModeEvent, Json } from '../../index.ts'
import { oneLine } from '../output.ts'
import type { Extra } from './connection.ts'

/** A listener of one run. `progress` counts what happened, `total` is left out: nobody knows how many calls a program makes. */
export function reportProgress(extra: Extra): (event: CodeModeEvent) => void {
  const progressToken = extra._meta?.progressToken
  if (progressToken === undefined) return () => {}
  let progress = 0
  return (event) => {
    const message = describe(event)
    if (message === undefined) return
    progress++
    extra
      .sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress, message },
      })
      // The client may be gone; its run is aborted by its own signal.
      .catch(() => {})
  }
}

function describe(event: CodeModeEvent): string | undefined {
  switch (event.type) {
    case 'tool.start':
      return `${event.toolName} started`
    case 'tool.partial': {
      const told = partial(event.partial)
      return told === undefined ? undefined : `${event.toolName}: ${told}`
    }
    case 'tool.done':
      return `${event.toolName} done (${Math.round(event.durationMs)} ms)`
    case 'tool.error':
      return `${event.toolName} failed: ${oneLine(event.error, 200)}`
    case 'run.log':
      return oneLine(event.line, 200)
    default:
      return undefined
  }
}

/** What a server reported. The last item of a tool is its result, which is no progress. */
function partial(value: Json): string | undefined {
  const { message, progress, total } = (value ?? {}) as Record<string, unknown>
  if (typeof progress !== 'number') return undefined
  if (typeof message === 'string') return oneLine(message, 200)
  return total === undefined ? String(progress) : `${progress} of ${String(total)}`
}
