//! Allocations that fail on purpose, to prove that a run survives it. Not in the shipped addon.

use std::sync::atomic::{AtomicU64, Ordering};

/// The allocation of the next run that fails; 0 for none.
static FAIL_AT: AtomicU64 = AtomicU64::new(0);
/// Allocations of the last run that was armed.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// Makes the `n`-th allocation of each run from now fail, counted from the moment the realm gets its program; 0 for none.
pub fn fail_at(n: u64) {
    FAIL_AT.store(n, Ordering::SeqCst);
}

/// How many allocations the run made that was armed last.
pub fn count() -> u64 {
    COUNT.load(Ordering::SeqCst)
}

/// The counter of one heap.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    armed: bool,
}

impl Faults {
    pub(crate) fn arm(&mut self) {
        self.armed = true;
        COUNT.store(0, Ordering::SeqCst);
    }

    pub(crate) fn fails_now(&mut self) -> bool {
        self.armed && COUNT.fetch_add(1, Ordering::SeqCst) + 1 == FAIL_AT.load(Ordering::SeqCst)
    }
}
