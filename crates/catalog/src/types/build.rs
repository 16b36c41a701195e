//! From a normalised schema to a type.

use serde_json::{Map, Value};

use super::combine::{intersection, union};
use super::{Kinds, Node, Type, Word, notes, object};
use crate::schema::{Schema, target};
use crate::text::{member, quote};

/// Nesting from which on references are printed by name, whatever their size.
const INLINE_DEPTH: usize = 60;

pub(super) struct Builder<'a> {
    schema: &'a Schema,
    /// Definitions that are printed by name, in the order in which they were met.
    pub(super) named: Vec<usize>,
    met: Vec<bool>,
    depth: usize,
}

impl<'a> Builder<'a> {
    pub(super) fn new(schema: &'a Schema) -> Self {
        let met = vec![false; schema.definitions.len()];
        Self {
            schema,
            named: Vec::new(),
            met,
            depth: 0,
        }
    }

    /// The type of the whole schema: the name of the root where the schema contains itself.
    pub(super) fn root(&mut self) -> Node {
        if self.schema.recursive.first() == Some(&true) {
            return self.name(0).into();
        }
        self.node(self.schema.root())
    }

    pub(super) fn definition(&mut self, index: usize) -> Node {
        self.depth = 0;
        self.node(self.schema.get(index))
    }

    fn name(&mut self, index: usize) -> Type {
        if let Some(met) = self.met.get_mut(index)
            && !std::mem::replace(met, true)
        {
            self.named.push(index);
        }
        Type::Named(index, self.kinds(self.schema.get(index)))
    }

    /// The kinds of values a schema allows, seen from outside. Schemas that refer to each other for
    /// the same value end somewhere: those that do not are refused.
    fn kinds(&self, schema: &Value) -> Kinds {
        let Some(map) = schema.as_object() else {
            return Kinds::ALL;
        };
        let mut kinds = kinds_of(map);
        if let Some(index) = target(map) {
            kinds = kinds.and(self.kinds(self.schema.get(index)));
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(Value::Array(list)) = map.get(key) {
                let any = list
                    .iter()
                    .fold(Kinds::NONE, |k, member| k.or(self.kinds(member)));
                kinds = kinds.and(any);
            }
        }
        for part in map
            .get("allOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            kinds = kinds.and(self.kinds(part));
        }
        kinds
    }

    pub(super) fn node(&mut self, schema: &Value) -> Node {
        let map = match schema {
            Value::Object(map) => map,
            Value::Bool(false) => return Type::Never.into(),
            _ => return Node::default(),
        };
        self.depth += 1;
        let mut node = self.parts(map);
        self.depth -= 1;
        if let Some(doc) = notes::doc(map) {
            node.doc = Some(doc);
        }
        let mut own = notes::of(map);
        // a default beside a reference takes the place of the one behind it
        let has_default = map.contains_key("default");
        node.notes
            .retain(|note| !(has_default && note.starts_with("default ")));
        own.append(&mut node.notes);
        node.notes = own;
        node
    }

    /// Everything the schema demands of the value, as one type.
    fn parts(&mut self, map: &Map<String, Value>) -> Node {
        let mut parts = Vec::new();
        let mut doc = None;
        let mut notes = Vec::new();
        let mut add = |node: Node| {
            doc = doc.take().or(node.doc);
            notes.extend(node.notes);
            parts.push(node.ty);
        };
        if let Some(own) = self.own(map) {
            add(own.into());
        }
        if let Some(index) = target(map) {
            add(self.reference(index));
        }
        for part in map
            .get("allOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let mut node = self.node(part);
            // descriptions of the parts of an object belong to the parts
            node.doc = None;
            add(node);
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(Value::Array(list)) = map.get(key) {
                let members = list.iter().map(|member| self.node(member)).collect();
                add(union(members));
            }
        }
        Node {
            ty: intersection(parts),
            doc,
            notes,
        }
    }

    fn reference(&mut self, index: usize) -> Node {
        let recursive = self.schema.recursive.get(index).copied().unwrap_or(true);
        let shared = self.schema.uses.get(index).is_none_or(|uses| *uses > 1);
        if recursive || shared || index == 0 || self.depth > INLINE_DEPTH {
            return self.name(index).into();
        }
        self.node(self.schema.get(index))
    }

