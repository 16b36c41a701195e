// Files that commands read: programs, tools, contexts. Every fault is one line that names the file.
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CodeModeOptions } from '../index.ts'
import { CommandFailure, firstLine } from './failure.ts'

/** Text of a file; `-` is standard input. */
export function readText(file: string): string {
  try {
    return fs.readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new CommandFailure(`cannot read ${file}: ${reason(error)}`)
  }
}

/** A JSON file, with the place of the fault where it is none. */
export function readJson(file: string): unknown {
  const text = readText(file)
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new CommandFailure(`${file} is not JSON: ${firstLine(error)}`)
  }
}

/** Of a failed read or write, in words. */
export function reason(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'there is no such file or folder'
    case 'EISDIR':
      return 'it is a folder'
    case 'EACCES':
      return 'permission denied'
    default:
      return firstLine(error)
  }
}

/**
 * Options out of a module: its default export or its export `tools`. Either the tools (a record or a list), or all options of
 * `createCodeMode` in an object with a key `tools`.
 */
export async function importOptions(file: string): Promise<CodeModeOptions> {
  const full = path.resolve(file)
  if (!fs.existsSync(full)) throw new CommandFailure(`cannot read ${file}: there is no such file`)
  let module: Record<string, unknown>
  try {
    module = (await import(pathToFileURL(full).href)) as Record<string, unknown>
  } catch (error) {
    throw new CommandFailure(`cannot load ${file}: ${firstLine(error)}`)
  }
  const exported = module['default'] ?? module['tools']
  if (typeof exported !== 'object' || exported === null) {
    throw new CommandFailure(
      `${file} exports no tools: give it a default export, a record of tools or { tools, ...options }`,
    )
  }
  return isOptions(exported)
    ? exported
    : { tools: exported as Exclude<CodeModeOptions['tools'], undefined> }
}

/** A tool may be called `tools`; what has no `execute` there is the record of them. */
function isOptions(exported: object): exported is CodeModeOptions {
  const { tools } = exported as { tools?: unknown }
  return typeof tools === 'object' && tools !== null && !('execute' in tools)
}
