//! What a program of a session stores, counted again on this side: sizes, not values.

use codemode_engine::{SessionValues, chars};
use std::collections::HashMap;

#[derive(Debug, Clone)]
pub(crate) struct Store {
    /// UTF-16 code units of each key with its value.
    sizes: HashMap<String, u64>,
    used: u64,
    max_chars: u64,
}

impl Store {
    pub(crate) fn new(values: &SessionValues) -> Self {
        let size = |(key, json): (&str, &str)| (key.to_owned(), chars(key) + chars(json));
        let sizes: HashMap<String, u64> = values.iter().map(size).collect();
        Self {
            used: sizes.values().sum(),
            sizes,
            max_chars: values.max_chars(),
        }
    }

    pub(crate) fn max_chars(&self) -> u64 {
        self.max_chars
    }

    /// False where the session would keep too much, or a key is removed that is not there: an engine tells no such thing.
    pub(crate) fn change(&mut self, key: &str, json: Option<&str>) -> bool {
        let old = self.sizes.remove(key);
        self.used -= old.unwrap_or_default();
        let Some(json) = json else {
            return old.is_some();
        };
        let size = chars(key) + chars(json);
        self.used += size;
        self.sizes.insert(key.to_owned(), size);
        self.used <= self.max_chars
    }
}
