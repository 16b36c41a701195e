// `check`: diagnostics of a program, in the form that editors and CI can read.
import { NotAvailableError, type CheckReport } from '../index.ts'
import { CommandFailure, exitCodes } from './failure.ts'
import { readText } from './files.ts'
import { oneLine, paint, standardOutput } from './output.ts'
import { setUp, type SourceOptions } from './setup.ts'

export async function checkCommand(
  file: string,
  options: SourceOptions & { readonly json?: boolean },
): Promise<void> {
  const code = readText(file)
  const output = standardOutput()
  const { codeMode, close } = await setUp(options, {})
  let report: CheckReport
  try {
    report = codeMode.check(code)
  } catch (error) {
    if (!NotAvailableError.isInstance(error)) throw error
    throw new CommandFailure(error.message, exitCodes.failed)
  } finally {
    await close()
  }
  process.exitCode = report.ok ? exitCodes.ok : exitCodes.failed
  if (options.json) return output.result(JSON.stringify(report))
  for (const { severity, message, line, column } of report.diagnostics) {
    const style = severity === 'error' ? 'red' : 'yellow'
    output.result(
      `${file}:${line}:${column}: ${paint(output, style, severity)}: ${oneLine(message, 2_000)}`,
    )
  }
  const calls = report.plannedTools
  output.note(
    `${report.ok ? 'no errors' : 'not ready to run'}; ${calls.length > 0 ? `calls ${calls.join(', ')}` : 'calls no tool'}`,
  )
}
