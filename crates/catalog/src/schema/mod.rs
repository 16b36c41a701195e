//! A schema in one form: 2020-12 keywords only, every reference an index, nothing left to resolve.
//!
//! Types and validators are both made from this form, so they cannot disagree about what a draft,
//! an anchor or a pointer means.

mod graph;
mod keywords;
mod normalise;
mod resolve;
mod visit;

use serde_json::{Map, Value};

pub(crate) use visit::{children, children_mut};

use crate::limits::{MAX_SCHEMA_BYTES, MAX_SCHEMA_DEPTH};

/// Why a schema is not used: a short sentence for a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broken(pub(crate) String);

/// A schema that others refer to, or the root.
#[derive(Debug)]
pub(crate) struct Definition {
    /// What the author called it; empty for the root.
    pub(crate) hint: String,
    pub(crate) schema: Value,
}

/// A usable schema. The first definition is the root.
#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) definitions: Vec<Definition>,
    /// Definitions that contain themselves, directly or through others: one on every cycle.
    pub(crate) recursive: Vec<bool>,
    /// How often each definition is referred to.
    pub(crate) uses: Vec<u32>,
}

impl Schema {
    pub(crate) fn parse(text: &str) -> Result<Self, Broken> {
        if text.len() > MAX_SCHEMA_BYTES {
            return Err(Broken(format!(
                "it is larger than {MAX_SCHEMA_BYTES} bytes"
            )));
        }
        let document: Value = serde_json::from_str(text).map_err(|error| {
            let text = error.to_string();
            if text.starts_with("recursion limit") {
                Broken("it nests too deep".to_owned())
            } else {
                Broken(format!("it is no JSON: {text}"))
            }
        })?;
        let definitions = normalise::normalise(&document)?;
        let graph = graph::Graph::of(&definitions);
        graph.refuse_empty_cycles(&definitions)?;
        let walk = graph.walk();
        if walk.depth > MAX_SCHEMA_DEPTH {
            return Err(Broken("it nests too deep".to_owned()));
        }
        Ok(Self {
            definitions,
            recursive: walk.recursive,
            uses: graph.uses,
        })
    }

    pub(crate) fn get(&self, index: usize) -> &Value {
        static ANYTHING: Value = Value::Bool(true);
        self.definitions.get(index).map_or(&ANYTHING, |d| &d.schema)
    }

    pub(crate) fn root(&self) -> &Value {
        self.get(0)
    }

    /// One document in which the references resolve: what a validator is compiled from.
    pub(crate) fn into_document(self) -> Value {
        let mut definitions = self.definitions.into_iter().map(|d| d.schema);
        let mut root = match definitions.next() {
            Some(Value::Object(root)) => root,
            other => return other.unwrap_or(Value::Bool(true)),
        };
        let rest: Map<String, Value> = definitions
            .enumerate()
            .map(|(i, schema)| ((i + 1).to_string(), schema))
            .collect();
        if !rest.is_empty() {
            root.insert("$defs".to_owned(), Value::Object(rest));
        }
        Value::Object(root)
    }
}

/// The text of a reference to a definition.
pub(crate) fn pointer(index: usize) -> String {
    if index == 0 {
        "#".to_owned()
    } else {
        format!("#/$defs/{index}")
    }
}

/// The definition a normalised schema refers to.
pub(crate) fn target(schema: &Map<String, Value>) -> Option<usize> {
    let text = schema.get("$ref")?.as_str()?;
    if text == "#" {
        Some(0)
    } else {
        text.strip_prefix("#/$defs/")?.parse().ok()
    }
}
