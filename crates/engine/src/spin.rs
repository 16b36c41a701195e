//! Waiting a few microseconds for an answer before giving up the thread.
//!
//! Waking a sleeping core costs more than everything else in a tool call, so a worker looks for the answer for a
//! short time before it parks. It stops doing so where that does not pay: on one core, with other runs waiting, and
//! where the last answers came too late.

use crate::engine::Engine;
use crate::run::Run;
use std::time::{Duration, Instant};

/// How long one wait spins.
const BUDGET: Duration = Duration::from_micros(200);
/// The score falls with every wait in vain and rises with every answer in time; at zero nothing is tried.
const MAX_SCORE: u32 = 16;
/// After this many waits without spinning one is tried again.
const RETRY: u32 = 32;

pub(crate) struct Spin {
    score: u32,
    skipped: u32,
}

impl Default for Spin {
    fn default() -> Self {
        Self {
            score: MAX_SCORE / 2,
            skipped: 0,
        }
    }
}

impl Spin {
    pub(crate) fn wait_for_news(&mut self, run: &Run, engine: &Engine) {
        if run.has_news() || engine.cores() < 2 || engine.queued() > 0 {
            return;
        }
        if self.score == 0 {
            self.skipped += 1;
            if self.skipped < RETRY {
                return;
            }
            self.skipped = 0;
        }
        let start = Instant::now();
        while start.elapsed() < BUDGET {
            for _ in 0..8 {
                std::hint::spin_loop();
            }
            if run.has_news() {
                self.score = (self.score + 1).min(MAX_SCORE);
                return;
            }
            if engine.queued() > 0 {
                return;
            }
        }
        self.score = self.score.saturating_sub(1);
    }
}
