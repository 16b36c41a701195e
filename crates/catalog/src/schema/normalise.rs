//! Reads a schema of any draft and writes it in 2020-12 terms.

use std::collections::{HashMap, VecDeque};

use serde_json::{Map, Value, json};

use super::keywords::{Place, place, plain, wrong};
use super::resolve::Resolver;
use super::{Broken, Definition, pointer};
use crate::limits::MAX_SCHEMA_NODES;
use crate::text::{cut, quote};

struct Normaliser<'a> {
    resolver: Resolver<'a>,
    /// Schemas that are referred to, by address: two spellings of one place are one definition.
    indices: HashMap<*const Value, usize>,
    queue: VecDeque<&'a Value>,
    hints: Vec<String>,
    /// Up to draft 7 nothing counts beside a `$ref` but its descriptions.
    lone_refs: bool,
    nodes: usize,
}

/// The root and everything it refers to, in the order in which it is found.
pub(super) fn normalise(document: &Value) -> Result<Vec<Definition>, Broken> {
    let dialect = document
        .get("$schema")
        .and_then(Value::as_str)
        .unwrap_or("");
    let mut normaliser = Normaliser {
        resolver: Resolver::new(document),
        indices: HashMap::from([(std::ptr::from_ref(document), 0)]),
        queue: VecDeque::from([document]),
        hints: vec![String::new()],
        lone_refs: ["draft-03", "draft-04", "draft-06", "draft-07"]
            .iter()
            .any(|d| dialect.contains(d)),
        nodes: 0,
    };
    let mut schemas = Vec::new();
    while let Some(next) = normaliser.queue.pop_front() {
        schemas.push(normaliser.schema(next)?);
    }
    let hints = normaliser.hints.into_iter();
    Ok(hints
        .zip(schemas)
        .map(|(hint, schema)| Definition { hint, schema })
        .collect())
}

impl<'a> Normaliser<'a> {
    fn count(&mut self, nodes: usize) -> Result<(), Broken> {
        self.nodes += nodes;
        if self.nodes > MAX_SCHEMA_NODES {
            return Err(Broken(format!("it has more than {MAX_SCHEMA_NODES} parts")));
        }
        Ok(())
    }

    fn schema(&mut self, schema: &'a Value) -> Result<Value, Broken> {
        self.count(1)?;
        let map = match schema {
            Value::Bool(_) => return Ok(schema.clone()),
            Value::Object(map) => map,
            Value::Array(_) => return Err(Broken("a schema is a list, not an object".to_owned())),
            other => {
                let text = other.to_string();
                return Err(Broken(format!(
                    "a schema is {}, not an object",
                    cut(&text, 40)
                )));
            }
        };
        let mut out = Map::new();
        for (key, value) in map {
            // several generators write null for what is absent
            if value.is_null() && !matches!(key.as_str(), "const" | "default") {
                continue;
            }
            self.keyword(map, key, value, &mut out)?;
        }
        close_together(&mut out);
        if map.get("nullable") == Some(&Value::Bool(true)) {
            return Ok(nullable(out));
        }
        Ok(Value::Object(out))
    }

    fn keyword(
        &mut self,
        map: &'a Map<String, Value>,
        key: &'a str,
        value: &'a Value,
        out: &mut Map<String, Value>,
    ) -> Result<(), Broken> {
        let beside_ref = self.lone_refs && map.get("$ref").is_some_and(Value::is_string);
        let annotation = matches!(
            key,
            "$ref" | "title" | "description" | "default" | "deprecated" | "examples"
        );
        if beside_ref && !annotation {
            return Ok(());
        }
        match (key, value) {
            ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(text)) => {
                let index = self.reference(text)?;
                out.insert("$ref".to_owned(), Value::String(pointer(index)));
            }
            ("$ref" | "$dynamicRef" | "$recursiveRef", _) => {
                return Err(wrong(key, value, "a string"));
            }
            ("items", Value::Array(list)) => {
                if !list.is_empty() {
                    out.insert("prefixItems".to_owned(), self.list(list)?);
                }
                if let Some(rest) = map.get("additionalItems").filter(|v| !v.is_null()) {
                    let rest = self.schema(rest)?;
                    out.insert("items".to_owned(), rest);
                } else if !out.contains_key("items") {
                    out.insert("items".to_owned(), Value::Bool(true));
                }
            }
            ("prefixItems", Value::Array(list)) if list.is_empty() => {}
            ("dependencies", Value::Object(parts)) => self.dependencies(parts, out)?,
            ("exclusiveMinimum", Value::Bool(on)) => exclusive(*on, "minimum", key, map, out),
            ("exclusiveMaximum", Value::Bool(on)) => exclusive(*on, "maximum", key, map, out),
            // a property that says `required: true` is dealt with where its object is
            ("required", Value::Bool(_)) => {}
            ("minimum", _) if map.get("exclusiveMinimum") == Some(&Value::Bool(true)) => {}
            ("maximum", _) if map.get("exclusiveMaximum") == Some(&Value::Bool(true)) => {}
            _ => self.common(key, value, out)?,
        }
        Ok(())
    }

    fn common(
        &mut self,
        key: &'a str,
        value: &'a Value,
        out: &mut Map<String, Value>,
    ) -> Result<(), Broken> {
        let Some(place) = place(key) else {
            self.count(weight(value))?;
            if let Some(checked) = plain(key, value)? {
                merge(key, checked, out);
            }
            return Ok(());
        };
        let read = match (place, value) {
            (Place::One, schema) => self.schema(schema).map_err(|b| within(key, b))?,
            (Place::List, Value::Array(list)) if list.is_empty() && key == "allOf" => return Ok(()),
            (Place::List, Value::Array(list)) if !list.is_empty() => self.list(list)?,
            (Place::List, Value::Array(_)) => {
                return Err(Broken(format!("{} is empty", quote(key))));
            }
            (Place::List, _) => return Err(wrong(key, value, "a list")),
            (Place::Map, Value::Object(parts)) => Value::Object(self.map(parts)?),
            (Place::Map, _) => return Err(wrong(key, value, "an object")),
        };
        if let ("properties", Value::Object(parts)) = (key, value) {
            let named: Vec<Value> = parts
                .iter()
                .filter(|(_, v)| v.get("required") == Some(&Value::Bool(true)))
                .map(|(name, _)| Value::String(name.clone()))
                .collect();
            if !named.is_empty() {
                merge("required", Value::Array(named), out);
            }
        }
        out.insert(key.to_owned(), read);
        Ok(())
    }

    fn list(&mut self, list: &'a [Value]) -> Result<Value, Broken> {
        list.iter().map(|schema| self.schema(schema)).collect()
    }

    fn map(&mut self, parts: &'a Map<String, Value>) -> Result<Map<String, Value>, Broken> {
        parts
            .iter()
            .map(|(key, schema)| {
                Ok((
                    key.clone(),
                    self.schema(schema).map_err(|b| within(key, b))?,
                ))
            })
            .collect()
    }

    /// The one keyword that 2019-09 split in two.
    fn dependencies(
        &mut self,
        parts: &'a Map<String, Value>,
        out: &mut Map<String, Value>,
    ) -> Result<(), Broken> {
        let mut required = Map::new();
        let mut schemas = Map::new();
        for (key, value) in parts {
            if value.is_array() {
                let one = json!({ key: value });
                if let Some(Value::Object(one)) = plain("dependentRequired", &one)? {
                    required.extend(one);
                }
            } else {
                schemas.insert(key.clone(), self.schema(value)?);
            }
        }
        if !required.is_empty() {
            out.insert("dependentRequired".to_owned(), Value::Object(required));
        }
        if !schemas.is_empty() {
            out.insert("dependentSchemas".to_owned(), Value::Object(schemas));
        }
        Ok(())
    }

    fn reference(&mut self, text: &str) -> Result<usize, Broken> {
        let (schema, hint) = self.resolver.resolve(text)?;
        let next = self.indices.len();
        let index = *self
            .indices
            .entry(std::ptr::from_ref(schema))
            .or_insert(next);
        if index == next {
            self.queue.push_back(schema);
            self.hints.push(hint);
        }
        Ok(index)
    }
}

