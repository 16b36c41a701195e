// `run`: one program, with live progress.
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline/promises'
import type { CodeModeOptions, Outcome } from '../index.ts'
import { chromeTrace, traceHtml } from '../trace/index.ts'
import { CommandFailure, exitCodes, firstLine } from './failure.ts'
import { readText, reason } from './files.ts'
import { duration, oneLine, paint, plain, standardOutput, type Output } from './output.ts'
import { noProgress, showProgress, type Progress } from './progress.ts'
import { readLimits, setUp, type LimitOptions, type SourceOptions } from './setup.ts'

interface RunCommandOptions extends SourceOptions, LimitOptions {
  readonly context?: string
  readonly mode?: 'default' | 'plan' | 'bypass'
  readonly yes?: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  readonly trace?: string
  readonly traceJson?: string
}

export async function runCommand(file: string, options: RunCommandOptions): Promise<void> {
  const code = readText(file)
  const context = readContext(options.context)
  for (const target of [options.trace, options.traceJson]) if (target) checkWritable(target)
  const output = standardOutput()
  const progress = options.json || options.quiet ? noProgress : showProgress(output)
  const approve = approver(options, output, progress)
  const { codeMode, close } = await setUp(options, {
    limits: readLimits(options),
    ...(options.mode ? { mode: options.mode } : {}),
    ...(approve ? { approve } : {}),
  }).catch((error: unknown) => {
    progress.end()
    throw error
  })
  const abort = new AbortController()
  const interrupt = () => abort.abort('interrupted')
  process.once('SIGINT', interrupt)
  try {
    const outcome = await codeMode.run(code, {
      context,
      onEvent: progress.onEvent,
      abortSignal: abort.signal,
    })
    progress.end()
    report(outcome, options, output)
    process.exitCode = outcome.status === 'completed' ? exitCodes.ok : exitCodes.failed
    writeTraces(options, outcome, { source: code, title: path.basename(file) })
  } finally {
    progress.end()
    process.off('SIGINT', interrupt)
    await close()
  }
}

function readContext(json: string | undefined): unknown {
  if (json === undefined) return undefined
  try {
    return JSON.parse(json)
  } catch (error) {
    throw new CommandFailure(`--context is not JSON: ${firstLine(error)}`)
  }
}

/** Before the run: a program that had its effects must not lose its result to a typing mistake. */
function checkWritable(file: string): void {
  const made = !fs.existsSync(file)
  try {
    fs.closeSync(fs.openSync(file, 'a'))
    if (made) fs.rmSync(file)
  } catch (error) {
    throw new CommandFailure(`cannot write ${file}: ${reason(error)}`)
  }
}

function writeTraces(
  { trace, traceJson }: RunCommandOptions,
  outcome: Outcome,
  shown: { source: string; title: string },
): void {
  const write = (file: string, text: string) => {
    try {
      fs.writeFileSync(file, text)
    } catch (error) {
      throw new CommandFailure(`cannot write ${file}: ${reason(error)}`)
    }
  }
  if (trace) write(trace, traceHtml(outcome, shown))
  if (traceJson) write(traceJson, JSON.stringify(chromeTrace(outcome, shown)))
}

function report(outcome: Outcome, { json, quiet }: RunCommandOptions, output: Output): void {
  if (json) return output.result(JSON.stringify(outcome))
  const { toolCalls, stats } = outcome
  const told = `${duration(stats.wallMs)}, ${toolCalls} ${toolCalls === 1 ? 'call' : 'calls'}`
  if (outcome.status === 'completed') {
    if (!quiet) output.note(`${paint(output, 'green', 'completed')} ${paint(output, 'dim', told)}`)
    return output.result(JSON.stringify(outcome.result, undefined, 2))
  }
  const { code, modelText } = outcome.error
  output.note(`${paint(output, 'red', code)} ${paint(output, 'dim', told)}`)
  output.note(plain(modelText))
}

// ---------------------------------------------------------------- approvals

/** Asks on a terminal. Elsewhere nobody can be asked: such calls are refused, unless `--yes` says otherwise. */
function approver(
  { yes, json }: RunCommandOptions,
  output: Output,
  progress: Progress,
): CodeModeOptions['approve'] {
  if (yes) return () => 'approve'
  if (json || !process.stdin.isTTY || !output.terminal)
    return ({ toolName }) => ({
      deny: `Tool ${toolName} needs approval and nobody can be asked here; --yes approves every call`,
    })
  let queue: Promise<unknown> = Promise.resolve()
  return ({ toolName, input }) => {
    // One question at a time, however many calls wait.
    const answer = queue.then(() =>
      ask(`${toolName} ${oneLine(JSON.stringify(input), 500)}`, progress),
    )
    queue = answer
    return answer
  }
}

async function ask(what: string, progress: Progress): Promise<'approve' | 'deny'> {
  const resume = progress.pause()
  const lines = readline.createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await lines.question(`Allow ${what}? [y/N] `)
    return /^y(es)?$/i.test(answer.trim()) ? 'approve' : 'deny'
  } finally {
    lines.close()
    resume()
  }
}
