// Everything an application or an engine's author can import from `codemode-native/testing`.
export {
  conformanceCases,
  type ConformanceCase,
  type ConformancePrograms,
  type ConformanceSetup,
} from './conformance.ts'
export { javaScriptPrograms } from './conformance-programs.ts'
