import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApprovalDecision, Outcome } from '../../ts/index.ts'
import { chromeTrace, traceHtml } from '../../ts/trace/index.ts'
import { make, sleep } from '../helpers.ts'

const source = `const items = ['apple', 'pear', 'plum']
const prices = await Promise.all(items.map((item) => tools.get_price({ item })))
console.log('got', prices.length, '<b>prices</b>')
try {
  await tools.get_price({ item: 'rock' })
} catch (error) {
  console.warn(error.message)
}
return await tools.buy({ item: 'plum', note: '</pre><script>alert(1)</script>' })`

async function exampleRun(): Promise<Outcome> {
  const codeMode = make({
    tools: {
      get_price: {
        execute: async ({ item }: { item: string }) => {
          await sleep(20 + item.length * 10)
          if (item === 'rock') throw new Error('a rock is no <i>fruit</i>')
          return { item, usd: 1.5 }
        },
      },
      buy: { needsApproval: true, execute: async (input: object) => (await sleep(15), { bought: input }) },
    },
    approve: () => sleep(40).then((): ApprovalDecision => 'approve'),
  })
  return codeMode.run(source, { toolCallId: 'call-1' })
}

test('records say when a call began and how long somebody was asked', async () => {
  const { calls } = await exampleRun()
  const [first, , , rock, buy] = calls
  expect(first?.startedMs).toBeGreaterThanOrEqual(0)
  expect(first?.approvalMs).toBeUndefined()
  expect(rock?.startedMs).toBeGreaterThanOrEqual((first?.startedMs ?? 0) + (first?.durationMs ?? 0) - 1)
  expect(buy?.approvalMs).toBeGreaterThanOrEqual(39)
  expect(buy?.approvalMs).toBeLessThan(buy?.durationMs ?? 0)
})

describe('chrome trace', () => {
  test('one event for the run and each call and approval, in microseconds; rows never overlap', async () => {
    const outcome = await exampleRun()
    const { traceEvents } = chromeTrace(outcome)
    const complete = traceEvents.filter((event) => event.ph === 'X')
    expect(complete.map((event) => event.name)).toEqual(['run', 'get_price', 'get_price', 'get_price', 'get_price', 'buy', 'approval'])
    const calls = complete.filter((event) => event.cat === 'tool' && event.name !== 'approval')
    const overlapping = calls.flatMap((a, i) =>
      calls.slice(i + 1).filter((b) => a.tid === b.tid && a.ts < b.ts + (b.dur ?? 0) && b.ts < a.ts + (a.dur ?? 0)),
    )
    expect(overlapping).toEqual([])
    expect(new Set(calls.map((event) => event.tid)).size).toBe(3)
    expect(calls[0]?.ts).toBe(Math.round((outcome.calls[0]?.startedMs ?? 0) * 1000))
    expect(complete[0]).toMatchObject({ args: { status: 'completed', toolCalls: 5 } })
    // Tools read it back as JSON.
    expect(JSON.parse(JSON.stringify({ traceEvents }))).toHaveProperty('traceEvents')
  })
})

