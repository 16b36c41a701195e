//! What is wrong with an argument, in words for the model.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::phrase::{choices, join, kind_of, place, shown};
use crate::limits::MAX_PROBLEMS;
use crate::search::nearest::closest;
use crate::text::{cut, quote};

/// Unions within unions that are looked into.
const MAX_UNIONS: usize = 6;

/// Up to [`MAX_PROBLEMS`] problems in one text.
pub(super) fn describe(validator: &Validator, document: &Value, argument: &Value) -> String {
    let mut report = Report {
        document,
        argument,
        lines: Vec::new(),
    };
    let mut more = false;
    for error in validator.iter_errors(argument) {
        if report.lines.len() >= MAX_PROBLEMS {
            more = true;
            break;
        }
        report.add(&error, 0);
    }
    more |= report.lines.len() > MAX_PROBLEMS;
    report.lines.truncate(MAX_PROBLEMS);
    if more {
        report.lines.push("and more".to_owned());
    }
    report.lines.join("; ")
}

struct Report<'a> {
    document: &'a Value,
    argument: &'a Value,
    lines: Vec<String>,
}

impl Report<'_> {
    fn line(&mut self, place: &str, text: &str) {
        let line = if place.is_empty() {
            format!("the argument: {text}")
        } else {
            format!("{place}: {text}")
        };
        if !self.lines.contains(&line) {
            self.lines.push(line);
        }
    }

    fn expected(&mut self, place: &str, expected: Vec<String>, got: &str) {
        self.line(place, &format!("expected {}, got {got}", choices(expected)));
    }

    fn add(&mut self, error: &ValidationError<'_>, depth: usize) {
        let place = place(error.instance_path().as_str(), self.argument);
        match error.kind() {
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                self.line(&join(&place, name), "required, but missing");
            }
            Kind::AdditionalProperties { unexpected }
            | Kind::UnevaluatedProperties { unexpected } => {
                let known = self.known_properties(error);
                for name in unexpected.iter().take(MAX_PROBLEMS) {
                    let text = match closest(known.iter().map(String::as_str), name, 1).first() {
                        Some(meant) => format!("unknown property; did you mean {}?", quote(meant)),
                        None if known.is_empty() => "unknown property".to_owned(),
                        None => {
                            let known = known.iter().map(|n| quote(n)).collect();
                            format!("unknown property; expected {}", choices(known))
                        }
                    };
                    self.line(&join(&place, name), &text);
                }
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.union(&place, error, context, depth);
            }
            kind => {
                let (expected, shows) = expectation(kind);
                let got = if shows {
                    shown(error.instance())
                } else {
                    kind_of(error.instance())
                };
                self.line(&place, &format!("expected {expected}, got {got}"));
            }
        }
    }

    /// The names an object of the failing schema may have.
    fn known_properties(&self, error: &ValidationError<'_>) -> Vec<String> {
        let path = error.schema_path().as_str();
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        let schema = self.document.pointer(parent);
        let fields = schema
            .and_then(|s| s.get("properties"))
            .and_then(Value::as_object);
        fields.into_iter().flat_map(|f| f.keys().cloned()).collect()
    }

    /// Speaks of the member of the union that was most likely meant.
    fn union(
        &mut self,
        place: &str,
        error: &ValidationError<'_>,
        members: &[Vec<ValidationError<'_>>],
        depth: usize,
    ) {
        let here = error.instance_path().as_str();
        let is_here = |e: &&ValidationError<'_>| e.instance_path().as_str() == here;
        let kind_fails = |member: &&Vec<ValidationError<'_>>| {
            member.iter().any(|e| is_here(&e) && is_choice(e.kind()))
        };
        let fitting: Vec<&Vec<ValidationError<'_>>> = members
            .iter()
            .filter(|member| !kind_fails(member))
            .collect();
        if fitting.is_empty() || depth >= MAX_UNIONS {
            let failures = members.iter().flatten();
            let choices = failures.filter(|e| is_here(e) && is_choice(e.kind()));
            return self.expected(place, expectations(choices), &shown(error.instance()));
        }
        // a field that names the member (`type: "circle"`) decides which one was meant
        let tag_of = |member: &[ValidationError<'_>]| {
            let tag = member.iter().find(|e| {
                matches!(e.kind(), Kind::Constant { .. } | Kind::Enum { .. }) && !is_here(e)
            });
            tag.map(|e| {
                (
                    e.instance_path().as_str().to_owned(),
                    expectation(e.kind()).0,
                )
            })
        };
        let tags: Vec<_> = fitting.iter().filter_map(|member| tag_of(member)).collect();
        if let Some((first, _)) = tags.first()
            && tags.len() == fitting.len()
            && tags.len() > 1
            && tags.iter().all(|(path, _)| path == first)
        {
            let got = self
                .argument
                .pointer(first)
                .map_or("nothing".to_owned(), shown);
            let place = super::phrase::place(first, self.argument);
            self.expected(
                &place,
                tags.iter().map(|(_, text)| text.clone()).collect(),
                &got,
            );
            return;
        }
        let best = fitting
            .iter()
            .min_by_key(|member| (tag_of(member).is_some(), member.len()))
            .map_or(&[][..], |member| member.as_slice());
        for e in best.iter().take(MAX_PROBLEMS) {
            self.add(e, depth + 1);
        }
    }
}

