//! What makes two runs of one program differ, in one place: the clock, the random seed, and the order in which calls
//! settled. With these recorded, a run can be replayed exactly.

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
    seed: Option<u64>,
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
