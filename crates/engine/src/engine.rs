//! The pool that all runs of the process share: a queue, a few threads, realms made ahead of their runs.
//!
//! A waiting guest holds no thread. A computing one holds its thread until its turn ends; when the queue waits for
//! that, the pool grows, so that computing guests share the cores by the scheduler of the system and cannot starve
//! short ones. With the last lease the threads end.

use crate::driver;
use crate::failure;
use crate::inline::{Compilers, Seat};
use crate::message::{End, Failure, FailureCode, Reply, RunSpec};
use crate::programs::Programs;
use crate::run::Run;
use crate::spares::Spares;
use crate::stop::StopReason;
use crate::sync::lock;
use crate::watchdog::Watchdog;
use crate::worker::{self, Slot};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};

/// Threads that are kept while the pool is in use.
const BASE_THREADS: std::ops::RangeInclusive<usize> = 2..=8;
/// Threads beyond those, while guests compute and others wait for a turn.
const EXTRA_THREADS: usize = 64;
/// An extra thread without work ends after this time.
const EXTRA_LINGER: Duration = Duration::from_millis(150);
/// A run that waits longer than this for its turn gets a new thread.
const PATIENCE: Duration = Duration::from_millis(3);
/// With this many threads stuck, new runs are refused.
pub const MAX_STUCK_THREADS: usize = 8;
/// With this many runs live, new ones are refused.
pub const MAX_LIVE_RUNS: usize = 50_000;

/// The one pool of the process.
pub(crate) struct Engine {
    state: Mutex<State>,
    work: Condvar,
    queued: AtomicUsize,
    live: AtomicUsize,
    next_run: AtomicU64,
    cores: usize,
    spares: Spares,
    compilers: Compilers,
    programs: Programs,
    watchdog: Watchdog,
}

#[derive(Default)]
struct State {
    queue: VecDeque<(Instant, Arc<Run>)>,
    leases: usize,
    threads: usize,
    idle: usize,
    stuck: usize,
    slots: Vec<Arc<Slot>>,
    /// Threads of hosts, for the watchdog.
    seats: Vec<Weak<Slot>>,
}