/// What the failures expected, each once.
fn expectations<'e>(failures: impl Iterator<Item = &'e ValidationError<'e>>) -> Vec<String> {
    let mut expected: Vec<String> = failures.map(|e| expectation(e.kind()).0).collect();
    let mut seen = std::collections::HashSet::new();
    expected.retain(|text| seen.insert(text.clone()));
    expected
}

/// Whether a failure says that the value is something else altogether.
fn is_choice(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Type { .. } | Kind::Constant { .. } | Kind::Enum { .. }
    )
}

/// What was expected, and whether the value itself helps to see why it is not that.
fn expectation(kind: &Kind) -> (String, bool) {
    let text = match kind {
        Kind::Type { kind } => {
            let names: Vec<String> = match kind {
                TypeKind::Single(one) => vec![one.as_str().to_owned()],
                TypeKind::Multiple(set) => set.iter().map(|t| t.as_str().to_owned()).collect(),
            };
            return (choices(names), true);
        }
        Kind::Enum { options } => {
            let options = options.as_array().map_or(&[][..], Vec::as_slice);
            choices(options.iter().map(shown).collect())
        }
        Kind::Constant { expected_value } => shown(expected_value),
        Kind::Minimum { limit } => format!("a number >= {limit}"),
        Kind::Maximum { limit } => format!("a number <= {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("a number > {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("a number < {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("at least {limit} characters"),
        Kind::MaxLength { limit } => format!("at most {limit} characters"),
        Kind::Pattern { pattern } => format!("text that matches /{}/", cut(pattern, 100)),
        Kind::MinItems { limit } => format!("at least {limit} items"),
        Kind::MaxItems { limit } => format!("at most {limit} items"),
        Kind::AdditionalItems { limit } => format!("no more than {limit} items"),
        Kind::UnevaluatedItems { .. } => "no further items".to_owned(),
        Kind::MinProperties { limit } => format!("at least {limit} keys"),
        Kind::MaxProperties { limit } => format!("at most {limit} keys"),
        Kind::UniqueItems => "items that differ from each other".to_owned(),
        Kind::Contains => "an item of the kind the schema asks for".to_owned(),
        Kind::PropertyNames { error } => {
            let (expected, _) = expectation(error.kind());
            return (format!("keys to be {expected}"), true);
        }
        Kind::Not { schema } => format!("a value other than {}", cut(&schema.to_string(), 100)),
        Kind::OneOfMultipleValid { .. } => "a value that fits one alternative only".to_owned(),
        Kind::FalseSchema => return ("no value here".to_owned(), true),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            "text whose pattern can be checked in time".to_owned()
        }
        other => format!("a value that passes {}", quote(other.keyword())),
    };
    (text, true)
}
