// Three prices and one conversion: four tool calls, one round trip of the model, one value back.
import { pathToFileURL } from 'node:url'
import { createCodeMode } from '../dist/index.js'
import { report } from './report.mjs'

const pricesInUsd = { apple: 1.5, pear: 0.75, plum: 2 }
const eurosPerUsd = 0.8

const tools = {
  get_price: {
    description: 'The price of one fruit in USD',
    inputSchema: {
      type: 'object',
      properties: { item: { type: 'string' } },
      required: ['item'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { usd: { type: 'number' } }, required: ['usd'] },
    execute({ item }) {
      if (!Object.hasOwn(pricesInUsd, item)) throw new Error(`no fruit is called ${item}`)
      return { usd: pricesInUsd[item] }
    },
  },
  convert: {
    description: 'Converts an amount of USD to EUR',
    inputSchema: {
      type: 'object',
      properties: { usd: { type: 'number' } },
      required: ['usd'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { eur: { type: 'number' } }, required: ['eur'] },
    execute: async ({ usd }) => ({ eur: Math.round(usd * eurosPerUsd * 100) / 100 }),
  },
}

// What a model writes.
const source = `
const prices = await Promise.all(['apple', 'pear', 'plum'].map((item) => tools.get_price({ item })))
const usd = prices.reduce((sum, price) => sum + price.usd, 0)
const { eur } = await tools.convert({ usd })
return { usd, eur }
`

export async function runFruitProgram() {
  const codeMode = createCodeMode({ tools })
  try {
    console.log('The model sees:\n')
    console.log(codeMode.signatures)
    report('Fruit', await codeMode.run(source))
  } finally {
    await codeMode.close()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await runFruitProgram()
