// A program in Python through the same gate: what a model would write, its output, its result, its calls.
import { createCodeMode } from '../../dist/index.js'
import { report } from '../report.mjs'
import { pythonEngine } from './engine.mjs'

const prices = { apple: 1.5, pear: 0.75, plum: 2 }
const codeMode = createCodeMode({
  engine: pythonEngine(),
  tools: {
    get_price: {
      description: 'The price of one fruit in USD',
      inputSchema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
      execute: ({ item }) => {
        if (!(item in prices)) throw new Error(`There is no ${item} in the shop`)
        return { usd: prices[item] }
      },
    },
    convert: {
      description: 'Converts USD to EUR',
      inputSchema: { type: 'object', properties: { usd: { type: 'number' } }, required: ['usd'] },
      execute: ({ usd }) => ({ eur: Math.round(usd * 80) / 100 }),
    },
  },
})

const source = `
total = 0
for item in ["apple", "pear", "plum", "melon"]:
    try:
        total += get_price(item=item)["usd"]
    except Exception as error:
        print("skipped:", error)
{"usd": total, "eur": convert(usd=total)["eur"]}
`

try {
  const outcome = await codeMode.run(source)
  report('Python', outcome)
  if (outcome.status !== 'completed' || outcome.result.eur !== 3.4) process.exitCode = 1
} finally {
  await codeMode.close()
}
