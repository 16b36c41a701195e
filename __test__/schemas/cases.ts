// Schemas as they come out of generators and hands, with values that are right and wrong for each.
import type { JsonSchema } from '../../ts/index.ts'

export interface OwnCase {
  readonly name: string
  readonly schema: JsonSchema
  readonly accepts: readonly unknown[]
  readonly rejects: readonly unknown[]
  /** The validator is wider than the type here: a key that an open object does not list. */
  readonly typeOnly?: boolean
}

const object = (properties: Record<string, unknown>, required: readonly string[] = [], more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  required,
  ...more,
})

export const ownCases: readonly OwnCase[] = [
  {
    name: 'optional and required keys',
    schema: object({ a: { type: 'string' }, b: { type: 'number' } }, ['a'], { additionalProperties: false }),
    accepts: [{ a: 'x' }, { a: 'x', b: 1 }],
    rejects: [{}, { a: 1 }, { a: 'x', b: '1' }, { a: 'x', c: 1 }],
  },
  {
    name: 'odd keys',
    schema: object(
      { 'a-b': { type: 'string' }, '2nd': { type: 'number' }, 'with space': { type: 'boolean' }, 'quo"te': { type: 'null' } },
      ['a-b', '2nd'],
      { additionalProperties: false },
    ),
    accepts: [
      { 'a-b': 'x', '2nd': 1 },
      { 'a-b': 'x', '2nd': 1, 'with space': true, 'quo"te': null },
    ],
    rejects: [{ 'a-b': 'x' }, { a_b: 'x', '2nd': 1 }],
  },
  {
    name: 'enum of mixed kinds',
    schema: object({ v: { enum: ['a', 1, true, null] } }, ['v']),
    accepts: [{ v: 'a' }, { v: 1 }, { v: true }, { v: null }],
    rejects: [{ v: 'b' }, { v: 2 }, { v: false }, {}],
  },
  {
    name: 'const',
    schema: object({ v: { const: 'x' }, w: { const: 5 } }, ['v']),
    accepts: [{ v: 'x' }, { v: 'x', w: 5 }],
    rejects: [{ v: 'y' }, { v: 'x', w: 6 }],
  },
  {
    name: 'nullable by a list of types',
    schema: object({ v: { type: ['string', 'null'] } }, ['v']),
    accepts: [{ v: null }, { v: '' }],
    rejects: [{ v: 1 }, {}],
  },
  {
    name: 'nullable of OpenAPI',
    schema: object({ v: { type: 'string', nullable: true } }, ['v']),
    accepts: [{ v: null }, { v: '' }],
    rejects: [{ v: 1 }],
  },
  {
    name: 'nullable enum of OpenAPI',
    schema: object({ v: { type: 'string', enum: ['a', 'b'], nullable: true } }, ['v']),
    accepts: [{ v: null }, { v: 'a' }],
    rejects: [{ v: 'c' }],
  },
  {
    name: 'nullable reference',
    schema: object({ v: { anyOf: [{ $ref: '#/$defs/point' }, { type: 'null' }] } }, ['v'], {
      $defs: { point: object({ x: { type: 'number' } }, ['x']) },
    }),
    accepts: [{ v: null }, { v: { x: 1 } }],
    rejects: [{ v: {} }, { v: 1 }],
  },
  {
    name: 'union of kinds',
    schema: object({ v: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] } }, ['v']),
    accepts: [{ v: 'a' }, { v: [] }, { v: [1] }],
    rejects: [{ v: 1 }, { v: ['a'] }],
  },
  {
    name: 'discriminated union',
    schema: object(
      {
        shape: {
          oneOf: [
            object({ kind: { const: 'circle' }, r: { type: 'number' } }, ['kind', 'r']),
            object({ kind: { const: 'box' }, w: { type: 'number' } }, ['kind', 'w']),
          ],
        },
      },
      ['shape'],
    ),
    accepts: [{ shape: { kind: 'circle', r: 1 } }, { shape: { kind: 'box', w: 1 } }],
    rejects: [{ shape: { kind: 'circle', w: 1 } }, { shape: { kind: 'other' } }, { shape: { r: 1 } }],
  },
  {
    name: 'intersection',
    schema: object({ v: { allOf: [object({ a: { type: 'string' } }, ['a']), object({ b: { type: 'number' } }, ['b'])] } }, ['v']),
    accepts: [{ v: { a: 'x', b: 1 } }],
    rejects: [{ v: { a: 'x' } }, { v: { b: 1 } }, { v: { a: 1, b: 1 } }],
  },
  {
    name: 'intersection beside properties',
    schema: object({ a: { type: 'string' } }, ['a'], { allOf: [object({ b: { type: 'number' } }, ['b'])] }),
    accepts: [{ a: 'x', b: 1 }],
    rejects: [{ a: 'x' }, { b: 1 }],
  },
  {
    name: 'one of two keys is needed',
    schema: { ...object({ id: { type: 'string' }, name: { type: 'string' } }), anyOf: [{ required: ['id'] }, { required: ['name'] }] },
    accepts: [{ id: 'x' }, { name: 'x' }, { id: 'x', name: 'y' }],
    rejects: [{}, { id: 1 }],
  },
  {
    name: 'tuple',
    schema: object({ v: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: false, minItems: 2 } }, ['v']),
    accepts: [{ v: [1, 'a'] }],
    rejects: [{ v: [1] }, { v: ['a', 1] }, { v: [1, 'a', 2] }],
  },
  {
    name: 'tuple of draft 7 with a rest',
    schema: object({ v: { type: 'array', items: [{ type: 'number' }], additionalItems: { type: 'string' }, minItems: 1 } }, ['v']),
    accepts: [{ v: [1] }, { v: [1, 'a', 'b'] }],
    rejects: [{ v: [] }, { v: ['a'] }, { v: [1, 2] }],
  },
  {
    name: 'optional tuple items',
    schema: object({ v: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: false, minItems: 1 } }, ['v']),
    accepts: [{ v: [1] }, { v: [1, 'a'] }],
    rejects: [{ v: [] }, { v: [1, 2] }],
  },
  {
    name: 'dictionary',
    schema: object({ v: { type: 'object', additionalProperties: { type: 'number' } } }, ['v']),
    accepts: [{ v: {} }, { v: { a: 1, 'b-c': 2 } }],
    rejects: [{ v: { a: 'x' } }, { v: [] }],
  },
  {
    name: 'dictionary with listed keys',
    schema: object({ v: { type: 'object', propertyNames: { enum: ['a', 'b'] }, additionalProperties: { type: 'number' } } }, ['v']),
    accepts: [{ v: {} }, { v: { a: 1, b: 2 } }],
    rejects: [{ v: { c: 1 } }, { v: { a: 'x' } }],
  },
  {
    name: 'any object',
    schema: object({ v: { type: 'object' } }, ['v']),
    accepts: [{ v: {} }, { v: { a: [1] } }],
    rejects: [{ v: 1 }, { v: null }],
  },
  { name: 'an object without fields', schema: object({}, [], { additionalProperties: false }), accepts: [{}], rejects: [{ a: 1 }, 1] },
  {
    name: 'recursion by root',
    schema: object({ name: { type: 'string' }, kids: { type: 'array', items: { $ref: '#' } } }, ['name']),
    accepts: [{ name: 'a' }, { name: 'a', kids: [{ name: 'b', kids: [] }] }],
    rejects: [
      { name: 'a', kids: [{}] },
      { name: 'a', kids: [{ name: 'b', kids: [{ name: 1 }] }] },
    ],
  },
  {
    name: 'recursion by definitions',
    schema: object({ tree: { $ref: '#/definitions/Node' } }, ['tree'], {
      definitions: {
        Node: object(
          {
            value: { type: 'number' },
            left: { $ref: '#/definitions/Node' },
            right: { anyOf: [{ $ref: '#/definitions/Node' }, { type: 'null' }] },
          },
          ['value'],
        ),
      },
    }),
    accepts: [{ tree: { value: 1, left: { value: 2 }, right: null } }],
    rejects: [{ tree: { value: 1, left: { value: 'x' } } }, { tree: { value: 1, left: null } }],
  },
  {
    name: 'mutual recursion',
    schema: { $ref: '#/$defs/A', $defs: { A: object({ b: { $ref: '#/$defs/B' } }), B: object({ a: { $ref: '#/$defs/A' } }) } },
    accepts: [{}, { b: { a: { b: {} } } }],
    rejects: [{ b: 1 }, { b: { a: [] } }],
  },
  {
    name: 'an anchor',
    schema: object({ v: { $ref: '#pt' } }, ['v'], { $defs: { p: { $anchor: 'pt', ...object({ x: { type: 'number' } }, ['x']) } } }),
    accepts: [{ v: { x: 1 } }],
    rejects: [{ v: {} }],
  },
  { name: 'defaults are optional', schema: object({ n: { type: 'number', default: 1 } }), accepts: [{}, { n: 2 }], rejects: [{ n: '2' }] },
  {
    name: 'a description that wants out',
    schema: object({ v: { type: 'string', description: 'a */ b \u2028 c // d' } }, ['v']),
    accepts: [{ v: 'x' }],
    rejects: [{}],
  },
  { name: 'anything', schema: object({ v: {}, w: true }, ['v']), accepts: [{ v: 1 }, { v: null, w: [{}] }], rejects: [{}] },
  { name: 'nothing', schema: object({ v: false }), accepts: [{}], rejects: [{ v: 1 }] },
  {
    name: 'arrays of arrays of unions',
    schema: object({ v: { type: 'array', items: { type: 'array', items: { type: ['string', 'number'] } } } }, ['v']),
    accepts: [{ v: [] }, { v: [[1, 'a'], []] }],
    rejects: [{ v: [1] }, { v: [[null]] }],
  },
  {
    name: 'closed objects in an intersection are closed together',
    schema: {
      allOf: [
        object({ a: { type: 'string' } }, ['a'], { additionalProperties: false }),
        object({ b: { type: 'string' } }, ['b'], { additionalProperties: false }),
      ],
    },
    accepts: [{ a: 'x', b: 'y' }],
    rejects: [{ a: 'x' }, { a: 'x', b: 'y', c: 'z' }],
  },
  {
    name: 'an enum without a type beside a type',
    schema: object({ v: { type: 'string', enum: ['a', 1] } }, ['v']),
    accepts: [{ v: 'a' }],
    rejects: [{ v: 1 }, { v: 'b' }],
  },
  {
    name: 'keys of Object.prototype',
    schema: object({ constructor: { type: 'string' }, toString: { type: 'number' } }, ['constructor', 'toString'], {
      additionalProperties: false,
    }),
    accepts: [{ constructor: 'x', toString: 1 }],
    rejects: [
      { constructor: 'x', toString: 'y' },
      { constructor: 'x', toString: 1, valueOf: 1 },
    ],
  },
  {
    name: 'keys by an expression',
    schema: object({ v: { type: 'object', patternProperties: { '^x-': { type: 'number' } }, additionalProperties: false } }, ['v']),
    accepts: [{ v: {} }, { v: { 'x-a': 1 } }],
    rejects: [{ v: { 'x-a': 'b' } }, { v: 1 }],
  },
  {
    name: 'an unlisted key of an open object',
    schema: object({ a: { type: 'string' } }),
    accepts: [{}, { a: 'x' }],
    rejects: [{ b: 1 }],
    typeOnly: true,
  },
]
