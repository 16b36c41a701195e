//! A value of which only a part is known.

use serde_json::{Map, Number, Value};

use crate::types::Kinds;

/// A value, and where its author wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct Partial {
    /// A place of the caller's choice; findings carry it.
    pub at: u32,
    /// What is known.
    pub known: Known,
}

/// What is known of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Known {
    /// Nothing.
    Nothing,
    /// That it is a string.
    Text,
    /// A whole string, number, boolean or null.
    Value(Value),
    /// A list; `whole` where `items` are all of it.
    Array {
        /// The items from the first one on.
        items: Vec<Partial>,
        /// Whether there are no others.
        whole: bool,
    },
    /// An object; `whole` where `fields` are all of it.
    Object {
        /// Key, place of the key, value; each key once.
        fields: Vec<(String, u32, Partial)>,
        /// Whether there are no others.
        whole: bool,
    },
}

impl Partial {
    /// A number as JSON has it: whole ones without a fraction.
    pub fn number(at: u32, value: f64) -> Self {
        let whole = value.fract() == 0.0 && value.abs() < 9e15;
        let number = if whole {
            Some(Number::from(value as i64))
        } else {
            Number::from_f64(value)
        };
        let known = Known::Value(number.map_or(Value::Null, Value::Number));
        Self { at, known }
    }

    /// The value as JSON, if all of it is known.
    pub(crate) fn json(&self) -> Option<Value> {
        match &self.known {
            Known::Value(value) => Some(value.clone()),
            Known::Array { items, whole: true } => items
                .iter()
                .map(Self::json)
                .collect::<Option<Vec<_>>>()
                .map(Value::Array),
            Known::Object {
                fields,
                whole: true,
            } => {
                let fields = fields
                    .iter()
                    .map(|(name, _, value)| Some((name.clone(), value.json()?)));
                fields.collect::<Option<Map<_, _>>>().map(Value::Object)
            }
            _ => None,
        }
    }

    pub(super) fn kinds(&self) -> Kinds {
        match &self.known {
            Known::Nothing => Kinds::ALL,
            Known::Text => Kinds::STRING,
            Known::Value(value) => Kinds::of(value),
            Known::Array { .. } => Kinds::ARRAY,
            Known::Object { .. } => Kinds::OBJECT,
        }
    }

    /// In words, for a sentence.
    pub(super) fn shown(&self) -> String {
        match &self.known {
            Known::Nothing => "a value".to_owned(),
            Known::Text => "a string".to_owned(),
            Known::Value(value) => crate::validate::shown(value),
            Known::Array { .. } => "an array".to_owned(),
            Known::Object { .. } => "an object".to_owned(),
        }
    }
}
