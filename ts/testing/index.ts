// Helpers for tests of applications, for any test runner: nothing here is tied to one.
export {
  conformanceCases,
  type ConformanceCase,
  type ConformancePrograms,
  type ConformanceSetup,
} from './conformance.ts'
export { javaScriptPrograms } from './conformance-programs.ts'
export { mockTool, mockTools, type MockAnswer, type MockCall, type MockTool } from './mock-tools.ts'
export {
  recordRun,
  replayTools,
  type RecordedCall,
  type RecordedOutcome,
  type Recording,
  type Replay,
} from './recording.ts'
export { expectNoSideEffects } from './side-effects.ts'
export { fakeClock, type FakeClock } from './fake-clock.ts'