impl Engine {
    pub(crate) fn global() -> &'static Arc<Self> {
        static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
        ENGINE.get_or_init(|| {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            Arc::new(Self {
                state: Mutex::default(),
                work: Condvar::new(),
                queued: AtomicUsize::new(0),
                live: AtomicUsize::new(0),
                next_run: AtomicU64::new(1),
                cores,
                spares: Spares::new(base_threads(cores) + 2),
                compilers: Compilers::default(),
                programs: Programs::default(),
                watchdog: Watchdog::default(),
            })
        })
    }

    pub(crate) fn watchdog(&self) -> &Watchdog {
        &self.watchdog
    }

    pub(crate) fn spares(&self) -> &Spares {
        &self.spares
    }

    pub(crate) fn compilers(&self) -> &Compilers {
        &self.compilers
    }

    pub(crate) fn programs(&self) -> &Programs {
        &self.programs
    }

    pub(crate) fn cores(&self) -> usize {
        self.cores
    }

    pub(crate) fn run_ended(&self) {
        self.live.fetch_sub(1, Ordering::Relaxed);
    }

    /// Runs that wait for a thread.
    pub(crate) fn queued(&self) -> usize {
        self.queued.load(Ordering::Relaxed)
    }

    pub(crate) fn enqueue(self: &Arc<Self>, run: Arc<Run>) {
        let mut state = lock(&self.state);
        state.queue.push_back((Instant::now(), run));
        self.queued.store(state.queue.len(), Ordering::Relaxed);
        if state.idle > 0 {
            drop(state);
            self.work.notify_one();
            return;
        }
        self.staff(&mut state);
        let orphaned = if state.threads == 0 {
            state.queue.pop_back()
        } else {
            None
        };
        self.queued.store(state.queue.len(), Ordering::Relaxed);
        drop(state);
        if let Some((_, run)) = orphaned {
            refuse(&run, "the system gave no thread to run the program on");
        }
    }

    /// The threads that are kept while the pool is in use.
    fn staff(self: &Arc<Self>, state: &mut State) {
        while state.threads < base_threads(self.cores) {
            if !self.spawn(state) {
                break;
            }
        }
    }

    fn spawn(self: &Arc<Self>, state: &mut State) -> bool {
        let slot = Arc::new(Slot::default());
        let started = worker::spawn(self.clone(), slot.clone());
        if started {
            state.threads += 1;
            state.slots.push(slot);
        }
        started
    }

    /// The next run for a worker; `None` tells it to end.
    pub(crate) fn next(&self, slot: &Arc<Slot>) -> Option<Arc<Run>> {
        let mut state = lock(&self.state);
        loop {
            if slot.is_retired() || slot.is_stuck() {
                break;
            }
            if let Some((_, run)) = state.queue.pop_front() {
                self.queued.store(state.queue.len(), Ordering::Relaxed);
                return Some(run);
            }
            if state.leases == 0 {
                break;
            }
            let extra = state.threads > base_threads(self.cores);
            state.idle += 1;
            let waited = if extra {
                let result = self.work.wait_timeout(state, EXTRA_LINGER);
                let (guard, timeout) = result.unwrap_or_else(std::sync::PoisonError::into_inner);
                state = guard;
                timeout.timed_out()
            } else {
                state = self
                    .work
                    .wait(state)
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                false
            };
            state.idle -= 1;
            if waited && state.queue.is_empty() && state.threads > base_threads(self.cores) {
                break;
            }
        }
        leave(&mut state, slot);
        None
    }

    // ------------------------------------------------------------------ called by the watchdog

    /// True while something needs a look every few milliseconds.
    pub(crate) fn is_busy(&self) -> bool {
        let state = lock(&self.state);
        let seats = state.seats.iter().filter_map(Weak::upgrade);
        !state.queue.is_empty()
            || state.slots.iter().any(|slot| slot.is_working())
            || seats.into_iter().any(|seat| seat.is_working())
    }

    /// True once nobody uses the pool any more.
    pub(crate) fn is_unused(&self) -> bool {
        lock(&self.state).leases == 0
    }

    /// Looks after the threads: CPU limits inside long operations, priority of long turns, growth.
    pub(crate) fn inspect(self: &Arc<Self>) {
        let mut state = lock(&self.state);
        for slot in &state.slots {
            slot.inspect();
        }
        for seat in state.seats.iter().filter_map(Weak::upgrade) {
            seat.inspect();
        }
        let waits = state
            .queue
            .front()
            .is_some_and(|(since, _)| since.elapsed() > PATIENCE);
        if waits && state.idle == 0 && state.threads < base_threads(self.cores) + EXTRA_THREADS {
            self.spawn(&mut state);
        }
    }

    /// Settles a stopped run whose thread did not come back in time.
    pub(crate) fn give_up(self: &Arc<Self>, run: &Arc<Run>) {
        let reason = run.stop.reason().unwrap_or(StopReason::Internal);
        let end = driver::plain_end(run, Err(failure::stopped(run, reason, 0)));
        let mut state = lock(&self.state);
        if run.finish(Vec::new(), end)
            && let Some(slot) = state.slots.iter().find(|slot| slot.works_on(run)).cloned()
            && slot.set_stuck()
        {
            tracing::warn!(run = run.id, "a stopped program holds its thread");
            state.stuck += 1;
            state.threads -= 1;
        }
    }
}

fn leave(state: &mut State, slot: &Arc<Slot>) {
    if slot.is_stuck() {
        state.stuck -= 1;
    } else {
        state.threads -= 1;
    }
    state.slots.retain(|other| !Arc::ptr_eq(other, slot));
}

fn base_threads(cores: usize) -> usize {
    cores.clamp(*BASE_THREADS.start(), *BASE_THREADS.end())
}

fn refuse(run: &Arc<Run>, message: &str) {
    let failure = Failure::new(FailureCode::Overloaded, "OverloadedError", message);
    let end: End = driver::plain_end(run, Err(failure));
    run.finish(Vec::new(), end);
}

/// A user of the pool. While one exists the pool keeps its threads.
pub struct Lease {
    engine: Arc<Engine>,
}

