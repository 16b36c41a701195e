import type { CodeModeEngine } from 'codemode-native'

export declare function pythonEngine(): CodeModeEngine
export declare function pythonName(tool: string): string
