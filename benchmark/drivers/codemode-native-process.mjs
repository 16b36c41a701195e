// The same in process isolation.
import { openWith } from './codemode-native.mjs'

export const open = openWith('process')
