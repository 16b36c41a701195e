// `doctor`: what this installation can do, by trying it.
import { createRequire } from 'node:module'
import os from 'node:os'
import { createCodeMode, type CodeMode } from '../index.ts'
import { exitCodes, firstLine } from './failure.ts'
import { duration, paint, standardOutput } from './output.ts'
import { version } from './version.ts'

interface Finding {
  readonly name: string
  /** `absent`: something optional that is not there. */
  readonly status: 'ok' | 'failed' | 'absent'
  readonly detail: string
}

const optionalPackages = [
  ...['@modelcontextprotocol/sdk', 'ai', '@openai/agents', '@langchain/core', '@mastra/core'],
  ...['@tanstack/ai-code-mode', '@cloudflare/codemode', '@opentelemetry/api', 'vitest'],
]

export async function doctorCommand(options: { readonly json?: boolean }): Promise<void> {
  const findings: Finding[] = [
    { name: 'codemode-native', status: 'ok', detail: version },
    { name: 'platform', status: 'ok', detail: platform() },
    await attempt('run', runProgram),
    await attempt('limits', stopLoop),
    await attempt('worker threads', idleThreads),
    await isolation(),
    ...optionalPackages.map(findPackage),
  ]
  const failed = findings.some((finding) => finding.status === 'failed')
  process.exitCode = failed ? exitCodes.failed : exitCodes.ok
  const output = standardOutput()
  if (options.json) return output.result(JSON.stringify({ ok: !failed, findings }))
  const marks = { ok: ['green', '✓'], failed: ['red', '✗'], absent: ['dim', '-'] } as const
  for (const { name, status, detail } of findings) {
    const [style, mark] = marks[status]
    output.result(`${paint(output, style, mark)} ${name.padEnd(26)} ${detail}`)
  }
}

function platform(): string {
  const report = process.report?.getReport() as
    { header?: { glibcVersionRuntime?: string } } | undefined
  const glibc = report?.header?.glibcVersionRuntime
  const libc = process.platform !== 'linux' ? '' : glibc ? ` glibc ${glibc}` : ' musl'
  const { node, bun, deno } = process.versions as Record<string, string | undefined>
  const runtime = bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node ${node}`
  return `${process.platform} ${process.arch}${libc}, ${runtime}, ${os.availableParallelism()} cores`
}

/** A test with a code mode of its own: what it resolves is the detail, what it rejects with the fault. */
async function attempt(
  name: string,
  test: (codeMode: CodeMode) => Promise<string>,
): Promise<Finding> {
  try {
    await using codeMode = createCodeMode({
      tools: {
        add: {
          inputSchema: {
            type: 'object',
            properties: { a: { type: 'number' }, b: { type: 'number' } },
          },
          execute: ({ a, b }: { a: number; b: number }) => a + b,
        },
      },
    })
    return { name, status: 'ok', detail: await test(codeMode) }
  } catch (error) {
    return { name, status: 'failed', detail: firstLine(error) }
  }
}

async function runProgram(codeMode: CodeMode): Promise<string> {
  const program = 'const n: number = await tools.add({ a: 40, b: 2 }); return n'
  const first = performance.now()
  const outcome = await codeMode.run(program)
  const cold = performance.now() - first
  if (outcome.status !== 'completed') throw new Error(outcome.error.message)
  if (outcome.result !== 42) throw new Error(`40 + 2 gave ${JSON.stringify(outcome.result)}`)
  const again = performance.now()
  await codeMode.run(program)
  return `a program with one tool call: ${duration(cold)}, again ${duration(performance.now() - again)}`
}

async function stopLoop(codeMode: CodeMode): Promise<string> {
  const outcome = await codeMode.run('for (;;) {}', { limits: { timeoutMs: 100 } })
  const code = outcome.status === 'failed' ? outcome.error.code : outcome.status
  if (code !== 'timeout' && code !== 'cpu_timeout')
    throw new Error(`an endless loop ended as ${code}`)
  return `an endless loop was stopped after ${duration(outcome.stats.wallMs)} (limit 100 ms)`
}

async function idleThreads(codeMode: CodeMode): Promise<string> {
  await Promise.all(Array.from({ length: 8 }, () => codeMode.run('return 1')))
  const { workerThreads, stuckThreads } = codeMode.diagnostics()
  if (stuckThreads > 0) throw new Error(`${stuckThreads} threads are stuck`)
  return `${workerThreads} ran 8 programs, none is stuck`
}

/** Process isolation is an option: that a system does not have it is no fault. */
async function isolation(): Promise<Finding> {
  const name = 'process isolation'
  try {
    await using codeMode = createCodeMode({ tools: {}, isolation: 'process' })
    const outcome = await codeMode.run('return 1')
    if (outcome.status !== 'completed') throw new Error(outcome.error.message)
    const { protections } = codeMode.diagnostics()
    return { name, status: 'ok', detail: protections.join(', ') }
  } catch (error) {
    return { name, status: 'absent', detail: firstLine(error) }
  }
}

function findPackage(name: string): Finding {
  const require = createRequire(import.meta.url)
  const paths = require.resolve.paths(name) ?? []
  for (const folder of paths) {
    try {
      const manifest = require(`${folder}/${name}/package.json`) as { version: string }
      return { name, status: 'ok', detail: manifest.version }
    } catch {
      // Not in this folder.
    }
  }
  return { name, status: 'absent', detail: 'not installed (optional)' }
}
