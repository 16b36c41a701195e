// What a program gets of an MCP result: structured content where the tool declared it, else the result itself; an error throws.
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { Json, JsonSchema } from '../../index.ts'

const text = { type: 'string' }

/**
 * Result type of a tool that declares none: the result of the protocol. One object type for all kinds of block, since it stands
 * in the description of each such tool and every line of it costs the model context.
 */
export const contentSchema: JsonSchema = {
  type: 'object',
  properties: {
    content: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          type: { enum: ['text', 'image', 'audio', 'resource', 'resource_link'] },
          ...{ text, data: text, mimeType: text, uri: text, name: text },
          resource: {
            type: 'object',
            properties: { uri: text, text, blob: text },
            required: ['uri'],
          },
        },
        required: ['type'],
      },
    },
    structuredContent: { type: 'object' },
  },
  required: ['content'],
}

/** Throws an Error with the text of the result where it is an error; that text is what the program's ToolError says. */
export function readResult(name: string, result: CallToolResult, declared: boolean): Json {
  if (result.isError) throw new Error(textOf(result) || `Tool ${name} failed`)
  const { content, structuredContent } = result
  if (declared) {
    if (structuredContent === undefined)
      throw new Error(`Tool ${name} declares structured content and gave none`)
    return structuredContent as Json
  }
  // Servers of before the content blocks answered with `toolResult`.
  if (!Array.isArray(content)) return ((result as { toolResult?: Json }).toolResult ?? null) as Json
  return {
    content: content.map(readBlock),
    ...(structuredContent === undefined ? {} : { structuredContent: structuredContent as Json }),
  }
}

/** A block as it came, without what is not meant for the program. */
function readBlock(part: CallToolResult['content'][number]): Json {
  return Object.fromEntries(
    Object.entries(part).filter(([key]) => key !== '_meta' && key !== 'annotations'),
  ) as Json
}

function textOf({ content }: CallToolResult): string {
  if (!Array.isArray(content)) return ''
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
