//! Local references: pointers, anchors and the `$id`s of the same document. Nothing is fetched.

use std::collections::HashMap;

use serde_json::Value;

use super::Broken;
use crate::text::{cut, quote};

pub(super) struct Resolver<'a> {
    document: &'a Value,
    /// Made when the first reference needs more than a pointer.
    names: Option<Names<'a>>,
}

#[derive(Default)]
struct Names<'a> {
    ids: Vec<(&'a str, &'a Value)>,
    anchors: HashMap<&'a str, &'a Value>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(document: &'a Value) -> Self {
        Self {
            document,
            names: None,
        }
    }

    /// The schema `reference` means, and what its author calls it.
    pub(super) fn resolve(&mut self, reference: &str) -> Result<(&'a Value, String), Broken> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        self.find(base, fragment)
            .map(|value| (value, hint(base, fragment)))
            .ok_or_else(|| {
                let text = quote(&cut(reference, 80));
                if base.is_empty() || !base.contains("://") {
                    Broken(format!("the reference {text} leads nowhere"))
                } else {
                    Broken(format!(
                        "the reference {text} leads outside; nothing is fetched"
                    ))
                }
            })
    }

    fn find(&mut self, base: &str, fragment: &str) -> Option<&'a Value> {
        if base.is_empty()
            && let Some(found) = within(self.document, fragment)
        {
            return Some(found);
        }
        let document = self.document;
        let names = self.names.get_or_insert_with(|| {
            let mut names = Names::default();
            names.scan(document);
            names
        });
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return names.anchors.get(fragment).copied();
        }
        if base.is_empty() {
            // a pointer that counts from a nested resource
            return names
                .ids
                .iter()
                .find_map(|(_, schema)| within(schema, fragment));
        }
        let same = |id: &str| {
            let id = id.trim_end_matches('#');
            id == base
                || (!base.contains("://")
                    && id
                        .strip_suffix(base.trim_start_matches("./"))
                        .is_some_and(|s| s.is_empty() || s.ends_with('/')))
        };
        let (_, schema) = names.ids.iter().find(|(id, _)| same(id))?;
        within(schema, fragment)
    }
}

impl<'a> Names<'a> {
    fn scan(&mut self, value: &'a Value) {
        match value {
            Value::Object(map) => {
                for key in ["$id", "id"] {
                    match map.get(key).and_then(Value::as_str) {
                        Some(id) if id.starts_with('#') => {
                            self.anchors
                                .entry(id.trim_start_matches('#'))
                                .or_insert(value);
                        }
                        Some(id) => self.ids.push((id, value)),
                        None => {}
                    }
                }
                for key in ["$anchor", "$dynamicAnchor"] {
                    if let Some(name) = map.get(key).and_then(Value::as_str) {
                        self.anchors.entry(name).or_insert(value);
                    }
                }
                map.values().for_each(|v| self.scan(v));
            }
            Value::Array(list) => list.iter().for_each(|v| self.scan(v)),
            _ => {}
        }
    }
}

/// The place a fragment points to, read as it stands or with its `%xx` escapes resolved.
fn within<'a>(schema: &'a Value, fragment: &str) -> Option<&'a Value> {
    if fragment.is_empty() {
        return Some(schema);
    }
    if !fragment.starts_with('/') {
        return None;
    }
    schema
        .pointer(fragment)
        .or_else(|| schema.pointer(&percent_decoded(fragment)?))
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first == b'%' {
            let (hex, tail) = rest.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?);
            rest = tail;
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The last part of a reference that is a name and no keyword.
fn hint(base: &str, fragment: &str) -> String {
    let decoded = percent_decoded(fragment).unwrap_or_else(|| fragment.to_owned());
    let part = decoded.rsplit('/').find(|part| {
        !part.is_empty()
            && !part.chars().all(|c| c.is_ascii_digit())
            && !matches!(
                *part,
                "items"
                    | "properties"
                    | "additionalProperties"
                    | "anyOf"
                    | "oneOf"
                    | "allOf"
                    | "prefixItems"
                    | "not"
                    | "schema"
            )
    });
    let part = part.unwrap_or_else(|| base.rsplit('/').next().unwrap_or(""));
    part.trim_end_matches(".json")
        .replace("~1", "/")
        .replace("~0", "~")
}