/// `required` may be filled from two sides; everything else is written once.
fn merge(key: &str, value: Value, out: &mut Map<String, Value>) {
    match (out.get_mut(key), value) {
        (Some(Value::Array(known)), Value::Array(more)) if key == "required" => {
            for name in more {
                if !known.contains(&name) {
                    known.push(name);
                }
            }
        }
        (_, value) => drop(out.insert(key.to_owned(), value)),
    }
}

/// Draft 4 kept the bound in one keyword and its strictness in another.
fn exclusive(
    on: bool,
    bound: &str,
    key: &str,
    map: &Map<String, Value>,
    out: &mut Map<String, Value>,
) {
    if let Some(limit) = map.get(bound).filter(|v| on && v.is_number()) {
        out.insert(key.to_owned(), limit.clone());
    }
}

/// Closed objects in one `allOf` refuse each other's fields, which no author means: they are closed
/// together instead.
fn close_together(schema: &mut Map<String, Value>) {
    let is_closed = |part: &Value| part.get("additionalProperties") == Some(&Value::Bool(false));
    let outer_fields = schema.contains_key("properties");
    let Some(Value::Array(parts)) = schema.get_mut("allOf") else {
        return;
    };
    if !parts.iter().any(is_closed) || (parts.len() < 2 && !outer_fields) {
        return;
    }
    for part in parts.iter_mut().filter(|part| is_closed(part)) {
        if let Value::Object(part) = part {
            part.shift_remove("additionalProperties");
        }
    }
    if !schema.contains_key("additionalProperties") {
        schema.insert("unevaluatedProperties".to_owned(), Value::Bool(false));
    }
}

/// The `OpenAPI` spelling of "or null".
fn nullable(mut schema: Map<String, Value>) -> Value {
    let applies = ["$ref", "allOf", "anyOf", "oneOf", "not", "if"];
    if applies.iter().any(|key| schema.contains_key(*key)) {
        let mut outer = Map::new();
        for key in ["title", "description", "default", "deprecated"] {
            if let Some(value) = schema.remove(key) {
                outer.insert(key.to_owned(), value);
            }
        }
        outer.insert("anyOf".to_owned(), json!([schema, { "type": "null" }]));
        return Value::Object(outer);
    }
    let null = Value::String("null".to_owned());
    match schema.get_mut("type") {
        Some(Value::Array(list)) if !list.contains(&null) => list.push(null),
        Some(one @ Value::String(_)) if *one != null => *one = Value::Array(vec![one.take(), null]),
        _ => {}
    }
    match schema.get_mut("enum") {
        Some(Value::Array(list)) if !list.contains(&Value::Null) => list.push(Value::Null),
        _ => {}
    }
    if let Some(value) = schema.remove("const") {
        schema.insert("enum".to_owned(), json!([value, null]));
    }
    Value::Object(schema)
}

/// How many values a literal holds.
fn weight(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(weight).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(weight).sum::<usize>(),
        _ => 1,
    }
}

/// Names the property in which the trouble is; only the innermost few are worth their room.
fn within(key: &str, broken: Broken) -> Broken {
    if broken.0.len() > 150 {
        return broken;
    }
    Broken(format!("{} › {}", cut(key, 40), broken.0))
}
