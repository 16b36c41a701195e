//! Random schemas, the same ones in every run.

use serde_json::Value;

/// A small generator with a fixed seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        let index = self.below(list.len());
        list.get(index).unwrap()
    }
}

const KEYS: &[&str] = &[
    "type",
    "properties",
    "required",
    "items",
    "prefixItems",
    "additionalItems",
    "$ref",
    "$defs",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "enum",
    "const",
    "nullable",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "dependencies",
    "minimum",
    "exclusiveMinimum",
    "minLength",
    "pattern",
    "format",
    "default",
    "description",
    "title",
    "minItems",
    "uniqueItems",
    "$id",
    "$anchor",
    "dependentSchemas",
    "contains",
    "examples",
    "unevaluatedProperties",
    "multipleOf",
    "maxProperties",
];
const FIELDS: [&str; 4] = ["a", "b", "then", "x y"];
const TYPES: &[&str] = &[
    "string", "object", "array", "integer", "null", "number", "boolean", "any",
];
const WORDS: &[&str] = &[
    "string",
    "object",
    "array",
    "integer",
    "null",
    "number",
    "boolean",
    "any",
    "#",
    "#/$defs/a",
    "#/properties/a",
    "#a",
    "http://x/y",
    "",
    "*/",
    "\u{2028}",
    "^a",
    "(",
    "a\"b",
    "__proto__",
];

/// JSON that looks like a schema and is often none.
pub fn any_schema(random: &mut Random, depth: usize) -> Value {
    if depth == 0 || random.below(6) == 0 {
        return match random.below(7) {
            0 => Value::Null,
            1 => Value::Bool(random.below(2) == 0),
            2 => Value::from(random.below(5) as i64 - 2),
            3 => Value::from(1.5),
            _ => Value::from(*random.pick(WORDS)),
        };
    }
    if random.below(4) == 0 {
        return (0..random.below(4))
            .map(|_| any_schema(random, depth - 1))
            .collect();
    }
    let count = random.below(5);
    let entry = |random: &mut Random| {
        let key = *random.pick(KEYS);
        let map = matches!(
            key,
            "properties" | "$defs" | "patternProperties" | "dependentSchemas"
        );
        let value = match key {
            "type" => Value::from(*random.pick(TYPES)),
            _ if map && random.below(5) > 0 => (0..random.below(4))
                .map(|i| {
                    (
                        FIELDS.get(i).copied().unwrap().to_owned(),
                        any_schema(random, depth - 1),
                    )
                })
                .collect(),
            _ => any_schema(random, depth - 1),
        };
        (key.to_owned(), value)
    };
    (0..count).map(|_| entry(random)).collect()
}
