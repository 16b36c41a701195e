//! What each keyword may hold.

use serde_json::{Number, Value};

use super::Broken;
use crate::text::{cut, quote};

/// Where a keyword keeps schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    One,
    List,
    Map,
}

pub(super) fn place(key: &str) -> Option<Place> {
    Some(match key {
        "additionalProperties"
        | "propertyNames"
        | "items"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Place::One,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Place::List,
        "properties" | "patternProperties" | "dependentSchemas" => Place::Map,
        _ => return None,
    })
}

const TYPES: [&str; 7] = [
    "object", "array", "string", "number", "integer", "boolean", "null",
];

/// A keyword whose value holds no schema, checked and in its 2020-12 form. `None`: it says nothing.
pub(super) fn plain(key: &str, value: &Value) -> Result<Option<Value>, Broken> {
    let checked = match key {
        "type" => types(value)?,
        "enum" => match value {
            Value::Array(_) => value.clone(),
            _ => return Err(wrong(key, value, "a list")),
        },
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => match value {
            Value::Number(_) => value.clone(),
            _ => return Err(wrong(key, value, "a number")),
        },
        "multipleOf" => match value.as_f64() {
            Some(n) if n > 0.0 => value.clone(),
            _ => return Err(wrong(key, value, "a number above 0")),
        },
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => Value::Number(count(key, value)?),
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => match value {
            Value::Bool(true) => value.clone(),
            Value::Bool(false) => return Ok(None),
            _ => return Err(wrong(key, value, "true or false")),
        },
        "pattern" => match value {
            Value::String(_) => value.clone(),
            _ => return Err(wrong(key, value, "a string")),
        },
        "required" => strings(key, value)?,
        "dependentRequired" => match value {
            Value::Object(map) => Value::Object(
                map.iter()
                    .map(|(k, v)| Ok((k.clone(), strings(key, v)?)))
                    .collect::<Result<_, _>>()?,
            ),
            _ => return Err(wrong(key, value, "an object")),
        },
        "const" | "default" | "example" => value.clone(),
        "examples" if value.is_array() => value.clone(),
        // annotations of the wrong type harm nobody
        "title" | "description" | "format" | "contentMediaType" | "contentEncoding"
            if value.is_string() =>
        {
            value.clone()
        }
        _ => return Ok(None),
    };
    Ok(Some(checked))
}

fn types(value: &Value) -> Result<Value, Broken> {
    let known = |v: &Value| v.as_str().is_some_and(|t| TYPES.contains(&t));
    match value {
        Value::String(_) if known(value) => Ok(value.clone()),
        Value::Array(list) if !list.is_empty() && list.iter().all(known) => {
            let mut unique: Vec<Value> = Vec::new();
            for v in list {
                if !unique.contains(v) {
                    unique.push(v.clone());
                }
            }
            Ok(Value::Array(unique))
        }
        _ => Err(Broken(format!("{} is no JSON type", show(value)))),
    }
}

fn count(key: &str, value: &Value) -> Result<Number, Broken> {
    if let Some(n) = value.as_u64() {
        return Ok(n.into());
    }
    match value.as_f64() {
        Some(n) if n >= 0.0 && n.fract() == 0.0 && n < 9e15 => Ok((n as u64).into()),
        _ => Err(wrong(key, value, "a whole number")),
    }
}

/// A list of strings, each once.
fn strings(key: &str, value: &Value) -> Result<Value, Broken> {
    let mut seen = std::collections::HashSet::new();
    match value {
        Value::Array(list) if list.iter().all(Value::is_string) => Ok(list
            .iter()
            .filter(|v| seen.insert(v.as_str()))
            .cloned()
            .collect()),
        _ => Err(wrong(key, value, "a list of strings")),
    }
}

pub(super) fn wrong(key: &str, value: &Value, expected: &str) -> Broken {
    Broken(format!("{} is {}, not {expected}", quote(key), show(value)))
}

/// A value as it may stand in a sentence.
fn show(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(s) => quote(&cut(s, 40)),
        other => other.to_string(),
    }
}
