//! The pool's thread: waits for sockets, keeps time, measures memory, starts and ends workers.

use crate::channel::Channel;
use crate::crash;
use crate::pool::{Pool, WAKER_TOKEN};
use crate::proc_stat;
use crate::run::{Run, lock};
use crate::spec::Unavailable;
use crate::state::{self, Phase, START_TIMEOUT, Startup, State};
use crate::watch;
use crate::worker::Worker;
use codemode_engine::{Failure, FailureCode, StopReason};
use codemode_wire::ControlReply;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Time between two looks at processes that compute.
const WATCH: Duration = Duration::from_millis(25);
/// Every so many looks, at those that say they wait.
const WATCH_WAITING: u32 = 20;
/// Time between two looks for the end of a worker that was told to end.
const ENDING_TICK: Duration = Duration::from_millis(5);
const ENDING_PATIENCE: Duration = Duration::from_millis(500);
/// After this many deaths of workers without a process that got ready, waiting runs are refused.
const MAX_DEATHS: u32 = 3;

/// False where the system gives no thread.
pub(crate) fn spawn(pool: Arc<Pool>) -> bool {
    let builder = std::thread::Builder::new().name("codemode-process".into());
    builder
        .spawn(move || {
            let mut reactor = Reactor {
                pool,
                watched: Instant::now(),
                looks: 0,
            };
            reactor.work();
        })
        .is_ok()
}

/// Nobody needs the thread any more.
struct Unneeded;

struct Reactor {
    pool: Arc<Pool>,
    watched: Instant,
    looks: u32,
}

impl Reactor {
    fn work(&mut self) {
        let mut ready = Vec::new();
        loop {
            self.time_out();
            self.watch();
            let Ok(timeout) = self.maintain() else {
                return;
            };
            self.pool.poll.wait(timeout, &mut ready);
            lock(&self.pool.state).asleep_until = None;
            for token in &ready {
                self.serve(*token);
            }
        }
    }

    /// Spares, workers; then how long there is nothing to do.
    fn maintain(&self) -> Result<Option<Duration>, Unneeded> {
        let pool = &self.pool;
        let mut state = lock(&pool.state);
        state.end_workers();
        state.ending.retain_mut(|(process, since)| {
            if since.elapsed() > ENDING_PATIENCE {
                let _ = process.kill();
            }
            matches!(process.try_wait(), Ok(None))
        });
        let replaced_at = state.replace_distrusted();
        state.start_worker(&pool.poll);
        state.provide(&pool.poll, pool.spares_wanted);
        if !matches!(state.startup, Startup::Unknown | Startup::Starting) {
            pool.started.notify_all();
        }
        if let Startup::Refused(error) = &state.startup
            && !state.pending.is_empty()
        {
            let words = format!("process isolation is not available any more: {error}");
            let waiting = std::mem::take(&mut state.pending);
            drop(state);
            for run in waiting {
                if run.fail(crash::crashed(words.clone()), 0) {
                    pool.forget(&run);
                }
            }
            state = lock(&pool.state);
        }
        let idle = state.leases == 0 && state.live == 0;
        if idle && state.workers.is_empty() && state.ending.is_empty() {
            state.reactor = false;
            return Err(Unneeded);
        }
        let now = Instant::now();
        let mut until = state.timers.keys().next().map(|(at, _, _)| *at);
        let mut by = |at: Instant| until = Some(until.map_or(at, |until| until.min(at)));
        if !state.ending.is_empty() {
            by(now + ENDING_TICK);
        }
        replaced_at
            .into_iter()
            .chain(state.next_fork)
            .for_each(&mut by);
        if state.live > 0 {
            by(self.watched
                + if watch::any_busy(&state) {
                    WATCH
                } else {
                    WATCH * WATCH_WAITING
                });
        }
        if state.current.is_none() && (state.leases > 0 || !state.pending.is_empty()) {
            by(now + WATCH * 4);
        }
        let timeout = until.map(|until| until.saturating_duration_since(now));
        state.asleep_until = Some(until.unwrap_or_else(|| now + Duration::from_secs(3600)));
        Ok(timeout)
    }

    fn serve(&self, token: u64) {
        if token == WAKER_TOKEN {
            self.pool.waker.reset();
            return;
        }
        let mut state = lock(&self.pool.state);
        if let Some(channel) = state.channels.get(&token).cloned() {
            drop(state);
            channel.flush();
            self.pool.pump(&channel, true);
            self.became_ready(token);
        } else if let Some(worker) = state.workers.get_mut(&token) {
            worker.flush();
            drop(state);
            self.serve_worker(token);
        }
    }

    /// A process is a spare once both it and its worker have told of it.
    fn became_ready(&self, token: u64) {
        let mut state = lock(&self.pool.state);
        let Some(channel) = state.channels.get(&token).cloned() else {
            return;
        };
        let known = channel.pid() != 0 && channel.ready.load(Ordering::SeqCst);
        let given = channel.run().is_some()
            || state
                .spares
                .iter()
                .any(|spare| Arc::ptr_eq(spare, &channel));
        if !known || given {
            return;
        }
        if state.current != Some(channel.worker) {
            state.discard(&channel, false);
            return;
        }
        if let Some(usage) = proc_stat::usage(channel.pid()) {
            channel
                .base_bytes
                .store(usage.resident_bytes, Ordering::Relaxed);
        }
        state.deaths = 0;
        state.spares.push(channel);
    }

    // ------------------------------------------------------------------ workers