impl Lease {
    /// Joins the pool of the process; threads start with the first run.
    pub fn new() -> Self {
        let engine = Engine::global().clone();
        lock(&engine.state).leases += 1;
        Self { engine }
    }

    /// Starts a run. Its events, the end among them, come through the sink, whatever happens.
    pub fn start(&self, spec: RunSpec) -> RunHandle {
        let (handle, admitted) = self.admit(spec);
        if admitted {
            self.engine.enqueue(handle.run.clone());
        }
        handle
    }

    /// As `start`, for a host whose own thread may do a little of the guest's work, and for a program that is quickly
    /// compiled: it is compiled here, and its first turn begins here as with [`RunHandle::settle_here`].
    pub fn start_here(&self, spec: RunSpec, seat: &Seat) -> RunHandle {
        let (handle, admitted) = self.admit(spec);
        if admitted {
            handle.run.start_here(seat);
            // Whoever comes next may need them, and their number says that the pool is in use.
            self.engine.staff(&mut lock(&self.engine.state));
        }
        handle
    }

    fn admit(&self, spec: RunSpec) -> (RunHandle, bool) {
        let engine = &self.engine;
        let live = engine.live.fetch_add(1, Ordering::Relaxed);
        let stuck = lock(&engine.state).stuck;
        let id = engine.next_run.fetch_add(1, Ordering::Relaxed);
        let run = Run::new(id, spec, engine.clone());
        let mut admitted = false;
        if live >= MAX_LIVE_RUNS {
            refuse(
                &run,
                &format!("{MAX_LIVE_RUNS} programs are live; try again later"),
            );
        } else if stuck >= MAX_STUCK_THREADS {
            refuse(
                &run,
                &format!("{stuck} threads are stuck in stopped programs; try again later"),
            );
        } else {
            engine.watchdog.watch_deadline(&run, run.deadline());
            engine.watchdog.ensure_running(engine);
            admitted = true;
        }
        (RunHandle { run }, admitted)
    }

    /// A place for the calling thread; see [`RunHandle::settle_here`].
    pub fn seat(&self) -> Seat {
        let slot = Arc::new(Slot::seat());
        let mut state = lock(&self.engine.state);
        state.seats.retain(|seat| seat.strong_count() > 0);
        state.seats.push(Arc::downgrade(&slot));
        Seat::new(slot)
    }

    /// Threads of the pool that work or wait for work.
    pub fn threads(&self) -> usize {
        lock(&self.engine.state).threads
    }

    /// Threads that did not come back from a stopped run yet.
    pub fn stuck_threads(&self) -> usize {
        lock(&self.engine.state).stuck
    }
}

impl Default for Lease {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = lock(&self.engine.state);
        state.leases -= 1;
        if state.leases == 0 {
            drop(state);
            self.engine.work.notify_all();
            self.engine.watchdog.wake();
            self.engine.spares.clear();
            self.engine.compilers.clear();
            self.engine.programs.clear();
        }
    }
}

/// A run, for its host; clones are handles of the same run. Every method returns at once; none has an effect after the end.
#[derive(Clone)]
pub struct RunHandle {
    run: Arc<Run>,
}

impl RunHandle {
    /// Settles calls, in this order.
    pub fn settle(&self, replies: Vec<Reply>) {
        if !self.run.is_ended() {
            self.run.settle(replies);
        }
    }

    /// As `settle`, for a host whose own thread may do a little of the guest's work: where the guest's next turn
    /// promises to be short it begins here, and a worker goes on with it after [`INLINE_BUDGET`](crate::INLINE_BUDGET).
    /// Events of the turn go to the sink before this returns.
    pub fn settle_here(&self, replies: Vec<Reply>, seat: &Seat) {
        if !self.run.is_ended() {
            self.run.settle_here(replies, seat);
        }
    }

    /// Ends the run with a message; false where it had ended or was stopped before.
    pub fn stop(&self, reason: StopReason, message: Option<String>) -> bool {
        self.run.stop(reason, message)
    }

    /// Stops the wall clock of the run. Pauses nest.
    pub fn pause_clock(&self) {
        self.run.pause();
    }

    /// Lets the wall clock go on.
    pub fn resume_clock(&self) {
        self.run.resume();
    }
}
