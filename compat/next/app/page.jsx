import { codeMode } from '../lib/code-mode.js'

export const dynamic = 'force-dynamic'

/** A server component may run programs, too. */
export default async function Page() {
  const outcome = await codeMode.run('return await tools.add({ a: 40, b: 2 })')
  return <p>The answer is {outcome.result}.</p>
}
