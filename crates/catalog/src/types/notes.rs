//! What a schema says and a type cannot, in few words.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::build::type_names;
use crate::text::cut;

/// Characters of a value or an expression in a note.
const SHORT: usize = 60;
/// Characters of a whole subschema in a note.
const LONG: usize = 160;
/// Whole numbers beyond this are no bound anybody chose.
const SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

pub(super) fn doc(map: &Map<String, Value>) -> Option<String> {
    let text = map.get("description")?.as_str()?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

pub(super) fn of(map: &Map<String, Value>) -> Vec<String> {
    let mut notes = Vec::new();
    if !map.contains_key("enum") && !map.contains_key("const") {
        let types = type_names(map);
        if types.contains(&"integer") && !types.contains(&"number") {
            notes.push("integer".to_owned());
        }
        bounds(map, &mut notes);
        text_rules(map, &mut notes);
    }
    list_rules(map, &mut notes);
    object_rules(map, &mut notes);
    conditions(map, &mut notes);
    if let Some(value) = map.get("default") {
        notes.push(format!("default {}", json(value, SHORT)));
    }
    let example = map
        .get("examples")
        .and_then(Value::as_array)
        .and_then(|l| l.first())
        .or(map.get("example"));
    if let Some(value) = example {
        notes.push(format!("e.g. {}", json(value, SHORT)));
    }
    if map.contains_key("deprecated") {
        notes.push("deprecated".to_owned());
    }
    notes
}

fn json(value: &Value, max: usize) -> String {
    cut(&value.to_string(), max).into_owned()
}

fn bounds(map: &Map<String, Value>, notes: &mut Vec<String>) {
    let number = |key: &str| {
        map.get(key)
            .filter(|v| v.as_f64().is_some_and(|n| n.abs() < SAFE_INTEGER))
    };
    match (number("minimum"), number("maximum")) {
        (Some(least), Some(most)) => notes.push(format!("{least}..{most}")),
        (Some(least), None) => notes.push(format!(">= {least}")),
        (None, Some(most)) => notes.push(format!("<= {most}")),
        (None, None) => {}
    }
    for (key, sign) in [("exclusiveMinimum", ">"), ("exclusiveMaximum", "<")] {
        if let Some(bound) = number(key) {
            notes.push(format!("{sign} {bound}"));
        }
    }
    if let Some(step) = number("multipleOf") {
        notes.push(format!("multiple of {step}"));
    }
}

fn range(map: &Map<String, Value>, keys: [&str; 2], unit: &str) -> Option<String> {
    let [least, most] = keys.map(|key| map.get(key).and_then(Value::as_u64));
    match (least.filter(|n| *n > 0), most) {
        (Some(a), Some(b)) if a == b => Some(format!("{a} {unit}")),
        (Some(a), Some(b)) => Some(format!("{a}..{b} {unit}")),
        (Some(1), None) => Some("not empty".to_owned()),
        (Some(a), None) => Some(format!("min {a} {unit}")),
        (None, Some(b)) => Some(format!("max {b} {unit}")),
        (None, None) => None,
    }
}

fn text_rules(map: &Map<String, Value>, notes: &mut Vec<String>) {
    let string = |key: &str| {
        map.get(key)
            .and_then(Value::as_str)
            .filter(|s| !s.is_empty())
    };
    notes.extend(range(map, ["minLength", "maxLength"], "chars"));
    match (string("format"), string("pattern")) {
        (Some(format), _) => notes.push(cut(format, SHORT).into_owned()),
        (None, Some(pattern)) => notes.push(format!("/{}/", cut(pattern, SHORT))),
        (None, None) => {}
    }
    notes.extend(string("contentEncoding").map(|s| cut(s, SHORT).into_owned()));
    notes.extend(string("contentMediaType").map(|s| cut(s, SHORT).into_owned()));
}

fn list_rules(map: &Map<String, Value>, notes: &mut Vec<String>) {
    if !map.contains_key("prefixItems") {
        notes.extend(range(map, ["minItems", "maxItems"], "items"));
    }
    if map.contains_key("uniqueItems") {
        notes.push("unique".to_owned());
    }
    if let Some(schema) = map.get("contains") {
        notes.push(format!("contains {}", json(schema, LONG)));
    }
}

fn object_rules(map: &Map<String, Value>, notes: &mut Vec<String>) {
    notes.extend(range(map, ["minProperties", "maxProperties"], "keys"));
    match map.get("propertyNames") {
        Some(names) if names.get("enum").is_some() && !map.contains_key("properties") => {}
        Some(names) => match names.get("pattern").and_then(Value::as_str) {
            Some(pattern) => notes.push(format!("keys /{}/", cut(pattern, SHORT))),
            None if names
                .as_object()
                .is_some_and(|n| n.keys().all(|k| k == "type")) => {}
            None => notes.push(format!("keys {}", json(names, LONG))),
        },
        None => {}
    }
    for (key, needs) in map
        .get("dependentRequired")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let needs: Vec<&str> = needs
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        notes.push(cut(&format!("{key} needs {}", needs.join(", ")), LONG).into_owned());
    }
    for (key, schema) in map
        .get("dependentSchemas")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        notes.push(cut(&format!("with {key}: {schema}"), LONG).into_owned());
    }
}

fn conditions(map: &Map<String, Value>, notes: &mut Vec<String>) {
    if let Some(schema) = map.get("not") {
        notes.push(format!("not {}", json(schema, LONG)));
    }
    if let Some(condition) = map.get("if")
        && (map.contains_key("then") || map.contains_key("else"))
    {
        let mut text = format!("if {}", json(condition, LONG));
        for key in ["then", "else"] {
            if let Some(schema) = map.get(key) {
                let _ = write!(text, " {key} {}", json(schema, LONG));
            }
        }
        notes.push(text);
    }
}
