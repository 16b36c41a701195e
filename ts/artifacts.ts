// Artifacts: media of tool results stay here, on the host; a script sees a reference and may give it to another tool.
import { randomBytes } from 'node:crypto'
import type { Call } from './call.ts'
import type { Json } from './json.ts'
import { isMedia, readMedia, type Media } from './media.ts'
import type { Artifact } from './outcome.ts'
import { failedWith } from './refusal.ts'
import * as sentences from './sentences.ts'

/** What a script sees of an artifact. */
export interface ArtifactReference {
  artifact: string
  mediaType: string
  /** How many bytes there are. */
  bytes: number
  name?: string
  /** Of a block of a result: what it was. */
  type?: string
  /** Of a byte array: as `bytes`. */
  length?: number
}

interface Kept {
  readonly artifact: Artifact
  readonly media: Media
  /** The host has it: it may go when room is needed. */
  told: boolean
}

/** The artifacts of one run, or of all programs of a session. */
export class ArtifactShelf {
  readonly #kept = new Map<string, Kept>()
  /** Of calls that have not ended. */
  readonly #fresh = new Map<Call, Artifact[]>()
  readonly #limit: number
  #bytes = 0

  /** `limit` is the bytes of all artifacts together. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Keeps media under a fresh id. Throws a Refusal where they are too large. */
  add(call: Call, media: Media): ArtifactReference {
    const { byteLength } = media.bytes
    const { maxToolResultBytes } = call.run.limits
    if (byteLength > maxToolResultBytes)
      throw failedWith(sentences.resultTooLarge(call.tool.name, byteLength, maxToolResultBytes))
    this.#makeRoom(byteLength)
    if (this.#bytes + byteLength > this.#limit) {
      const needed = this.#bytes + byteLength
      throw failedWith(sentences.tooManyArtifactBytes(call.tool.name, needed, this.#limit))
    }
    const id = `artifact_${randomBytes(12).toString('hex')}`
    const { bytes, mediaType, name } = media
    const artifact = describeArtifact({
      ...{ id, mediaType, bytes, toolCallId: call.id },
      ...(name === undefined ? {} : { name }),
    })
    this.#kept.set(id, { artifact, media, told: false })
    const fresh = this.#fresh.get(call)
    if (fresh) fresh.push(artifact)
    else this.#fresh.set(call, [artifact])
    this.#bytes += byteLength
    const named = name === undefined ? {} : { name }
    return { artifact: id, mediaType, bytes: byteLength, ...named, ...media.traits }
  }

  /** The oldest that the host has already go first. */
  #makeRoom(bytes: number): void {
    for (const [id, { told }] of this.#kept) {
      if (this.#bytes + bytes <= this.#limit) return
      if (told) this.#remove(id)
    }
  }

  #remove(id: string): void {
    this.#bytes -= this.#kept.get(id)?.media.bytes.byteLength ?? 0
    this.#kept.delete(id)
  }

  /** What the tool returned, once more. */
  get(id: string): unknown {
    const kept = this.#kept.get(id)
    return kept && kept.media.rebuild(kept.media.bytes)
  }

  has(id: string): boolean {
    return this.#kept.has(id)
  }

  /** Those of an ended call whose ids stand in the text that its script gets; the others go. */
  settle(call: Call, text: string | undefined): readonly Artifact[] {
    const fresh = this.#fresh.get(call)
    if (fresh === undefined) return []
    this.#fresh.delete(call)
    return fresh.filter(({ id }) => {
      const seen = text?.includes(id) ?? false
      if (!seen) this.#remove(id)
      return seen
    })
  }

  /** The host has these now. */
  told(artifacts: readonly Artifact[]): void {
    for (const { id } of artifacts) {
      const kept = this.#kept.get(id)
      if (kept) kept.told = true
    }
  }
}

/** JSON of an artifact says how many bytes it has, not which: results are printed and sent to models. */
function describeArtifact(artifact: Artifact): Artifact {
  const toJSON = () => ({ ...artifact, bytes: artifact.bytes.byteLength })
  return Object.freeze(Object.defineProperty(artifact, 'toJSON', { value: toJSON }))
}

/** Media of a result go to the shelf, references take their place. What holds none is the value itself. */
export function setAside(call: Call, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((part) => setAside(call, part))
  const media = isMedia(value) ? readMedia(value) : undefined
  if (media) return call.run.shelf.add(call, media)
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function' || isBoxed(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, setAside(call, part)]))
}

function isBoxed(value: object): boolean {
  return value instanceof Number || value instanceof String || value instanceof Boolean
}

/** True where the arguments refer to an artifact of the shelf. Throws a Refusal for one that is not there. */
export function refersToArtifacts(call: Call, input: Json): boolean {
  if (typeof input !== 'object' || input === null) return false
  const parts: Json[] = Array.isArray(input) ? input : Object.values(input)
  const id = Array.isArray(input) ? undefined : input['artifact']
  if (typeof id === 'string') {
    if (call.run.shelf.has(id)) return true
    if (looksLikeReference(input as Record<string, Json>))
      throw failedWith(sentences.noSuchArtifact(call.tool.name, id))
  }
  return parts.map((part) => refersToArtifacts(call, part)).includes(true)
}

function looksLikeReference(input: Record<string, Json>): boolean {
  return typeof input['mediaType'] === 'string' && typeof input['bytes'] === 'number'
}

/** References become what the tools had returned; the rest is copied. */
export function bringBack(call: Call, input: Json): unknown {
  if (typeof input !== 'object' || input === null) return input
  if (Array.isArray(input)) return input.map((part) => bringBack(call, part))
  const id = input['artifact']
  if (typeof id === 'string' && call.run.shelf.has(id)) return call.run.shelf.get(id)
  return Object.fromEntries(
    Object.entries(input).map(([key, part]) => [key, bringBack(call, part)]),
  )
}
