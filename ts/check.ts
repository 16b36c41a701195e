// The public report of what the native side found in a program.
import type { CheckReport } from './code-mode.ts'
import type { NativeCheck } from './native.ts'

export function toReport({ diagnostics, plannedTools }: NativeCheck): CheckReport {
  return {
    ok: diagnostics.every((found) => !found.error),
    diagnostics: diagnostics.map(({ error, message, line, column }) => ({
      severity: error ? 'error' : 'warning',
      message,
      line,
      column,
    })),
    plannedTools,
  }
}
