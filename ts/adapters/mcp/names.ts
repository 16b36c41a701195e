// Names of tools of several servers: `<namespace>__<tool>`, the tool's own part letter for letter.

/** Between namespace and tool. */
export const separator = '__'

/** Throws a TypeError for what cannot stand in front of a name. */
export function checkNamespace(namespace: string): void {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(namespace)) {
    throw new TypeError(
      `Expected a namespace of 1 to 64 letters, digits, \`_\` and \`-\`, got ${JSON.stringify(namespace.slice(0, 80))}`,
    )
  }
}

export function qualifiedName(namespace: string, tool: string): string {
  return namespace === '' ? tool : `${namespace}${separator}${tool}`
}

/** One list out of many. Two tools with one name are refused, by name: neither may shadow the other. */
export function mergeTools<T>(
  lists: Iterable<readonly [source: string, tools: Readonly<Record<string, T>>]>,
): Record<string, T> {
  const merged: Record<string, T> = {}
  const from = new Map<string, string>()
  for (const [source, tools] of lists) {
    for (const [name, tool] of Object.entries(tools)) {
      const earlier = from.get(name)
      if (earlier !== undefined) {
        throw new TypeError(
          `Two MCP tools have the name ${JSON.stringify(name)}: one of ${JSON.stringify(earlier)}, one of ${JSON.stringify(source)}`,
        )
      }
      from.set(name, source)
      merged[name] = tool
    }
  }
  return merged
}
