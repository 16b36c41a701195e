//! Arguments that are only partly known, against a schema: what is certain to be refused, and what is hardly meant.
//!
//! What the schema says about ranges, patterns and the like is left to the validator, which sees the arguments that are
//! known as a whole.

mod partial;
mod words;

use std::collections::HashSet;

use serde_json::{Map, Value};

pub use partial::{Known, Partial};

use crate::limits::MAX_PROBLEMS;
use crate::schema::target;
use crate::search::nearest::closest;
use crate::text::quote;
use crate::validate::{choices, join};
use words::{certain, expectation, list, wrong_choice, wrong_kind};

/// Deepest nesting of schemas that is followed.
const MAX_DEPTH: usize = 48;
/// Most schemas looked at for one argument.
const MAX_STEPS: usize = 20_000;

/// Something about an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The place given with the part it is about.
    pub at: u32,
    /// One sentence without an end.
    pub message: String,
    /// True where the validator will refuse the argument; false where the schema only does not speak of it.
    pub certain: bool,
}

/// Reviews arguments against one normalised document.
pub(crate) struct Reviewer<'d> {
    document: &'d Value,
    steps: usize,
}

type Findings = Vec<Finding>;

impl<'d> Reviewer<'d> {
    pub(crate) fn new(document: &'d Value) -> Self {
        Self { document, steps: 0 }
    }

    pub(crate) fn review(&mut self, argument: &Partial) -> Findings {
        let mut found = Vec::new();
        self.look(self.document, argument, "", 0, &mut found);
        let mut seen = HashSet::new();
        found.retain(|one| seen.insert((one.at, one.message.clone())));
        found.truncate(MAX_PROBLEMS);
        found
    }

