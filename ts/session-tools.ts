// exec, wait and stop as tools for the model. Every sentence is true of the session's own limits.
import { codeInputSchema, engineInputSchema, languageRules } from './description.ts'
import { expectObject } from './expect.ts'
import type { JsonSchema } from './json.ts'
import type { ProgramSession } from './program-session.ts'
import type { ControlOptions, ProgramResult, SessionTool } from './session.ts'

const noInput: JsonSchema = { type: 'object', properties: {}, additionalProperties: false }

/** How to write programs in another language, in its engine's words. */
export interface EngineWriting {
  readonly language: string
  readonly instructions: string
}

/** `catalogue` says what tools programs find; an engine has put that into its instructions. */
export function sessionTools(
  session: ProgramSession,
  catalogue: string,
  engine: EngineWriting | undefined,
): readonly SessionTool[] {
  const writing = engine
    ? `${engine.instructions.trim()}\n\n${commonRules(session).join('\n')}`
    : `${sessionRules(session)}\n\n${catalogue}`
  const seconds = (ms: number) => `${ms / 1_000} s`
  const observed = seconds(session.options.observeMs)
  const tools: SessionTool[] = [
    {
      name: 'exec',
      description: `Starts one program and watches it for at most ${observed}. ${statuses}\n\n${writing}`,
      inputSchema: engine ? engineInputSchema(engine.language) : codeInputSchema,
      execute(input: { code: string }, options?: ControlOptions): Promise<ProgramResult> {
        return refuseMisuse(input) ?? session.exec(input.code, controlOptions(options))
      },
    },
    {
      name: 'wait',
      description:
        `Watches the program that exec started for at most another ${observed}, and returns what it produced since the last look. ` +
        `It does not restart, resume or extend the program. ${statuses}`,
      inputSchema: noInput,
      execute: (_input, options) => session.wait(controlOptions(options)),
    },
    {
      name: 'stop',
      description:
        'Ends the program that exec started, when its result is no longer needed. Returns what it produced since the last look.',
      inputSchema: noInput,
      execute: (_input, options) => session.stop(controlOptions(options)),
    },
  ]
  return Object.freeze(tools.map((tool) => Object.freeze(tool)))
}

const statuses =
  'Status `still_working`: the program goes on; call wait for more, or stop. `completed`, `error` and `terminated` are final: there is ' +
  'nothing left to wait for, and the next exec may start.'

function sessionRules(session: ProgramSession): string {
  const { limits, maxStoreChars } = session.options
  return [
    languageRules.body,
    languageRules.calls,
    `- Independent calls go in \`Promise.all\`: at most ${limits.toolConcurrency} run at one time. Await every call.`,
    '- Console lines and `text(value)` are the output, what is returned is the value.',
    '- `yield_control()` shows the output so far to whoever watches; the program goes on.',
    `- \`store(key, value)\` keeps JSON for later programs, which read it with \`load(key)\`: ${maxStoreChars} characters in all.`,
    ...commonRules(session),
    languageRules.missing,
  ].join('\n')
}

/** True of programs in every language. */
function commonRules({ options }: ProgramSession): string[] {
  const { limits, maxPrograms } = options
  return [
    `- Output and value together may have ${limits.maxOutputChars} characters.`,
    `- Each program is fresh and lives for at most ${limits.timeoutMs / 1_000} s. The session runs ${maxPrograms} programs and makes ${limits.maxToolCalls} tool calls in all.`,
  ]
}

function refuseMisuse(input: unknown): Promise<ProgramResult> | undefined {
  try {
    expectObject('input', input)
    return undefined
  } catch (error) {
    return Promise.reject(error as Error)
  }
}

/** Frameworks give their tools much more. */
function controlOptions(options: ControlOptions | undefined): ControlOptions | undefined {
  if (typeof options !== 'object' || options === null) return undefined
  const { toolCallId, abortSignal } = options
  return {
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(abortSignal === undefined ? {} : { abortSignal }),
  }
}
