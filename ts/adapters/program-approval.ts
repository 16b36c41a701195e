// Approval of a whole program, for frameworks that ask before a tool runs and cannot ask while it does.
//
// The framework asks once, for the program; what it approved are the calls of the tools that the text names. A call of any
// other tool that needs approval is denied: a program cannot get at more than the person saw.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { CodeModeOptions, PermissionRule, Tool } from '../index.ts'

/** The part of the options that decides who has to be asked. */
export type ApprovalOptions = Pick<CodeModeOptions, 'approve' | 'mode' | 'permissions'>

export class ProgramApproval {
  /** Tools whose calls may need approval. */
  #names: readonly string[]
  readonly #approved = new AsyncLocalStorage<ReadonlySet<string>>()

  constructor(tools: Readonly<Record<string, Tool>>, options: ApprovalOptions) {
    const { mode = 'default', permissions = [] } = options
    this.#names =
      mode === 'bypass' || options.approve
        ? []
        : Object.keys(tools).filter((name) => mayNeedApproval(name, tools[name], permissions))
  }

  /** A tool that turned out never to need approval. */
  drop(name: string): void {
    this.#names = this.#names.filter((other) => other !== name)
  }

  /** Tools that need approval and that the text names, in any place: what a person is asked for. */
  namedIn(code: string): readonly string[] {
    return this.#names.filter((name) => names(code, name))
  }

  /** Runs `work` with the calls approved that `code` names. */
  within<T>(code: string, work: () => T): T {
    return this.#approved.run(new Set(this.namedIn(code)), work)
  }

  /** For `createCodeMode`; undefined where nothing needs approval, or the host answers itself. */
  get approve(): CodeModeOptions['approve'] {
    if (this.#names.length === 0) return undefined
    return ({ toolName }) =>
      this.#approved.getStore()?.has(toolName)
        ? 'approve'
        : { deny: `Tool ${toolName} was not approved: the program has to name it in its text` }
  }
}

function mayNeedApproval(
  name: string,
  tool: Tool | undefined,
  permissions: readonly PermissionRule[],
): boolean {
  if (tool?.needsApproval) return true
  return permissions.some((rule) => rule.action === 'ask' && globMatches(rule.tool, name))
}

function globMatches(glob: string, name: string): boolean {
  const parts = glob.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name)
}

/** True where `name` stands in the text as a whole word: a longer identifier around it is another name. */
function names(code: string, name: string): boolean {
  for (let at = code.indexOf(name); at >= 0; at = code.indexOf(name, at + 1)) {
    const before = code[at - 1] ?? ' '
    const after = code[at + name.length] ?? ' '
    if (!/[\w$]/.test(before) && !/[\w$]/.test(after)) return true
  }
  return false
}
