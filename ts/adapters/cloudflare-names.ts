// Tool names as `@cloudflare/codemode` shows them to programs. Its own function is in an entry that only loads in a Worker.

const reserved = new Set(
  (
    'abstract arguments await boolean break byte case catch char class const continue debugger default delete do double else enum eval ' +
    'export extends false final finally float for function goto if implements import in instanceof int interface let long native new null ' +
    'package private protected public return short static super switch synchronized this throw throws transient true try typeof undefined ' +
    'var void volatile while with yield'
  ).split(' '),
)

/** `my-tool` is `my_tool`, `3d` is `_3d`, `delete` is `delete_`. */
export function sanitizeToolName(name: string): string {
  if (!name) return '_'
  let shown = name.replace(/[-.\s]/g, '_').replace(/[^\w$]/g, '')
  if (!shown) return '_'
  if (/^\d/.test(shown)) shown = `_${shown}`
  return reserved.has(shown) ? `${shown}_` : shown
}
