//! The thread that keeps time: deadlines of runs, the grace after a stop, and a look at busy workers.

use crate::engine::Engine;
use crate::run::Run;
use crate::stop::StopReason;
use crate::sync::lock;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between two looks while workers are busy; the lateness of a CPU limit inside one long operation.
const TICK: Duration = Duration::from_millis(4);
/// For this long after the last busy look the ticks go on, so that a run need not wake the thread.
const LINGER: Duration = Duration::from_millis(200);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Deadline,
    Grace,
}

#[derive(Default)]
pub(crate) struct Watchdog {
    state: Mutex<State>,
    alarm: Condvar,
    /// Somebody works whom the queue does not show; taken back at every look.
    summoned: AtomicBool,
}

#[derive(Default)]
struct State {
    running: bool,
    entries: BTreeMap<(Instant, u64, Phase), Arc<Run>>,
    /// When the thread will look again; `None` while it is awake.
    asleep_until: Option<Instant>,
}

impl Watchdog {
    /// At `at` the run is stopped as `Timeout`.
    pub(crate) fn watch_deadline(&self, run: &Arc<Run>, at: Instant) {
        self.watch(run, at, Phase::Deadline);
    }

    /// At `at` the run, stopped before, is settled without its thread.
    pub(crate) fn watch_grace(&self, run: &Arc<Run>, at: Instant) {
        self.watch(run, at, Phase::Grace);
    }

    fn watch(&self, run: &Arc<Run>, at: Instant, phase: Phase) {
        let mut state = lock(&self.state);
        state.entries.insert((at, run.id, phase), run.clone());
        if state.asleep_until.is_some_and(|until| at < until) {
            self.alarm.notify_one();
        }
    }

    /// The run's deadline at `at` no longer counts.
    pub(crate) fn forget(&self, run: u64, at: Instant) {
        let forgotten = lock(&self.state)
            .entries
            .remove(&(at, run, Phase::Deadline));
        drop(forgotten);
    }

    pub(crate) fn wake(&self) {
        let state = lock(&self.state);
        self.alarm.notify_one();
        drop(state);
    }

    /// For a turn that no queue tells of: looks every few milliseconds from now on, for a while.
    pub(crate) fn stay_awake(&self, engine: &Arc<Engine>) {
        if !self.summoned.swap(true, Ordering::Relaxed) {
            self.ensure_running(engine);
        }
    }

    /// Starts the thread where it does not run, and wakes it where it sleeps for long.
    pub(crate) fn ensure_running(&self, engine: &Arc<Engine>) {
        let mut state = lock(&self.state);
        if !state.running {
            let engine = engine.clone();
            let builder = std::thread::Builder::new().name("codemode-watchdog".into());
            state.running = builder
                .spawn(move || engine.watchdog().keep_time(&engine))
                .is_ok();
        } else if state
            .asleep_until
            .is_some_and(|until| until > Instant::now() + TICK)
        {
            self.alarm.notify_one();
        }
    }

    fn keep_time(&self, engine: &Arc<Engine>) {
        let mut busy_at = Instant::now();
        loop {
            let now = Instant::now();
            for (phase, run) in self.take_due(now) {
                match phase {
                    Phase::Deadline => {
                        run.stop(StopReason::Timeout, None);
                    }
                    Phase::Grace if run.is_ended() => {}
                    Phase::Grace => engine.give_up(&run),
                }
            }
            if self.summoned.swap(false, Ordering::Relaxed) || engine.is_busy() {
                busy_at = now;
                engine.inspect();
            }
            let ticking = busy_at.elapsed() < LINGER;
            let mut state = lock(&self.state);
            if state.entries.is_empty() && !ticking && engine.is_unused() {
                state.running = false;
                return;
            }
            let next = state.entries.keys().next().map(|(at, _, _)| *at);
            let tick = ticking.then(|| now + TICK);
            let until = match (next, tick) {
                (Some(next), Some(tick)) => Some(next.min(tick)),
                (next, tick) => next.or(tick),
            };
            let pause = until.map(|until| until.saturating_duration_since(Instant::now()));
            state.asleep_until = Some(until.unwrap_or_else(|| now + Duration::from_secs(3600)));
            let mut state = match pause {
                Some(pause) => {
                    let result = self.alarm.wait_timeout(state, pause);
                    result.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self
                    .alarm
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
            };
            state.asleep_until = None;
        }
    }

    fn take_due(&self, now: Instant) -> Vec<(Phase, Arc<Run>)> {
        let mut state = lock(&self.state);
        let mut due = Vec::new();
        while let Some(entry) = state.entries.first_entry() {
            if entry.key().0 > now {
                break;
            }
            let phase = entry.key().2;
            due.push((phase, entry.remove()));
        }
        due
    }
}
