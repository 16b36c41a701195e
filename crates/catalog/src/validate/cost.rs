//! How much work a validator would have, found out before it begins.
//!
//! A schema that refers to itself from two branches of a union can double the work with every level
//! of the value. Here each pair of schema and value is visited once, so the count is quick.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::limits::{MAX_VALIDATION_DEPTH, MAX_VALIDATION_STEPS};
use crate::schema::target;

#[derive(Clone, Copy, Default)]
struct Work {
    steps: u64,
    height: usize,
}

impl Work {
    const EXCESS: Self = Self {
        steps: u64::MAX,
        height: usize::MAX,
    };

    fn add(&mut self, other: Self) {
        self.steps = self.steps.saturating_add(other.steps);
        self.height = self.height.max(other.height.saturating_add(1));
    }
}

pub(super) fn refuse_excess(document: &Value, value: &Value) -> Result<(), String> {
    let mut estimate = Estimate {
        document,
        known: HashMap::new(),
    };
    let work = estimate.work(document, value, 0);
    if work.steps > MAX_VALIDATION_STEPS || work.height > MAX_VALIDATION_DEPTH {
        return Err("the argument is too large or nests too deep to be checked".to_owned());
    }
    Ok(())
}

struct Estimate<'a> {
    document: &'a Value,
    known: HashMap<(*const Value, *const Value), Work>,
}

impl<'a> Estimate<'a> {
    fn work(&mut self, schema: &'a Value, value: &'a Value, depth: usize) -> Work {
        let Some(map) = schema.as_object() else {
            return Work {
                steps: 1,
                height: 1,
            };
        };
        if depth > MAX_VALIDATION_DEPTH || self.known.len() as u64 > MAX_VALIDATION_STEPS {
            return Work::EXCESS;
        }
        let key = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
        if let Some(work) = self.known.get(&key) {
            return *work;
        }
        let mut total = Work {
            steps: 1 + map.len() as u64,
            height: 1,
        };
        self.same_value(map, value, depth, &mut total);
        match value {
            Value::Object(fields) => self.fields(map, fields, depth, &mut total),
            Value::Array(items) => self.items(map, items, depth, &mut total),
            _ => {}
        }
        self.known.insert(key, total);
        total
    }

    fn same_value(
        &mut self,
        map: &'a Map<String, Value>,
        value: &'a Value,
        depth: usize,
        total: &mut Work,
    ) {
        if let Some(index) = target(map) {
            let document = self.document;
            let found = if index == 0 {
                Some(document)
            } else {
                document.get("$defs").and_then(|d| d.get(index.to_string()))
            };
            if let Some(schema) = found {
                total.add(self.work(schema, value, depth + 1));
            }
        }
        for (key, part) in map {
            match (key.as_str(), part) {
                ("allOf" | "anyOf" | "oneOf", Value::Array(list)) => {
                    for schema in list {
                        total.add(self.work(schema, value, depth + 1));
                    }
                }
                ("not" | "if" | "then" | "else", schema) => {
                    total.add(self.work(schema, value, depth + 1));
                }
                ("dependentSchemas", Value::Object(schemas)) => {
                    for schema in schemas.values() {
                        total.add(self.work(schema, value, depth + 1));
                    }
                }
                _ => {}
            }
        }
    }

    fn fields(
        &mut self,
        map: &'a Map<String, Value>,
        fields: &'a Map<String, Value>,
        depth: usize,
        total: &mut Work,
    ) {
        let listed = map.get("properties").and_then(Value::as_object);
        for (name, value) in fields {
            let own = listed.and_then(|l| l.get(name));
            // which patterns match is not worth finding out
            let patterns = map.get("patternProperties").and_then(Value::as_object);
            let patterns = patterns.into_iter().flat_map(Map::values);
            let others = map.get("additionalProperties").filter(|_| own.is_none());
            let rest = map.get("unevaluatedProperties");
            for schema in own.into_iter().chain(patterns).chain(others).chain(rest) {
                total.add(self.work(schema, value, depth + 1));
            }
        }
    }

    fn items(
        &mut self,
        map: &'a Map<String, Value>,
        items: &'a [Value],
        depth: usize,
        total: &mut Work,
    ) {
        let prefix = map
            .get("prefixItems")
            .and_then(Value::as_array)
            .map_or(&[][..], |p| p);
        for (index, value) in items.iter().enumerate() {
            let own = prefix.get(index).or_else(|| map.get("items"));
            let others = [map.get("contains"), map.get("unevaluatedItems")];
            for schema in own.into_iter().chain(others.into_iter().flatten()) {
                total.add(self.work(schema, value, depth + 1));
            }
        }
    }
}
