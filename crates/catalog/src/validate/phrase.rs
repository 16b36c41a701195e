//! Values and places in words.

use std::fmt::Write;

use serde_json::Value;

use crate::text::{cut, is_identifier, quote};

/// Characters of a value that is repeated to the model.
const SHORT: usize = 40;
/// Choices that are listed.
const MAX_CHOICES: usize = 12;

/// A value's kind, with its article.
pub(super) fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "a boolean".to_owned(),
        Value::Number(_) => "a number".to_owned(),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// A value as it is repeated: itself where it is short.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(s) => quote(&cut(s, SHORT)),
        Value::Array(_) | Value::Object(_) => {
            let text = value.to_string();
            if text.len() <= SHORT {
                text
            } else {
                kind_of(value)
            }
        }
        other => other.to_string(),
    }
}

/// `"a", "b" or "c"`.
pub(crate) fn choices(mut words: Vec<String>) -> String {
    if words.len() > MAX_CHOICES {
        let more = words.len() - MAX_CHOICES;
        words.truncate(MAX_CHOICES);
        return format!("{} or {more} others", words.join(", "));
    }
    match words.pop() {
        None => "nothing".to_owned(),
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
    }
}

/// A JSON pointer as a script would write it: `filter.tags[0]`. Empty for the argument itself.
pub(super) fn place(pointer: &str, argument: &Value) -> String {
    let mut out = String::new();
    let mut value = Some(argument);
    for part in pointer.split('/').skip(1) {
        let key = part.replace("~1", "/").replace("~0", "~");
        let is_list = value.is_some_and(Value::is_array);
        value = match value {
            Some(Value::Array(list)) => key.parse().ok().and_then(|i: usize| list.get(i)),
            Some(Value::Object(map)) => map.get(&key),
            _ => None,
        };
        if is_list {
            let _ = write!(out, "[{key}]");
        } else {
            out = join(&out, &key);
        }
    }
    out
}

/// The place of a member.
pub(crate) fn join(place: &str, key: &str) -> String {
    if !is_identifier(key) {
        return format!("{place}[{}]", quote(&cut(key, SHORT)));
    }
    if place.is_empty() {
        key.to_owned()
    } else {
        format!("{place}.{key}")
    }
}
