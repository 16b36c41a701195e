// Host functions as globals of a program, for frameworks whose programs call `external_x(input)` or `group.fn(a, b)` instead of `tools.x(input)`.
//
// The globals are made by one line in front of the program, on the program's first line, so that line numbers stay the program's own.
import type { Json, Tool, ToolContext } from '../index.ts'

/** A host function. Arguments and result are JSON. */
export type HostCall = (args: Json[], context: ToolContext) => unknown

export interface GuestGlobals {
  readonly tools: Record<string, Tool>
  /** Stands in front of the program; ends with `;`. */
  readonly prelude: string
}

export interface GroupOptions {
  /** What a function of the guest does with the call: an expression of `name`, `call(args)` and `args`. */
  readonly body?: string
  /** Body of the function that a name without a host function gives; without it there is no such property. */
  readonly unknown?: string
}

/** Functions as global functions of their own name. A name that is no identifier is reachable as `globalThis[name]`. */
export function globalFunctions(functions: Readonly<Record<string, HostCall>>): GuestGlobals {
  const names = Object.keys(functions)
  return {
    tools: toTools('', functions),
    prelude: `for(const n of ${JSON.stringify(names)})globalThis[n]=(...a)=>tools[n](a);`,
  }
}

/** Functions in one global object: `group.name(...args)`. */
export function groupFunctions(
  group: string,
  functions: Readonly<Record<string, HostCall>>,
  { body = 'call(args)', unknown }: GroupOptions = {},
): GuestGlobals {
  const at = JSON.stringify(group)
  const names = JSON.stringify(Object.keys(functions))
  // The global `tools` cannot be replaced, so that a group of this name shadows it.
  const target = group === 'tools' ? 'const tools' : `globalThis[${at}]`
  const make = `const real=globalThis.tools,g=Object.create(null);for(const name of ${names}){const call=(args)=>real[${at}+'.'+name](args);g[name]=(...args)=>${body}}`
  const proxy = unknown
    ? `new Proxy(g,{get:(t,name)=>Object.hasOwn(t,name)?t[name]:typeof name==='string'&&name!=='then'?async()=>{${unknown}}:undefined})`
    : 'Object.freeze(g)'
  return {
    tools: toTools(`${group}.`, functions),
    prelude: `${target}=(()=>{${make}return ${proxy}})();`,
  }
}

export function mergeGlobals(globals: readonly GuestGlobals[]): GuestGlobals {
  return {
    tools: Object.assign({}, ...globals.map(({ tools }) => tools)) as Record<string, Tool>,
    prelude: globals.map(({ prelude }) => prelude).join(''),
  }
}

function toTools(
  prefix: string,
  functions: Readonly<Record<string, HostCall>>,
): Record<string, Tool> {
  return Object.fromEntries(
    Object.entries(functions).map(([name, call]): [string, Tool] => [
      `${prefix}${name}`,
      // The framework validates what its own functions take.
      { inputSchema: true, execute: (args: Json[], context) => call(args, context) },
    ]),
  )
}

/** A program in a Markdown fence, without it. The prelude takes the place of the fence's first line, so that lines keep their numbers. */
export function withoutFence(code: string): string {
  const fenced = /^(\s*)```[\w-]*[ \t]*(\r?\n[\s\S]*?)```\s*$/.exec(code)
  return fenced ? `${fenced[1]}${fenced[2]}` : code
}

/** Log lines of an outcome, with the signs that a framework puts in front of a level. Our own notes stay as they are. */
export function logLines(
  logs: readonly string[],
  signs: { readonly warn: string; readonly error: string },
): string[] {
  return logs.map((line) =>
    line.startsWith('warn: ')
      ? signs.warn + line.slice(6)
      : line.startsWith('error: ')
        ? signs.error + line.slice(7)
        : line,
  )
}

/** Limits of frameworks that bound neither calls nor output: high, but not without end. */
export const frameworkLimits = {
  maxToolCalls: 1_000,
  toolConcurrency: 32,
  maxOutputChars: 1_048_576,
} as const
