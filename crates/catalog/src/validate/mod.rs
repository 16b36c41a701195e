//! Arguments against schemas.

mod cost;
mod phrase;
mod problems;

use jsonschema::{Draft, PatternOptions, Validator};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::limits::{MAX_BACKTRACKS, MAX_INPUT_DEPTH, MAX_PROBLEM_CHARS};
use crate::schema::{Schema, children_mut};
use crate::text::{cut, member};
use phrase::kind_of;
pub(crate) use phrase::{choices, join, shown};

/// Checks the arguments of one tool.
#[derive(Debug)]
pub(crate) struct Checker {
    /// None where every argument is right.
    validator: Option<Validator>,
    document: Value,
    /// Only a schema that refers to itself can cost more than it is long.
    has_references: bool,
    is_object: bool,
}

impl Checker {
    /// `is_object`: the schema takes objects only.
    pub(crate) fn new(schema: Option<Schema>, is_object: bool) -> Self {
        let has_references = schema
            .as_ref()
            .is_some_and(|s| s.uses.iter().any(|uses| *uses > 0));
        let mut document = schema.map_or(Value::Bool(true), Schema::into_document);
        let asks_nothing =
            document == Value::Bool(true) || document.as_object().is_some_and(Map::is_empty);
        let mut validator = None;
        if !asks_nothing {
            validator = compile(&document);
            if validator.is_none() {
                // most likely an expression of another dialect: the rest is still worth checking
                drop_patterns(&mut document);
                validator = compile(&document);
            }
        }
        Self {
            validator,
            document,
            has_references,
            is_object,
        }
    }

    pub(crate) fn check(&self, json: &str) -> Result<(), String> {
        let Some(validator) = &self.validator else {
            return Ok(());
        };
        if nesting(json) > MAX_INPUT_DEPTH {
            return Err(format!(
                "the argument nests deeper than {MAX_INPUT_DEPTH} levels"
            ));
        }
        let value = parse(json).map_err(|error| format!("the argument is no JSON: {error}"))?;
        if self.is_object && !value.is_object() {
            let got = kind_of(&value);
            return Err(format!(
                "expected one object{} as the argument, got {got}",
                self.fields()
            ));
        }
        if self.has_references {
            cost::refuse_excess(&self.document, &value)?;
        }
        if validator.is_valid(&value) {
            return Ok(());
        }
        let text = problems::describe(validator, &self.document, &value);
        Err(cut(&text, MAX_PROBLEM_CHARS).into_owned())
    }

    /// The schema as the validator sees it.
    pub(crate) fn document(&self) -> &Value {
        &self.document
    }

    /// The fields of the argument, for who passed them one by one.
    fn fields(&self) -> String {
        let Some(Value::Object(fields)) = self.document.get("properties") else {
            return String::new();
        };
        let mut names: Vec<String> = fields
            .keys()
            .take(6)
            .map(|n| cut(&member(n), 40).into_owned())
            .collect();
        if names.is_empty() {
            return String::new();
        }
        if fields.len() > names.len() {
            names.push("…".to_owned());
        }
        format!(" {{ {} }}", names.join(", "))
    }
}

fn compile(document: &Value) -> Option<Validator> {
    let patterns = PatternOptions::fancy_regex().backtrack_limit(MAX_BACKTRACKS);
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_pattern_options(patterns)
        .should_validate_formats(false)
        .offline()
        .build(document)
        .ok()
}

/// Removes every `pattern` of a normalised schema.
fn drop_patterns(document: &mut Value) {
    let Value::Object(map) = document else { return };
    map.remove("pattern");
    children_mut(map).for_each(drop_patterns);
    if let Some(Value::Object(definitions)) = map.get_mut("$defs") {
        definitions.values_mut().for_each(drop_patterns);
    }
}

/// How deep brackets nest outside strings.
fn nesting(json: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The parser's own bound is lower than ours; the nesting has been measured.
fn parse(json: &str) -> serde_json::Result<Value> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    deserializer.disable_recursion_limit();
    let value = Value::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "shared with the tests of the crate"
)]
#[path = "../../tests/common/random.rs"]
mod random;

#[cfg(test)]
mod tests {
    use super::random::{Random, any_schema};
    use super::*;

    /// Whatever the printer takes for a schema, the validator takes too: types and checks agree.
    #[test]
    fn every_usable_schema_compiles() {
        let mut random = Random(3);
        let mut usable = 0;
        for _ in 0..3_000 {
            let text = any_schema(&mut random, 5).to_string();
            let Ok(schema) = Schema::parse(&text) else {
                continue;
            };
            let mut document = schema.into_document();
            drop_patterns(&mut document);
            // only an expression can still be beyond the validator
            if !document.to_string().contains("patternProperties") {
                assert!(compile(&document).is_some(), "{text}\n{document}");
                usable += 1;
            }
        }
        assert!(usable > 300, "{usable}");
    }
}
