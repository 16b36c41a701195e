//! What makes two runs of one program differ, in one place: the clock, the random seed, and the order in which calls
//! settled; in a session also what earlier programs stored. With these recorded, a run can be replayed exactly.

use crate::guest::chars;
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::{SystemTime, UNIX_EPOCH};

/// One thing a run took from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The seed of `Math.random()`.
    Seed(u64),
    /// A read of the clock, in milliseconds since 1970.
    Clock(i64),
    /// The call with this id was settled.
    Settled(u32),
}

/// Answers the run's questions to the outside, and keeps the answers where asked to.
#[derive(Debug, Default)]
pub struct Ambient {
    journal: Option<Vec<Reading>>,
    session: Option<SessionValues>,
    seed: Option<u64>,
}

/// What programs of one session leave for each other: JSON text by key, a copy of its own for each program.
#[derive(Debug, Default)]
pub struct SessionValues {
    values: HashMap<String, String>,
    max_chars: u64,
}

/// The store does not hold a value.
pub(crate) struct Full {
    pub(crate) needed: u64,
    pub(crate) limit: u64,
}

impl SessionValues {
    /// The values so far, and how many UTF-16 code units all keys and values may have.
    pub fn new(values: HashMap<String, String>, max_chars: u64) -> Self {
        Self { values, max_chars }
    }

    /// The values so far, in no order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        let values = self.values.iter();
        values.map(|(key, json)| (key.as_str(), json.as_str()))
    }

    /// How many UTF-16 code units all keys and values may have.
    pub fn max_chars(&self) -> u64 {
        self.max_chars
    }

    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// `None` removes the key. True where the key was there before; a value that does not fit changes nothing.
    pub(crate) fn set(&mut self, key: &str, json: Option<String>) -> Result<bool, Full> {
        let Some(json) = json else {
            return Ok(self.values.remove(key).is_some());
        };
        let others = self.values.iter().filter(|(other, _)| *other != key);
        let others: u64 = others.map(|(key, json)| chars(key) + chars(json)).sum();
        let needed = others + chars(key) + chars(&json);
        if needed > self.max_chars {
            return Err(Full {
                needed,
                limit: self.max_chars,
            });
        }
        Ok(self.values.insert(key.to_owned(), json).is_some())
    }
}

/// A longer journal is not kept: a loop that reads the clock must not fill the host's memory.
const MAX_READINGS: usize = 100_000;

impl Ambient {
    /// The system's clock and a fresh seed; nothing is kept.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, and every reading is kept.
    pub fn recording() -> Self {
        Self {
            journal: Some(Vec::new()),
            ..Self::default()
        }
    }

    /// The system's clock and a seed from outside: a forked process has the random state of its parent.
    pub fn seeded(seed: u64) -> Self {
        Self {
            seed: Some(seed),
            ..Self::default()
        }
    }

    /// The run is one of a session: it finds `store`, `load` and `yield_control`, and what it says is sent as it says it.
    #[must_use]
    pub fn with_session(self, values: SessionValues) -> Self {
        Self {
            session: Some(values),
            ..self
        }
    }

    pub(crate) fn in_session(&self) -> bool {
        self.session.is_some()
    }

    pub(crate) fn session_mut(&mut self) -> Option<&mut SessionValues> {
        self.session.as_mut()
    }

    /// What was read so far; empty where nothing is kept.
    pub fn journal(&self) -> &[Reading] {
        self.journal.as_deref().unwrap_or_default()
    }

    fn keep(&mut self, reading: Reading) {
        if let Some(journal) = &mut self.journal
            && journal.len() < MAX_READINGS
        {
            journal.push(reading);
        }
    }

    pub(crate) fn seed(&mut self) -> u64 {
        // The standard library keys its hashers from the system's random source.
        let seed = self
            .seed
            .unwrap_or_else(|| RandomState::new().build_hasher().finish());
        self.keep(Reading::Seed(seed));
        seed
    }

    pub(crate) fn now_ms(&mut self) -> i64 {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let now = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
        self.keep(Reading::Clock(now));
        now
    }

    pub(crate) fn settled(&mut self, call: u32) {
        self.keep(Reading::Settled(call));
    }
}
