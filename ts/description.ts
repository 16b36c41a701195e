// What the model reads about its tool. Every sentence is true of the engine and of this instance's tools and limits.
import { wordsOf, type Dialect, type DialectWords } from './dialect.ts'
import type { JsonSchema } from './json.ts'
import type { ResolvedLimits } from './limits.ts'
import type { NativeListing } from './native.ts'

export const codeInputSchema: JsonSchema = {
  type: 'object',
  properties: {
    code: {
      type: 'string',
      description: 'The body of an async JavaScript function; `return` gives the result.',
    },
  },
  required: ['code'],
  additionalProperties: false,
}

export interface Described {
  readonly listing: NativeListing
  readonly dialect: Dialect
  readonly limits: ResolvedLimits
  /** The model cannot call the tools by itself. */
  readonly exclusive: boolean
  /** Names of the tools that programs may call. */
  readonly names: ReadonlySet<string>
}

/** Namespaces named in the note about tools that are not declared; the rest are counted. */
const namedSpaces = 20

/** What a model has to know of the language, however its program is run. */
export const languageRules = {
  body: '- Write the body of an async function. `return` gives the result, which must be JSON; `finish(value)` ends early. Types are ignored.',
  calls:
    '- `await tools.name(args)` takes one object. A failed call throws an Error named ToolError that says why.',
  missing: '- No `fetch`, `setTimeout`, files, `import` or `require`.',
}

export function describeTool(described: Described): string {
  const words = wordsOf(described.dialect)
  return [
    'Runs one JavaScript program that calls tools as async functions and returns one value. Use it for calls that depend on ' +
      `each other, repeat over a list, or give more than you need${described.exclusive ? '.' : '; for a single call use the tool itself.'}`,
    rules(words, described.limits).join('\n'),
    describeCatalogue(described),
  ].join('\n\n')
}

/** The declarations, and what there is beside them. */
export function describeCatalogue(described: Described): string {
  const { listing } = described
  const partial = listing.listed < listing.total
  const declared = partial ? `${listing.listed} of the ${listing.total} tools` : 'The tools'
  const note = partial ? `${partialNote(described, wordsOf(described.dialect))}\n\n` : ''
  return `${note}${declared}:\n\n${listing.signatures.trim()}`
}

/** The same for a program in another language; `instructions` are its engine's. */
export function describeEngineTool(
  language: string,
  instructions: string,
  limits: ResolvedLimits,
): string {
  const calls = limits.maxToolCalls
  return [
    `Runs one ${language} program that calls tools as functions, and gives back one value. Use it for several calls that ` +
      'depend on each other, for the same call over a list, or to filter a large result; for a single call use the tool itself.',
    instructions.trim(),
    [
      `- At most ${limits.toolConcurrency} calls run at one time, ${calls} ${calls === 1 ? 'call' : 'calls'} in all.`,
      `- Result and printed lines together may have ${limits.maxOutputChars} characters: give back what was asked for, not everything a tool gave.`,
      `- The program has ${limits.timeoutMs} ms, waiting for tools included. Nothing is kept from one program to the next.`,
    ].join('\n'),
  ].join('\n\n')
}

export function engineInputSchema(language: string): JsonSchema {
  return {
    type: 'object',
    properties: { code: { type: 'string', description: `One ${language} program.` } },
    required: ['code'],
    additionalProperties: false,
  }
}

function rules(words: DialectWords, limits: ResolvedLimits): string[] {
  const calls = limits.maxToolCalls
  return [
    languageRules.body,
    `- \`await ${words.call}\` takes one object. A failed call throws an Error named ToolError that says why.`,
    `- Independent calls go in \`Promise.all\`: at most ${limits.toolConcurrency} run at one time, ${calls} ${calls === 1 ? 'call' : 'calls'} in all. Await every call.`,
    `- Result and console.log() lines may have ${limits.maxOutputChars} characters: return only what was asked for.`,
    `- It has ${limits.timeoutMs} ms, waiting included. Nothing is kept for the next program.`,
    languageRules.missing,
  ]
}

function partialNote({ listing, names }: Described, { object }: DialectWords): string {
  const helper = (name: string) => `${object}.${names.has(name) ? '$' : ''}${name}`
  const missing = listing.total - listing.listed
  return (
    `PARTIAL: ${missing} of the ${listing.total} tools are not declared below (${spaces(listing)}). ` +
    `\`await ${helper('search')}('words', { limit: 5 })\` finds tools and resolves with [{ name, description, signature }]; ` +
    `\`await ${helper('describe')}(name)\` tells all about one. Neither counts as a call. ` +
    `Call what you found as the declared ones, or as \`await ${helper('call')}(name, args)\`.`
  )
}

/** The tools that are left out, by namespace. */
function spaces({ omitted }: NativeListing): string {
  const named = omitted.slice(0, namedSpaces)
  const rest = omitted.slice(namedSpaces)
  const parts = named.map(
    ({ namespace, tools }) => `${namespace || 'without a namespace'}: ${tools}`,
  )
  if (rest.length > 0) {
    const tools = rest.reduce((sum, space) => sum + space.tools, 0)
    parts.push(`${rest.length} more namespaces: ${tools}`)
  }
  return parts.join(', ')
}
