// Tokens that a run handed out never come back to its script: they are taken out of everything tools say.
import { mapStrings, parseJson, stringifyJson, type Json } from './json.ts'

const mark = '[redacted]'

export class Redactor {
  // Longest first: a token that contains another one is replaced whole.
  readonly #tokens: string[] = []

  add(token: string): void {
    if (token === '' || this.#tokens.includes(token)) return
    this.#tokens.push(token)
    this.#tokens.sort((a, b) => b.length - a.length)
  }

  text(text: string): string {
    let clean = text
    for (const token of this.#tokens)
      if (clean.includes(token)) clean = clean.replaceAll(token, () => mark)
    return clean
  }

  /** Works on the strings of the value, not on its JSON text: a replacement can never break the JSON. */
  json(text: string): string {
    if (!this.#mayHold(text)) return text
    return stringifyJson(mapStrings(parseJson(text) as Json, (part) => this.text(part)))
  }

  #mayHold(json: string): boolean {
    return this.#tokens.some((token) => json.includes(JSON.stringify(token).slice(1, -1)))
  }
}