    fn follow(&self, index: usize) -> &'d Value {
        static ANYTHING: Value = Value::Bool(true);
        if index == 0 {
            return self.document;
        }
        let definitions = self.document.get("$defs");
        definitions
            .and_then(|all| all.get(index.to_string()))
            .unwrap_or(&ANYTHING)
    }

    fn look(
        &mut self,
        schema: &'d Value,
        value: &Partial,
        path: &str,
        depth: usize,
        found: &mut Findings,
    ) {
        self.steps += 1;
        if depth > MAX_DEPTH || self.steps > MAX_STEPS {
            return;
        }
        let map = match schema {
            Value::Object(map) => map,
            Value::Bool(false) if value.known != Known::Nothing => {
                return found.push(certain(
                    value.at,
                    path,
                    &format!("expected no value here, got {}", value.shown()),
                ));
            }
            _ => return,
        };
        if let Some(problem) = wrong_kind(map, value).or_else(|| wrong_choice(map, value)) {
            return found.push(certain(value.at, path, &problem));
        }
        if let Some(index) = target(map) {
            let schema = self.follow(index);
            self.look(schema, value, path, depth + 1, found);
        }
        for part in list(map, "allOf") {
            self.look(part, value, path, depth + 1, found);
        }
        for key in ["anyOf", "oneOf"] {
            self.union(list(map, key), value, path, depth, found);
        }
        match &value.known {
            Known::Object { fields, whole } => {
                Self::required(map, fields, *whole, value.at, path, found);
                for (name, at, field) in fields {
                    self.field(map, name, *at, field, path, depth, found);
                }
            }
            Known::Array { items, .. } => self.items(map, items, path, depth, found),
            _ => {}
        }
    }

    /// Fails where every member is certain to fail; then speaks of the one that is nearest.
    fn union(
        &mut self,
        members: &'d [Value],
        value: &Partial,
        path: &str,
        depth: usize,
        found: &mut Findings,
    ) {
        let mut best: Option<(bool, usize, Findings)> = None;
        let mut expected: Vec<String> = Vec::new();
        for member in members {
            let mut findings = Vec::new();
            self.look(member, value, path, depth + 1, &mut findings);
            let problems = findings.iter().filter(|one| one.certain).count();
            if problems == 0 {
                // What one member does not speak of, another may.
                return;
            }
            // A member that fails as a whole, or by the field that names it, was not meant.
            let elsewhere = findings.iter().any(|one| {
                one.certain && one.at == value.at && !one.message.contains(" is missing")
            }) || self.is_other_tag(member, value);
            if let Some(words) = member.as_object().and_then(expectation)
                && !expected.contains(&words)
            {
                expected.push(words);
            }
            let rank = (elsewhere, problems);
            if best
                .as_ref()
                .is_none_or(|(other, count, _)| rank < (*other, *count))
            {
                best = Some((elsewhere, problems, findings));
            }
        }
        match best {
            Some((true, _, findings)) => {
                let whole = findings.iter().all(|one| one.at == value.at);
                if whole && expected.len() > 1 {
                    let text = format!("expected {}, got {}", choices(expected), value.shown());
                    found.push(certain(value.at, path, &text));
                } else {
                    found.extend(findings);
                }
            }
            Some((false, _, findings)) => found.extend(findings),
            None => {}
        }
    }

    /// Whether a member of a union is told from the others by a field that has another value here.
    fn is_other_tag(&self, member: &'d Value, value: &Partial) -> bool {
        let Known::Object { fields, .. } = &value.known else {
            return false;
        };
        let member = member
            .as_object()
            .and_then(target)
            .map_or(member, |index| self.follow(index));
        let properties = member.get("properties").and_then(Value::as_object);
        fields.iter().any(|(name, _, field)| {
            let schema = properties
                .and_then(|all| all.get(name))
                .and_then(Value::as_object);
            schema.is_some_and(|schema| {
                (schema.contains_key("const") || schema.contains_key("enum"))
                    && wrong_choice(schema, field).is_some()
            })
        })
    }

    fn required(
        map: &Map<String, Value>,
        fields: &[(String, u32, Partial)],
        whole: bool,
        at: u32,
        path: &str,
        found: &mut Findings,
    ) {
        if !whole {
            return;
        }
        let known: Vec<String> = Self::declared(map);
        for name in list(map, "required").iter().filter_map(Value::as_str) {
            if fields.iter().all(|(field, ..)| field != name) {
                let place = join(path, name);
                let misspelt = fields.iter().find(|(field, ..)| {
                    !known.contains(field) && !closest(std::iter::once(name), field, 1).is_empty()
                });
                let given = misspelt.map_or(String::new(), |(field, ..)| {
                    format!("; {} is given instead", quote(field))
                });
                found.push(Finding {
                    at,
                    message: format!("`{place}` is missing{given}"),
                    certain: true,
                });
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "a place in two trees at once")]
    fn field(
        &mut self,
        map: &'d Map<String, Value>,
        name: &str,
        at: u32,
        value: &Partial,
        path: &str,
        depth: usize,
        found: &mut Findings,
    ) {
        let place = join(path, name);
        let properties = map.get("properties").and_then(Value::as_object);
        if let Some(schema) = properties.and_then(|all| all.get(name)) {
            return self.look(schema, value, &place, depth + 1, found);
        }
        if map.contains_key("patternProperties") {
            return;
        }
        match map.get("additionalProperties") {
            Some(Value::Bool(false)) => {
                found.push(Finding {
                    at,
                    message: Self::unknown(map, &place, name),
                    certain: true,
                });
            }
            Some(schema) => self.look(schema, value, &place, depth + 1, found),
            None if map.contains_key("properties") && !self.speaks_of(map, name, 0) => {
                found.push(Finding {
                    at,
                    message: Self::unknown(map, &place, name),
                    certain: false,
                });
            }
            None => {}
        }
    }

    fn unknown(map: &Map<String, Value>, place: &str, name: &str) -> String {
        let known = Self::declared(map);
        match closest(known.iter().map(String::as_str), name, 1).first() {
            Some(meant) => format!("`{place}` is no property here; did you mean `{meant}`?"),
            None if known.is_empty() => format!("`{place}` is no property here: it takes none"),
            None => {
                let names = known.iter().map(|one| format!("`{one}`")).collect();
                format!("`{place}` is no property here; expected {}", choices(names))
            }
        }
    }

    fn declared(map: &Map<String, Value>) -> Vec<String> {
        let properties = map.get("properties").and_then(Value::as_object);
        properties
            .into_iter()
            .flat_map(|all| all.keys().cloned())
            .collect()
    }

    /// Whether another part of the schema may allow the key.
    fn speaks_of(&self, map: &'d Map<String, Value>, name: &str, depth: usize) -> bool {
        if depth > 8 {
            return true;
        }
        let parts = ["allOf", "anyOf", "oneOf"]
            .into_iter()
            .flat_map(|key| list(map, key));
        let alone = ["then", "else", "if"]
            .into_iter()
            .filter_map(|key| map.get(key));
        let referred = target(map).map(|index| self.follow(index));
        let dependent = map
            .get("dependentSchemas")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::values);
        parts
            .chain(alone)
            .chain(referred)
            .chain(dependent)
            .any(|part| match part {
                Value::Object(part) => {
                    let properties = part.get("properties").and_then(Value::as_object);
                    properties.is_some_and(|all| all.contains_key(name))
                        || part.contains_key("patternProperties")
                        || part
                            .get("additionalProperties")
                            .is_some_and(|other| *other != Value::Bool(false))
                        || self.speaks_of(part, name, depth + 1)
                }
                _ => false,
            })
    }

    fn items(
        &mut self,
        map: &'d Map<String, Value>,
        items: &[Partial],
        path: &str,
        depth: usize,
        found: &mut Findings,
    ) {
        let first = list(map, "prefixItems");
        for (index, item) in items.iter().enumerate() {
            if let Some(schema) = first.get(index).or_else(|| map.get("items")) {
                self.look(schema, item, &format!("{path}[{index}]"), depth + 1, found);
            }
        }
    }
}
