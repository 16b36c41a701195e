// Every fixed sentence that a script or a model can read. Hosts match on some of them: a change is a breaking change.

/** `own` is the name of the model's tool, `run_code` if the host gave it no other. */
export const needsApproval = (tool: string, own: string) =>
  `Tool ${tool} needs approval; call it directly, not from ${own}.`
export const subAgentNeedsApproval = (tool: string, own: string) =>
  `Tool ${tool} started a sub-agent that needs approval; call it directly, not from ${own}.`
export const needsSignIn = (tool: string, provider: string, own: string) =>
  `Tool ${tool} needs the user to sign in to ${provider}; call it directly, not from ${own}.`

export const denied = (tool: string) => `Tool ${tool} was denied.`
export const notApproved = (tool: string) => `Tool ${tool} was not approved.`
export const approvalTimedOut = (tool: string, ms: number) =>
  `Tool ${tool} was not approved: no answer within ${ms} ms (approvalTimeoutMs).`

export const invalidArguments = (tool: string, problem: string) =>
  `Invalid arguments for tool ${tool}: ${problem}`
export const toolFailed = (tool: string) => `Tool ${tool} failed.`
export const toolTimedOut = (tool: string, ms: number) =>
  `Tool ${tool} took longer than its timeout of ${ms} ms.`
export const runTimedOut = (ms: number) => `the program did not end within timeoutMs (${ms} ms)`
export const notJson = (tool: string, reason: string) =>
  `Tool ${tool} returned a value that is not JSON: ${reason}.`
export const resultTooLarge = (tool: string, bytes: number, limit: number) =>
  `Tool ${tool} returned ${bytes} bytes, over the limit of ${limit} bytes (maxToolResultBytes).`

export const tooManyArtifactBytes = (tool: string, bytes: number, limit: number) =>
  `Tool ${tool} returned media; with what is kept already they would be ${bytes} bytes, over the limit of ${limit} bytes (maxArtifactBytes).`
export const noSuchArtifact = (tool: string, id: string) =>
  `Tool ${tool} was given the artifact "${id.slice(0, 80)}", which is not kept here.`

/** A check of the host threw before the tool ran. */
export const checkFailed = (tool: string) =>
  `Tool ${tool} could not be run: a check of the host failed.`
/** A hook of the host threw after the tool ran. */
export const resultWithheld = (tool: string) =>
  `Tool ${tool} ran, but its result could not be passed on: a check of the host failed.`

export const endedBefore = 'The run ended before this call did.'
export const endedThenDone = 'The run ended before this call did; its result was dropped.'
export const endedThenFailed = (message: string) =>
  `The run ended before this call did; it then failed: ${message}`
export const abandoned = (ms: number) =>
  `Abandoned: the call was aborted and did not settle within ${ms} ms (abortGraceMs).`

export const emptied = (tool: string, kind: string) =>
  `Tool ${tool} returned a ${kind}, which is {} in JSON; its data did not reach the script.`
export const notAwaited = (tool: string, id: number, message: string) =>
  `Call ${id} (${tool}) was not awaited and failed: ${message}`

export const guardrailStopped = (reason: string) => `A guardrail stopped the run: ${reason}`
export const runAborted = 'The run was aborted'
export const tooManyRuns = (limit: number) =>
  `${limit} programs are live, as many as maxLiveRuns allows; try again later`
export const runStopped = 'The run was stopped'
export const instanceClosed = 'The code mode was closed'
export const sessionClosed = 'The session was closed'
export const sessionCallLimit = (limit: number) =>
  `The session made more tool calls than its limit of ${limit} (maxToolCalls)`

export const sessionBusy = (asked: string, running: string) =>
  `${asked} was refused: ${running} is still in progress, and a session does one thing at a time`
export const sessionIsClosed = 'The session is closed'
export const ownerAborted = "The session is closed: its owner's signal was aborted"
export const nothingActive = (asked: string) =>
  `There is no program to ${asked === 'wait' ? 'wait for' : asked}; start one with exec`
export const programActive =
  'A program is active, or its end was not told yet; call wait or stop before the next exec'
export const tooManyPrograms = (limit: number) =>
  `The session ran ${limit} programs, which is its limit (maxPrograms)`
export const cleanupFailed = (ms: number, names: string) =>
  `The session's cleanup did not end within ${ms} ms (cleanupMs)${names}; the session cannot be used further`
