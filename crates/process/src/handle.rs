//! A run as its host holds it.

use crate::pool::Pool;
use crate::run::{Run, lock};
use crate::state::Phase;
use codemode_engine::{Reply, StopReason};
use codemode_wire::encode_replies;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// A run, for its host. Every method returns at once; none has an effect after the end.
#[derive(Clone)]
pub struct RunHandle {
    pool: Arc<Pool>,
    run: Arc<Run>,
}

impl RunHandle {
    pub(crate) fn new(pool: Arc<Pool>, run: Arc<Run>) -> Self {
        Self { pool, run }
    }

    /// Settles calls, in this order.
    pub fn settle(&self, replies: &[Reply]) {
        if self.run.is_ended() {
            return;
        }
        if let Some(channel) = lock(&self.run.channel).clone() {
            self.run.waits.store(false, Ordering::Relaxed);
            let mut frame = Vec::new();
            encode_replies(&mut frame, replies);
            channel.send(&frame);
        }
    }

    /// Ends the run with a message; false where it had ended or was stopped before.
    pub fn stop(&self, reason: StopReason, message: Option<String>) -> bool {
        self.pool.stop(&self.run, reason, message)
    }

    /// Reads what the process wrote, on this thread. With `again` nothing wakes the pool's thread until the next call, which
    /// must come soon.
    pub fn poll(&self, again: bool) {
        let Some(channel) = lock(&self.run.channel).clone() else {
            return;
        };
        channel.set_polled(again && !self.run.is_ended());
        if again {
            self.pool.pump(&channel, false);
        }
    }

    /// Whether the end has come.
    pub fn is_ended(&self) -> bool {
        self.run.is_ended()
    }

    /// The system's id of the run's process, for whoever wants to look at it; `None` before it has one.
    pub fn process_id(&self) -> Option<i32> {
        lock(&self.run.channel)
            .as_ref()
            .map(|channel| channel.pid())
    }

    /// Stops the wall clock of the run. Pauses nest.
    pub fn pause_clock(&self) {
        let mut state = lock(&self.pool.state);
        let mut clock = lock(&self.run.clock);
        clock.pauses += 1;
        if clock.pauses == 1 {
            clock.paused_at = Instant::now();
            state
                .timers
                .remove(&(clock.deadline, self.run.id, Phase::Deadline));
        }
    }

    /// Lets the wall clock go on.
    pub fn resume_clock(&self) {
        let mut state = lock(&self.pool.state);
        let mut clock = lock(&self.run.clock);
        clock.pauses = clock.pauses.saturating_sub(1);
        if clock.pauses == 0 {
            let paused = clock.paused_at.elapsed();
            clock.deadline += paused;
            if !self.run.is_ended() {
                self.pool
                    .set_timer(&mut state, clock.deadline, Phase::Deadline, &self.run);
            }
        }
    }
}
