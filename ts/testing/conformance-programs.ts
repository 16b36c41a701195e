// The programs of the conformance suite in JavaScript. Each says what it does; an engine of another language brings its own.
import type { ConformancePrograms } from './conformance.ts'

export const javaScriptPrograms: ConformancePrograms = {
  value: 'return { list: [1, 2.5, "x", null, true], nested: { empty: {} } }',
  echo: 'return await tools.echo({ text: "h\\u00e9 \\ud83d\\ude00", list: [1, [2]], nothing: null })',
  chain:
    'const first = await tools.add({ a: 1, b: 2 }); return await tools.add({ a: first, b: 10 })',
  parallel: 'return await Promise.all([1, 2, 3, 4].map((n) => tools.slow({ n })))',
  prints: 'console.log("hello"); console.log("world"); return null',
  raises: 'const one = 1\nthrow new TypeError("boom")',
  malformed: 'return (',
  failingTool: 'return await tools.fail({})',
  caughtTool: 'try { await tools.fail({}) } catch (error) { return error.message }',
  unknownTool: 'return await tools.no_such_tool({})',
  badArguments: 'try { await tools.add({ a: "x", b: 1 }) } catch (error) { return error.message }',
  fiveCalls: 'try { for (let i = 0; i < 5; i++) await tools.echo({ i }) } catch {} return "caught"',
  printsMuch:
    'try { for (let i = 0; i < 100; i++) console.log("x".repeat(99)) } catch {} return "caught"',
  largeResult: 'return "x".repeat(30000)',
  endless: 'try { for (;;); } catch {} return "caught"',
  growing:
    'try { const list = []; for (;;) list.push("x".repeat(1000) + list.length) } catch {} return "caught"',
  recursing: 'const f = (n) => f(n + 1) + 1; return f(0)',
  holds:
    'console.log("before"); const held = await tools.hold({}); console.log("after"); return held',
  leaves: 'globalThis.left = 1; return 1',
  finds: 'return typeof left !== "undefined"',
  reaches: `return ['process', 'require', 'fetch', 'module', 'Buffer', 'setTimeout', 'XMLHttpRequest'].filter((name) => {
    try { return typeof globalThis[name] !== 'undefined' } catch { return false }
  })`,
  passesMedia: 'const shot = await tools.shot({}); await tools.take({ image: shot }); return shot',
  stores: 'store("k", { n: 1 }); return 1',
  loads: 'return load("k") ?? null',
  yields: 'console.log("early"); yield_control(); return await tools.hold({})',
}
