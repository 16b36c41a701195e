// Media in what tools return: which values are bytes for a person or a model to look at, and how a tool gets them back.

/** Bytes that a tool returned, and how to give another tool what the first one returned. */
export interface Media {
  readonly bytes: Uint8Array
  readonly mediaType: string
  readonly name: string | undefined
  /** What a script may ask of the value beside that: the `type` of a block, the `length` of a byte array. */
  readonly traits: { readonly type?: string; readonly length?: number }
  /** The same kind of value again: a byte array, or a block with these bytes. */
  readonly rebuild: (bytes: Uint8Array) => unknown
}

type Loose = Record<string, unknown>

const unknownType = 'application/octet-stream'
/** Blocks of MCP and of the AI SDK that carry their bytes in `data`. */
const blocks = ['image', 'audio', 'video', 'file', 'media', 'image-data', 'file-data']

/** Cheap enough for every object of every result: most have no `type`. */
export function isMedia(value: object): boolean {
  if (isBytes(value)) return true
  const { type } = value as Loose
  return typeof type === 'string' && (type === 'resource' || blocks.includes(type))
    ? readBlock(value as Loose, type) !== undefined
    : false
}

/** Undefined where the value is no media. The bytes are a copy: what the tool does to its own later changes nothing. */
export function readMedia(value: object): Media | undefined {
  if (isBytes(value)) return readBytes(value)
  const { type } = value as Loose
  if (typeof type !== 'string') return undefined
  return readBlock(value as Loose, type)?.()
}

/** Other typed arrays are lists of numbers: what they should become is for the tool to say. */
function isBytes(value: object): value is ArrayBuffer | Uint8Array {
  return value instanceof Uint8Array || value instanceof ArrayBuffer
}

function readBytes(value: ArrayBuffer | Uint8Array): Media {
  const rebuild = (bytes: Uint8Array): unknown => {
    if (Buffer.isBuffer(value)) return Buffer.from(bytes)
    const copy = bytes.slice()
    return value instanceof ArrayBuffer ? copy.buffer : copy
  }
  const traits = value instanceof ArrayBuffer ? {} : { length: value.length }
  return { bytes: copyOf(value), mediaType: unknownType, name: undefined, traits, rebuild }
}

function copyOf(value: ArrayBuffer | Uint8Array): Uint8Array {
  return value instanceof ArrayBuffer ? new Uint8Array(value.slice(0)) : Uint8Array.from(value)
}

/** How to read a block; undefined where it is none, so that looking costs no decoding. */
function readBlock(block: Loose, type: string): (() => Media) | undefined {
  if (type === 'resource') return readResource(block)
  const traits = { type }
  if (!blocks.includes(type)) return undefined
  const { data } = block
  const typed = textOf(block['mimeType']) ?? textOf(block['mediaType'])
  const name = textOf(block['name']) ?? textOf(block['filename'])
  if (typeof data === 'object' && data !== null && isBytes(data)) {
    const inner = (): Media => readBytes(data)
    return () => ({
      ...{ bytes: inner().bytes, mediaType: typed ?? unknownType, name, traits },
      rebuild: (bytes) => ({ ...block, data: inner().rebuild(bytes) }),
    })
  }
  if (typeof data !== 'string' || (typed === undefined && !type.startsWith('file')))
    return undefined
  const { head, base64, mediaType } = splitDataUrl(data)
  if (!isBase64(base64)) return undefined
  return () => ({
    ...{ bytes: decode(base64), mediaType: typed ?? mediaType ?? unknownType, name, traits },
    rebuild: (bytes) => ({ ...block, data: head + encode(bytes) }),
  })
}

/** An embedded resource of MCP; one with text stays in the result. */
function readResource(block: Loose): (() => Media) | undefined {
  const resource = block['resource'] as Loose | null | undefined
  const blob = typeof resource === 'object' ? resource?.['blob'] : undefined
  if (typeof blob !== 'string' || !isBase64(blob)) return undefined
  return () => ({
    bytes: decode(blob),
    mediaType: textOf(resource?.['mimeType']) ?? unknownType,
    name: textOf(resource?.['uri']),
    traits: { type: 'resource' },
    rebuild: (bytes) => ({ ...block, resource: { ...resource, blob: encode(bytes) } }),
  })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function splitDataUrl(data: string): { head: string; base64: string; mediaType?: string } {
  const found = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+=-]+)*;base64,/.exec(data)
  if (found === null) return { head: '', base64: data }
  const [head, mediaType] = found
  const base64 = data.slice(head.length)
  return mediaType === undefined ? { head, base64 } : { head, base64, mediaType }
}

function isBase64(text: string): boolean {
  return text !== '' && /^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(text)
}

/** A view of its own memory: a Buffer of the shared pool would keep all of the pool alive. */
function decode(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'))
}

function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
