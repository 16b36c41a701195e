import { codeMode } from '../../../lib/code-mode.js'

export const runtime = 'nodejs'

export async function POST(request) {
  const { status, result, error } = await codeMode.run(await request.text(), {
    abortSignal: request.signal,
  })
  return Response.json({ status, result, error: error?.code })
}
