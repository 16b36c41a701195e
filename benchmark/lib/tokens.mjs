// Tokens of what a model reads and writes, with the tokenizer of GPT-4o and later (o200k_base).
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

export const tokensOf = (value) =>
  countTokens(typeof value === 'string' ? value : JSON.stringify(value))

/** Tools as they are sent to a model that calls them directly. */
export const definitions = (tools) =>
  tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }))

/** The one tool of code mode as it is sent to a model. */
export const definitionOf = ({ name, description, inputSchema }) => ({
  name,
  description,
  input_schema: inputSchema,
})
