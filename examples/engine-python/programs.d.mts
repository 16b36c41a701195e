import type { ConformancePrograms } from 'codemode-native/testing'

export declare const pythonPrograms: ConformancePrograms
