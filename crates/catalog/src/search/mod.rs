//! Ranked search over names, descriptions and parameters (BM25 with weighted fields).

pub(crate) mod nearest;
mod query;
mod words;

use std::collections::HashMap;

use serde_json::Value;

use crate::limits::MAX_INDEXED_WORDS;
use crate::schema::{Schema, children};
use words::words;

/// A tool that matches a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The tool's number.
    pub tool: usize,
    /// How well it matches; comparable within one answer only.
    pub score: f32,
}

/// What is indexed of one tool.
pub(crate) struct Document<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    pub(crate) schema: Option<&'a Schema>,
}

const NAME: f32 = 4.0;
const DESCRIPTION: f32 = 1.0;
const PARAMETER: f32 = 1.5;
const PARAMETER_DESCRIPTION: f32 = 0.5;
/// Nesting down to which parameters are indexed.
const PARAMETER_DEPTH: usize = 4;
/// How soon repetition of a word stops to count, and how much the length of a text does.
const SATURATION: f32 = 1.2;
const LENGTH_SHARE: f32 = 0.4;

/// Words with the tools they occur in.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// In alphabetical order.
    vocabulary: Vec<String>,
    postings: Vec<Vec<Posting>>,
    tools: usize,
}

#[derive(Debug, Clone, Copy)]
struct Posting {
    tool: u32,
    /// The word's share of the tool's score, before the word's rarity is counted in.
    weight: f32,
}

#[derive(Default)]
pub(crate) struct IndexBuilder {
    postings: HashMap<String, Vec<Posting>>,
    lengths: Vec<f32>,
}

impl Index {
    pub(crate) fn builder(tools: usize) -> IndexBuilder {
        IndexBuilder {
            postings: HashMap::new(),
            lengths: Vec::with_capacity(tools),
        }
    }
}

impl IndexBuilder {
    pub(crate) fn add(&mut self, document: &Document<'_>) {
        let mut found: HashMap<String, f32> = HashMap::new();
        let mut length = 0.0;
        let mut left = MAX_INDEXED_WORDS;
        let mut add = |text: &str, weight: f32| {
            for word in words(text).into_iter().take(left) {
                left -= 1;
                length += weight;
                *found.entry(word).or_default() += weight;
            }
        };
        add(document.name, NAME);
        add(document.description, DESCRIPTION);
        if let Some(schema) = document.schema {
            for definition in &schema.definitions {
                parameters(&definition.schema, PARAMETER_DEPTH, &mut add);
            }
        }
        let tool = self.lengths.len() as u32;
        self.lengths.push(length);
        for (word, weight) in found {
            self.postings
                .entry(word)
                .or_default()
                .push(Posting { tool, weight });
        }
    }

    pub(crate) fn finish(self) -> Index {
        let tools = self.lengths.len();
        let average = self.lengths.iter().sum::<f32>().max(1.0) / tools.max(1) as f32;
        let mut entries: Vec<(String, Vec<Posting>)> = self.postings.into_iter().collect();
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (_, postings) in &mut entries {
            for posting in postings {
                let length = self
                    .lengths
                    .get(posting.tool as usize)
                    .copied()
                    .unwrap_or(average);
                let norm = 1.0 - LENGTH_SHARE + LENGTH_SHARE * length / average;
                posting.weight =
                    posting.weight * (SATURATION + 1.0) / (posting.weight + SATURATION * norm);
            }
        }
        let (vocabulary, postings) = entries.into_iter().unzip();
        Index {
            vocabulary,
            postings,
            tools,
        }
    }
}

fn parameters(schema: &Value, depth: usize, add: &mut impl FnMut(&str, f32)) {
    let Some(map) = schema.as_object().filter(|_| depth > 0) else {
        return;
    };
    for (name, property) in map
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        add(name, PARAMETER);
        if let Some(text) = property.get("description").and_then(Value::as_str) {
            add(text, PARAMETER_DESCRIPTION);
        }
    }
    for value in map
        .get("enum")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .take(32)
    {
        add(value.as_str().unwrap_or(""), PARAMETER_DESCRIPTION);
    }
    for (child, _) in children(map) {
        parameters(child, depth - 1, add);
    }
}
