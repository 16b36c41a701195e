//! The small questions of a review: kinds, choices, and how they are said.

use serde_json::{Map, Value};

use super::{Finding, Known, Partial};
use crate::search::nearest::closest;
use crate::text::quote;
use crate::types::Kinds;
use crate::validate::{choices, shown};

pub(super) fn certain(at: u32, path: &str, text: &str) -> Finding {
    let message = if path.is_empty() {
        format!("the argument: {text}")
    } else {
        format!("`{path}`: {text}")
    };
    Finding {
        at,
        message,
        certain: true,
    }
}

pub(super) fn list<'d>(map: &'d Map<String, Value>, key: &str) -> &'d [Value] {
    map.get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

pub(super) fn types(map: &Map<String, Value>) -> Vec<&str> {
    match map.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn wrong_kind(map: &Map<String, Value>, value: &Partial) -> Option<String> {
    let names = types(map);
    if names.is_empty() || value.known == Known::Nothing {
        return None;
    }
    let fits = names.iter().any(|name| match (*name, &value.known) {
        ("integer", Known::Value(Value::Number(n))) => n.as_f64().is_some_and(|n| n.fract() == 0.0),
        (name, _) => value.kinds().within(Kinds::named(name)),
    });
    (!fits).then(|| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        format!("expected {}, got {}", choices(names), value.shown())
    })
}

pub(super) fn wrong_choice(map: &Map<String, Value>, value: &Partial) -> Option<String> {
    let single = map.get("const").map(std::slice::from_ref);
    let options =
        single.or_else(|| map.get("enum").and_then(Value::as_array).map(Vec::as_slice))?;
    let fits = match value.json() {
        Some(json) => options.iter().any(|option| equal(option, &json)),
        None => options
            .iter()
            .any(|option| Kinds::of(option).and(value.kinds()) != Kinds::NONE),
    };
    if fits {
        return None;
    }
    let expected = choices(options.iter().map(shown).collect());
    let texts = options.iter().filter_map(Value::as_str);
    let meant = match &value.known {
        Known::Value(Value::String(text)) if options.len() > 3 => {
            closest(texts, text, 1).first().map(|one| quote(one))
        }
        _ => None,
    };
    let meant = meant.map_or(String::new(), |meant| format!("; did you mean {meant}?"));
    Some(format!("expected {expected}, got {}{meant}", value.shown()))
}

/// Equality of JSON: `1` and `1.0` are one number.
pub(super) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

/// What a member of a union takes, in a few words.
pub(super) fn expectation(map: &Map<String, Value>) -> Option<String> {
    if let Some(value) = map.get("const") {
        return Some(shown(value));
    }
    if let Some(Value::Array(options)) = map.get("enum") {
        return Some(choices(options.iter().map(shown).collect()));
    }
    let names = types(map);
    (!names.is_empty()).then(|| choices(names.iter().map(|name| (*name).to_owned()).collect()))
}