    /// What the schema itself says, without what it refers to.
    fn own(&mut self, map: &Map<String, Value>) -> Option<Type> {
        let kinds = kinds_of(map);
        if let Some(value) = map.get("const") {
            let ty = literal(value);
            return Some(if Kinds::of(value).within(kinds) {
                ty
            } else {
                Type::Never
            });
        }
        if let Some(Value::Array(list)) = map.get("enum") {
            let allowed = list.iter().filter(|v| Kinds::of(v).within(kinds));
            return Some(union(allowed.map(|v| literal(v).into()).collect()).ty);
        }
        if kinds == Kinds::ALL {
            return None;
        }
        let mut members: Vec<Node> = Vec::new();
        for name in type_names(map) {
            let ty = match name {
                "object" => object::object(self, map),
                "array" => self.array(map),
                "string" => Type::Word(Word::String),
                "boolean" => Type::Word(Word::Boolean),
                "null" => Type::Word(Word::Null),
                _ => Type::Word(Word::Number),
            };
            members.push(ty.into());
        }
        Some(union(members).ty)
    }

    fn array(&mut self, map: &Map<String, Value>) -> Type {
        let rest = map.get("items").map(|items| self.node(items));
        let Some(Value::Array(prefix)) = map.get("prefixItems") else {
            return match rest {
                Some(Node {
                    ty: Type::Never, ..
                }) => Type::Tuple(Vec::new(), 0, None),
                rest => Type::Array(Box::new(rest.unwrap_or_default())),
            };
        };
        let items: Vec<Node> = prefix.iter().map(|item| self.node(item)).collect();
        // an author who lists three items means three, unless a lower bound is given
        let least = map
            .get("minItems")
            .and_then(Value::as_u64)
            .map_or(items.len(), |n| n as usize);
        let rest = rest
            .filter(|r| r.ty != Type::Never && *r != Node::default())
            .map(Box::new);
        Type::Tuple(items, least, rest)
    }
}

/// The names in `type`, or those that the other keywords speak of.
pub(super) fn type_names(map: &Map<String, Value>) -> Vec<&str> {
    match map.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => implied(map).into_iter().collect(),
    }
}

/// Authors leave `type` out where it seems plain: keywords of one kind of value stand for it.
fn implied(map: &Map<String, Value>) -> Option<&'static str> {
    let mut found = None;
    for key in map.keys() {
        let kind = match key.as_str() {
            "properties"
            | "required"
            | "additionalProperties"
            | "patternProperties"
            | "propertyNames"
            | "minProperties"
            | "maxProperties" => "object",
            "items" | "prefixItems" | "contains" | "minItems" | "maxItems" | "uniqueItems" => {
                "array"
            }
            "pattern" | "minLength" | "maxLength" | "format" => "string",
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                "number"
            }
            _ => continue,
        };
        if found.is_some_and(|f| f != kind) {
            return None;
        }
        found = Some(kind);
    }
    found
}

fn kinds_of(map: &Map<String, Value>) -> Kinds {
    let names = type_names(map);
    if names.is_empty() || (map.get("type").is_none() && map.contains_key("const")) {
        return Kinds::ALL;
    }
    if map.get("type").is_none() && map.contains_key("enum") {
        return Kinds::ALL;
    }
    names
        .into_iter()
        .fold(Kinds::NONE, |kinds, name| kinds.or(Kinds::named(name)))
}

/// The type that only `value` has.
fn literal(value: &Value) -> Type {
    let text = match value {
        Value::Null => return Type::Word(Word::Null),
        Value::String(s) => quote(s),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(literal_text).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) if map.is_empty() => "Record<string, never>".to_owned(),
        Value::Object(map) => {
            let fields: Vec<String> = map
                .iter()
                .map(|(key, v)| format!("{}: {}", member(key), literal_text(v)))
                .collect();
            format!("{{ {} }}", fields.join("; "))
        }
    };
    Type::Literal(text, Kinds::of(value))
}

fn literal_text(value: &Value) -> String {
    match literal(value) {
        Type::Literal(text, _) => text,
        _ => "null".to_owned(),
    }
}
