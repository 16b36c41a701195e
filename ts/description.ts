// What the model reads about its tool. Every sentence is true of the engine and of this instance's limits.
import type { JsonSchema } from './json.ts'
import type { ResolvedLimits } from './limits.ts'

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

/** What a model has to know of the language, however its program is run. */
export const languageRules = {
  body: '- The code is the body of an async function: `await` works everywhere, `return` gives the result, which must be JSON. Type annotations are ignored.',
  calls:
    "- `await tools.name(args)` takes one object and resolves with the tool's result, or throws an Error whose name is ToolError and whose message says why.",
  missing:
    '- There is no network (`fetch`), no file system, no timer (`setTimeout`), no `import` and no `require`: only the language, `console` and `tools`.',
}

export function describeTool(signatures: string, limits: ResolvedLimits): string {
  return [
    'Runs one JavaScript program that calls tools as async functions, and gives back one value. Use it for several calls that ' +
      'depend on each other, for the same call over a list, or to filter a large result; for a single call use the tool itself.',
    rules(limits).join('\n'),
    `The tools, as type declarations:\n\n${signatures.trim()}`,
  ].join('\n\n')
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

function rules(limits: ResolvedLimits): string[] {
  const calls = limits.maxToolCalls
  return [
    languageRules.body,
    languageRules.calls,
    `- Independent calls go in \`Promise.all\`: at most ${limits.toolConcurrency} run at one time, ${calls} ${calls === 1 ? 'call' : 'calls'} in all. Await every call.`,
    `- Result and console.log() lines together may have ${limits.maxOutputChars} characters: return what was asked for, not everything a tool gave.`,
    `- The program has ${limits.timeoutMs} ms, waiting for tools included. Nothing is kept from one program to the next.`,
    languageRules.missing,
  ]
}
