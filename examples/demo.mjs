// `npm run demo`: the main job on real input. First a program over two small tools, then a program over a real MCP server.
import { runFruitProgram } from './fruit.mjs'
import { walkThroughMcp } from './mcp-walk.mjs'

await runFruitProgram()
await walkThroughMcp()
