// `context.getToken`: asks the host, remembers every token so that it can be redacted, and says when a sign-in is needed.
import type { Call } from './call.ts'
import { SignInNeededError } from './errors.ts'
import type { CodeModeOptions } from './options.ts'

export function tokenGiver(getToken: CodeModeOptions['getToken']) {
  return async (call: Call, provider: string): Promise<string> => {
    if (typeof provider !== 'string' || provider === '')
      throw new TypeError('Expected `provider` to be a non-empty string')
    if (call.ended || call.run.over) throw new Error('The call has ended; it gets no token')
    const token = await askHost(getToken, call, provider)
    if (token === undefined || token === null || token === '') throw new SignInNeededError(provider)
    if (typeof token !== 'string') throw fault(call, new TypeError('`getToken` gave no string'))
    // Also for a call that ended meanwhile: what it has seen must not come back.
    call.run.handOut(token)
    return token
  }
}

async function askHost(
  getToken: CodeModeOptions['getToken'],
  call: Call,
  provider: string,
): Promise<unknown> {
  try {
    return await getToken?.(provider, call.run.context)
  } catch (error) {
    throw fault(call, error)
  }
}

/** The tool may let it through to the script: its message is fixed, the host's own error is for the host. */
function fault(call: Call, error: unknown): Error {
  call.trace?.fault(error)
  call.run.reportHostFault(error)
  return new Error('The host failed to give a token', { cause: error })
}