    fn serve_worker(&self, token: u64) {
        loop {
            let mut state = lock(&self.pool.state);
            let Some(worker) = state.workers.get_mut(&token) else {
                return;
            };
            let reply = worker.receive();
            match reply {
                Ok(None) => return,
                Ok(Some(ControlReply::Ready {
                    version,
                    protections,
                })) => {
                    state::ready(&mut state, token, &version, protections);
                }
                Ok(Some(ControlReply::Refused { reason })) => {
                    state.startup = Startup::Refused(Unavailable(reason));
                }
                Ok(Some(ControlReply::Forked {
                    token: process,
                    pid,
                })) => {
                    state.forked(process, pid);
                    drop(state);
                    self.after_fork(process);
                }
                Ok(Some(ControlReply::NotForked {
                    token: process,
                    errno,
                })) => {
                    worker.processes -= 1;
                    let refused = state.not_forked(process);
                    drop(state);
                    self.refuse(refused, errno);
                }
                Ok(Some(ControlReply::Exited { pid, status })) => {
                    worker.processes -= 1;
                    let asked = state.exited(token, pid, status);
                    drop(state);
                    if let Some(channel) = asked {
                        self.tell_death(&channel, Some(status));
                    }
                }
                Err(()) => {
                    drop(state);
                    self.lost_worker(token);
                    return;
                }
            }
        }
    }

    /// The process may have been given up, or have said that it is ready, before its id was known.
    fn after_fork(&self, token: u64) {
        let channel = lock(&self.pool.state).channels.get(&token).cloned();
        if let Some(channel) = channel {
            if channel.is_closed() {
                lock(&self.pool.state).discard(&channel, false);
            } else {
                self.became_ready(token);
            }
        }
    }

    fn refuse(&self, runs: impl IntoIterator<Item = Arc<Run>>, errno: i32) {
        let error = std::io::Error::from_raw_os_error(errno);
        for run in runs {
            let words = format!("the system gave no process to run the program in: {error}");
            let failure = Failure::new(FailureCode::Overloaded, "OverloadedError", words);
            if run.fail(run.stop_failure().unwrap_or(failure), 0) {
                self.pool.forget(&run);
            }
        }
    }

    fn tell_death(&self, channel: &Channel, status: Option<i32>) {
        let Some(run) = channel.run() else { return };
        let failure = run
            .stop_failure()
            .unwrap_or_else(|| crash::died(&run.limits, status));
        if channel.fail(failure) {
            self.pool.forget(&run);
        }
    }

    /// The worker is gone, and everything that it forked with it.
    fn lost_worker(&self, token: u64) {
        let mut state = lock(&self.pool.state);
        let Some(worker) = state.workers.remove(&token) else {
            return;
        };
        if worker.protections.is_none()
            && !matches!(state.startup, Startup::Ready(_) | Startup::Refused(_))
        {
            let words = "the worker ended before it was locked down";
            state.startup = Startup::Refused(Unavailable(words.into()));
        }
        state.deaths += 1;
        if state.deaths >= MAX_DEATHS {
            state.deaths = 0;
            let words = "the worker dies as soon as it forks";
            state.startup = Startup::Refused(Unavailable(words.into()));
        }
        let mut process = worker.close();
        let _ = process.kill();
        state.ending.push((process, Instant::now()));
        if state.current == Some(token) {
            state.current = None;
        }
        let lost: Vec<_> = state
            .channels
            .values()
            .filter(|channel| channel.worker == token)
            .cloned()
            .collect();
        for channel in &lost {
            channel.close();
            state.channels.remove(&channel.token);
            state.forking.remove(&channel.token);
        }
        state.spares.retain(|spare| spare.worker != token);
        let asked: Vec<_> = state
            .reaping
            .keys()
            .filter(|(worker, _)| *worker == token)
            .copied()
            .collect();
        let asked: Vec<_> = asked
            .iter()
            .filter_map(|key| state.reaping.remove(key).flatten())
            .collect();
        drop(state);
        for channel in lost.iter().chain(&asked) {
            self.tell_death(channel, None);
        }
    }

    // ------------------------------------------------------------------ time

    fn time_out(&self) {
        loop {
            let mut state = lock(&self.pool.state);
            self.give_up_start(&mut state);
            let Some(entry) = state.timers.first_entry() else {
                return;
            };
            if entry.key().0 > Instant::now() {
                return;
            }
            let phase = entry.key().2;
            let run = entry.remove();
            drop(state);
            match phase {
                _ if run.is_ended() => {}
                Phase::Deadline => {
                    self.pool.stop(&run, StopReason::Timeout, None);
                }
                Phase::Grace => self.pool.kill(&run),
                Phase::Lost => {
                    let channel = lock(&run.channel).clone();
                    if let Some(channel) = channel {
                        self.tell_death(&channel, None);
                    }
                }
            }
        }
    }

    fn give_up_start(&self, state: &mut State) {
        let late = |worker: &Worker| {
            worker.protections.is_none() && worker.started.elapsed() > START_TIMEOUT
        };
        let late: Vec<u64> = state
            .workers
            .values()
            .filter(|worker| late(worker))
            .map(|worker| worker.token)
            .collect();
        for token in late {
            if let Some(worker) = state.workers.remove(&token) {
                let mut process = worker.close();
                let _ = process.kill();
                state.ending.push((process, Instant::now()));
                state.startup = Startup::Refused(Unavailable("the worker did not answer".into()));
                self.pool.started.notify_all();
            }
        }
    }

    /// Limits that a process keeps itself, seen from outside.
    fn watch(&mut self) {
        if self.watched.elapsed() < WATCH {
            return;
        }
        self.watched = Instant::now();
        self.looks = self.looks.wrapping_add(1);
        watch::look(&self.pool, self.looks.is_multiple_of(WATCH_WAITING));
    }
}