describe('page', () => {
  test('an outcome that went through JSON gives the same page; what is none is refused', async () => {
    const outcome = await exampleRun()
    expect(traceHtml(JSON.parse(JSON.stringify(outcome)) as Outcome, { source })).toBe(traceHtml(outcome, { source }))
    expect(() => traceHtml({} as Outcome)).toThrow(new TypeError('Expected `outcome` to be the outcome of a run'))
    expect(() => chromeTrace(undefined as unknown as Outcome)).toThrow(TypeError)
  })

  test('nothing a program or a tool said is markup, and the page asks for nothing', async () => {
    const html = traceHtml(await exampleRun(), { source, title: '<title>' })
    expect(html).not.toMatch(/<script/i)
    expect(html).not.toContain('<b>prices</b>')
    expect(html).not.toContain('<i>fruit')
    expect(html).not.toMatch(/(?:src|href)="(?!#)/)
    expect(html).toContain("default-src 'none'")
  })

  test('a failed run, and one without calls', async () => {
    const codeMode = make({ tools: {} })
    const html = traceHtml(await codeMode.run('const x = 1\nthrow new TypeError("no <x>")'), { source: 'const x = 1\nthrow' })
    expect(html).toContain('The program called no tool.')
    expect(html).toContain('<a href="#L2">line 2')
    expect(html).toContain('no &lt;x&gt;')
  })
})

describe('lines of calls', () => {
  /** Lines that each call of the run is said to fit, in the order of the page. */
  async function linesOfCalls(program: string, tools = { get: { execute: (input: object) => input } }): Promise<string[]> {
    const html = traceHtml(await make({ tools }).run(program), { source: program })
    return [...html.matchAll(/<p>Call <code>.*?<\/p>/g)].map(([text]) => [...text.matchAll(/#L(\d+)/g)].map((match) => match[1]).join(' '))
  }

  test('arguments that are written out tell the lines of one tool apart', async () => {
    const program = `await tools.get({ id: 'a', n: 1 })
      await tools.get({ id: 'b', n: [1, ')'].length, flag: true })
      await tools.get({ "id": "c" })
      return await tools['get']({
        id: 'd' })`
    expect(await linesOfCalls(program)).toEqual(['1', '2', '3', '4'])
  })

  test('a line that says less of a call stays possible, behind the one that says more', async () => {
    const program = `for (const id of ['x', 'y']) await tools.get({ id })
      await tools.get({ id: 'y' })
      return 0`
    expect(await linesOfCalls(program)).toEqual(['1', '2 1', '2 1'])
  })

  test.each([
    ['a spread', "await tools.get({ id: 'a', ...{ id: 'b' } })"],
    ['text that it takes parsing to understand', 'await tools.get({ id: `a` + /,}/.source, more: 1 })'],
    ['a key that is computed', "const k = 'id'; await tools.get({ [k]: 'a' })"],
    ['a string with an escape', "await tools.get({ note: 'it\\'s', id: 'b' + ', id: ' })"],
    ['arguments from elsewhere', "const given = { id: 'a' }; await tools.get(given)"],
    ['a value that a later one takes the place of', "await tools.get({ id: 'a', id: 'b'.trim() })"],
  ])('%s rules no line out', async (_, call) => {
    expect(await linesOfCalls(`${call}\nreturn 0`)).toEqual(['1'])
    const other = await linesOfCalls(`${call}\nawait tools.get({ id: 'z' })\nreturn 0`)
    expect(other).toEqual(['1', '2 1'])
  })

  test('what a hook made of the arguments changes nothing; a call whose name was put together fits no line', async () => {
    const program = "await tools.get({ id: 'a' })\nawait tools.get({ id: 'b' })\nawait tools['g' + 'et']({ id: 'c' })"
    const codeMode = make({
      tools: { get: { execute: (input: object) => input } },
      hooks: { preToolCall: () => ({ input: { id: 'changed' } }) },
    })
    const html = traceHtml(await codeMode.run(program), { source: program })
    expect([...html.matchAll(/(?:Fits .*?)?<\/p>\n<h3>Arguments/g)].map(([text]) => text.match(/line \d/g))).toEqual([
      ['line 1'],
      ['line 2'],
      null,
    ])
  })
})

/** Runs in the page: how far text stands out from the ground, by WCAG's formula. */
const contrasts = `(() => {
  const light = (rgb) => {
    const [r, g, b] = rgb.match(/\\d+/g).map((part) => {
      const value = Number(part) / 255
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const ground = light(getComputedStyle(document.body).backgroundColor)
  return ['h1', 'h2', '.status.done', '.status.error', '.n', '.ms', 'dt', 'a'].map((selector) => {
    const text = light(getComputedStyle(document.querySelector(selector)).color)
    return [selector, (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05)]
  })
})()`

const executablePath = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome'].find((file) => file && fs.existsSync(file))

describe.runIf(executablePath)('in a browser', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'codemode-trace-'))
  const file = path.join(folder, 'run.html')
  let browser: Browser

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] })
    fs.writeFileSync(file, traceHtml(await exampleRun(), { source, title: 'buy-fruit.js' }))
  })
  afterAll(async () => {
    await browser.close()
    fs.rmSync(folder, { recursive: true })
  })

  async function open(colorScheme: 'light' | 'dark' = 'light'): Promise<{ page: Page; faults: string[]; requests: string[] }> {
    const page = await browser.newPage({ colorScheme, viewport: { width: 1100, height: 1250 } })
    const faults: string[] = []
    const requests: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => faults.push(message.text()))
    page.on('request', (request) => requests.push(request.url()))
    await page.goto(pathToFileURL(file).href)
    return { page, faults, requests }
  }

  test('it shows every call, asks for nothing but itself, and complains about nothing', async () => {
    const { page, faults, requests } = await open()
    expect(await page.locator('.calls > li').count()).toBe(5)
    expect(await page.locator('.calls .status.error').innerText()).toBe('error')
    expect(
      await page
        .locator('.source > li')
        .evaluateAll((lines) => lines.map((line) => String(line.computedStyleMap().get('list-style-type')))),
    ).toEqual(Array.from({ length: 9 }, () => 'decimal'))
    expect(requests).toEqual([pathToFileURL(file).href])
    expect(faults).toEqual([])
  })

  test('bars stand where the calls were: three at one time, the others after them', async () => {
    const { page } = await open()
    const boxes = await Promise.all((await page.locator('.track > i:first-child').all()).map((bar) => bar.boundingBox()))
    const [a, b, , rock, buy] = boxes
    expect(Math.abs((a?.x ?? 0) - (b?.x ?? 0))).toBeLessThan(8)
    expect(rock?.x).toBeGreaterThan((a?.x ?? 0) + (a?.width ?? 0) - 1)
    expect(buy?.x).toBeGreaterThan((rock?.x ?? 0) + (rock?.width ?? 0) - 1)
    expect(await page.locator('.track > i.approval').count()).toBe(1)
  })

  test('with the keyboard alone: a call opens and shows its arguments; a line leads to its call', async () => {
    const { page } = await open()
    const body = page.locator('#call-1 .body')
    expect(await body.isVisible()).toBe(false)
    for (let i = 0; i < 20 && !(await page.locator('#call-1 summary').evaluate((e) => e.matches(':focus'))); i++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await body.isVisible()).toBe(true)
    expect(await body.innerText()).toContain('"item": "apple"')
    await page.locator('#L9 .made a').focus()
    await page.keyboard.press('Enter')
    expect(page.url()).toMatch(/#call-5$/)
  })

  test.each(['light', 'dark'] as const)('%s: text stands out from its ground', async (scheme) => {
    const { page } = await open(scheme)
    const contrast = await page.evaluate<[string, number][]>(contrasts)
    for (const [selector, ratio] of contrast) expect(ratio, selector).toBeGreaterThan(4.5)
    if (process.env['SCREENSHOTS']) {
      await page.locator('#call-4 summary').click()
      await page.screenshot({ path: path.join(process.env['SCREENSHOTS'], `trace-${scheme}.png`), fullPage: true })
    }
  })
})
