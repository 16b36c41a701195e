// `types`: the declarations that the model sees.
import fs from 'node:fs'
import { CommandFailure } from './failure.ts'
import { reason } from './files.ts'
import { standardOutput } from './output.ts'
import { setUp, type SourceOptions } from './setup.ts'

export async function typesCommand(
  options: SourceOptions & { readonly out?: string },
): Promise<void> {
  const { codeMode, close } = await setUp(options, {})
  const declarations = codeMode.signatures.trimEnd()
  await close()
  if (options.out === undefined) return standardOutput().result(declarations)
  try {
    fs.writeFileSync(options.out, `${declarations}\n`)
  } catch (error) {
    throw new CommandFailure(`cannot write ${options.out}: ${reason(error)}`)
  }
}
