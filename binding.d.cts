// `ts/native.ts` holds the real types of the addon and is its only importer.
declare const binding: unknown
export = binding
