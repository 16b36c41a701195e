//! Schemas directly below a normalised schema.

use serde_json::{Map, Value};

use super::keywords::{Place, place};

/// The schemas directly below; `true` where they look at the same value.
pub(crate) fn children(schema: &Map<String, Value>) -> impl Iterator<Item = (&Value, bool)> {
    schema.iter().flat_map(|(key, value)| {
        let same = is_same_value(key);
        let many: Box<dyn Iterator<Item = &Value>> = match (place(key), value) {
            (Some(Place::One), schema) => Box::new(std::iter::once(schema)),
            (Some(Place::List), Value::Array(list)) => Box::new(list.iter()),
            (Some(Place::Map), Value::Object(map)) => Box::new(map.values()),
            _ => Box::new(std::iter::empty()),
        };
        many.map(move |schema| (schema, same))
    })
}

/// The same, to change them.
pub(crate) fn children_mut(schema: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    schema.iter_mut().flat_map(|(key, value)| {
        let many: Box<dyn Iterator<Item = &mut Value>> = match (place(key), value) {
            (Some(Place::One), schema) => Box::new(std::iter::once(schema)),
            (Some(Place::List), Value::Array(list)) => Box::new(list.iter_mut()),
            (Some(Place::Map), Value::Object(map)) => Box::new(map.values_mut()),
            _ => Box::new(std::iter::empty()),
        };
        many
    })
}

fn is_same_value(key: &str) -> bool {
    matches!(
        key,
        "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas"
    )
}
