//! Looking for an answer for a short time before sleeping: waking a core costs more than everything else in a call.
//! Given up where it does not pay; see the engine's `spin` for the same on a pool.

use std::time::{Duration, Instant};

const BUDGET: Duration = Duration::from_micros(200);
const MAX_SCORE: u32 = 16;
/// After this many waits without spinning one is tried again.
const RETRY: u32 = 32;

pub(crate) struct Spin {
    score: u32,
    skipped: u32,
    several_cores: bool,
}

impl Spin {
    pub(crate) fn new(several_cores: bool) -> Self {
        Self {
            score: MAX_SCORE / 2,
            skipped: 0,
            several_cores,
        }
    }

    /// Calls `poll` until it is true or the time is over; true where it was.
    pub(crate) fn until(&mut self, mut poll: impl FnMut() -> bool) -> bool {
        if !self.several_cores {
            return false;
        }
        if self.score == 0 {
            self.skipped += 1;
            if self.skipped < RETRY {
                return false;
            }
            self.skipped = 0;
        }
        let start = Instant::now();
        while start.elapsed() < BUDGET {
            if poll() {
                self.score = (self.score + 1).min(MAX_SCORE);
                return true;
            }
            std::hint::spin_loop();
        }
        self.score = self.score.saturating_sub(1);
        false
    }
}
