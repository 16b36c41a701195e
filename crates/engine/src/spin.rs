//! Waiting a few microseconds for an answer before giving up the thread.
//!
//! Waking a sleeping core costs more than everything else in a tool call, so whoever runs a guest looks for the answer
//! for a short time before it sleeps. It stops doing so where that does not pay: on one core, and where the last answers
//! came too late.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// How long one wait spins.
const BUDGET: Duration = Duration::from_micros(200);
/// The score falls with every wait in vain and rises with every answer in time; at zero nothing is tried.
const MAX_SCORE: u32 = 16;
/// After this many waits without spinning one is tried again.
const RETRY: u32 = 32;

/// What one thread has learnt of its waits.
#[derive(Debug)]
pub struct Spin {
    score: u32,
    skipped: u32,
    cores: usize,
}

impl Spin {
    /// On one core it never waits: it would only take the time of whoever is to answer.
    pub fn new(cores: usize) -> Self {
        Self {
            score: MAX_SCORE / 2,
            skipped: 0,
            cores,
        }
    }

    /// Looks until the answer is there (`Break(true)`), something else needs the thread (`Break(false)`), or the time is
    /// over. True where the answer came.
    pub fn until(&mut self, mut look: impl FnMut() -> ControlFlow<bool>) -> bool {
        if self.cores < 2 || !self.is_worthwhile() {
            return false;
        }
        let start = Instant::now();
        while start.elapsed() < BUDGET {
            match look() {
                ControlFlow::Break(true) => {
                    self.score = (self.score + 1).min(MAX_SCORE);
                    return true;
                }
                ControlFlow::Break(false) => return false,
                ControlFlow::Continue(()) => std::hint::spin_loop(),
            }
        }
        self.score = self.score.saturating_sub(1);
        false
    }

    fn is_worthwhile(&mut self) -> bool {
        if self.score > 0 {
            return true;
        }
        self.skipped += 1;
        let retries = self.skipped >= RETRY;
        if retries {
            self.skipped = 0;
        }
        retries
    }
}
