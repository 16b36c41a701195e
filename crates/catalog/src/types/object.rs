//! Object types: fields, dictionaries, keys by pattern.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::build::Builder;
use super::{Field, Node, Object, Rest, Type};

pub(super) fn object(builder: &mut Builder<'_>, map: &Map<String, Value>) -> Type {
    let required: Vec<&str> = strings(map.get("required"));
    let is_required: HashSet<&str> = required.iter().copied().collect();
    let mut fields = properties(builder, map, &is_required);
    // beside other parts `unevaluatedProperties` speaks of the fields of all of them
    let is_whole = ["$ref", "allOf", "anyOf", "oneOf", "if"]
        .iter()
        .all(|k| !map.contains_key(*k));
    let unevaluated = map.get("unevaluatedProperties").filter(|_| is_whole);
    let others = map
        .get("additionalProperties")
        .or(unevaluated)
        .map(|schema| builder.node(schema));
    let closed = others.as_ref().is_some_and(|o| o.ty == Type::Never);
    let others = others.filter(|o| o.ty != Type::Never);
    let known: HashSet<String> = fields.iter().map(|f| f.name.clone()).collect();
    let listed = listed_keys(map);
    let extra = listed.iter().chain(&required).copied();
    let mut added = HashSet::new();
    for name in extra.filter(|n| !known.contains(*n)) {
        if added.insert(name) {
            let node = others.clone().unwrap_or_default();
            let optional = !is_required.contains(name);
            fields.push(Field {
                name: name.to_owned(),
                optional,
                node,
            });
        }
    }
    let mut rest: Vec<(Option<String>, Node)> = Vec::new();
    for (pattern, schema) in map
        .get("patternProperties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        rest.push((Some(pattern.clone()), builder.node(schema)));
    }
    if listed.is_empty() {
        rest.extend(others.map(|node| (None, node)));
    }
    let empty = map
        .get("properties")
        .is_some_and(|p| p.as_object().is_some_and(Map::is_empty));
    let rest = if !rest.is_empty() {
        Rest::Typed(rest)
    } else if closed || !listed.is_empty() {
        Rest::Closed
    } else if empty && fields.is_empty() {
        Rest::Empty
    } else {
        Rest::Unsaid
    };
    Type::Object(Object { fields, rest })
}

/// The fields under `properties`.
fn properties(
    builder: &mut Builder<'_>,
    map: &Map<String, Value>,
    is_required: &HashSet<&str>,
) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for (name, schema) in map
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let mut node = builder.node(schema);
        if node.doc.is_none() {
            node.doc = title(schema)
                .filter(|t| !same_words(t, name))
                .map(str::to_owned);
        }
        let optional = !is_required.contains(name.as_str());
        fields.push(Field {
            name: name.clone(),
            optional,
            node,
        });
    }
    fields
}

/// Keys of a dictionary whose names are an enumeration.
fn listed_keys(map: &Map<String, Value>) -> Vec<&str> {
    if map.contains_key("properties") || map.contains_key("patternProperties") {
        return Vec::new();
    }
    strings(map.get("propertyNames").and_then(|names| names.get("enum")))
}

fn strings(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn title(schema: &Value) -> Option<&str> {
    schema
        .get("title")
        .and_then(Value::as_str)
        .filter(|t| !t.trim().is_empty())
}

/// Generators write the title `User Name` for the property `user_name`; it says nothing new.
fn same_words(a: &str, b: &str) -> bool {
    let letters = |s: &str| -> String {
        s.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    letters(a) == letters(b)
}
