//! The pool of the process, for its users.

use crate::channel::{Channel, Pumped};
use crate::crash;
use crate::handle::RunHandle;
use crate::reactor;
use crate::run::{Run, lock};
use crate::spec::{Spec, Unavailable};
use crate::state::{Phase, START_TIMEOUT, Startup, State};
use crate::sys::{Poll, Waker};
use codemode_engine::{Failure, FailureCode, StopReason};
use codemode_wire::encode_stop;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// With this many runs live, new ones are refused.
pub const MAX_PROCESSES: usize = 2_000;
/// A stopped process that did not end is killed after this time.
const GRACE: Duration = Duration::from_millis(200);
pub(crate) struct Pool {
    pub(crate) state: Mutex<State>,
    pub(crate) started: Condvar,
    pub(crate) poll: Arc<Poll>,
    pub(crate) waker: Waker,
    pub(crate) spares_wanted: usize,
    next_run: AtomicU64,
}

/// The token of the waker; channels and workers count from 1.
pub(crate) const WAKER_TOKEN: u64 = 0;

impl Pool {
    fn global() -> Result<&'static Arc<Self>, Unavailable> {
        static POOL: OnceLock<Result<Arc<Pool>, Unavailable>> = OnceLock::new();
        let made = POOL.get_or_init(|| {
            Self::new()
                .map(Arc::new)
                .map_err(|error| Unavailable(format!("the pool's descriptors: {error}")))
        });
        made.as_ref().map_err(Clone::clone)
    }

    fn new() -> std::io::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (poll, waker) = (Poll::new()?, Waker::new()?);
        let interest = crate::sys::Interest {
            read: true,
            write: false,
        };
        poll.add(waker.fd(), WAKER_TOKEN, interest)?;
        Ok(Self {
            state: Mutex::default(),
            started: Condvar::new(),
            poll: Arc::new(poll),
            waker,
            spares_wanted: cores.clamp(2, 6) + 1,
            next_run: AtomicU64::new(1),
        })
    }

    /// Sets a timer; the thread is woken where it would sleep past it.
    pub(crate) fn set_timer(&self, state: &mut State, at: Instant, phase: Phase, run: &Arc<Run>) {
        state.timers.insert((at, run.id, phase), run.clone());
        if state.asleep_until.is_some_and(|until| at < until) {
            self.waker.wake();
        }
    }

    /// After a run's end.
    pub(crate) fn forget(&self, run: &Run) {
        if !run.leave() {
            return;
        }
        let deadline = lock(&run.clock).deadline;
        // The process knows its run, and must not be kept by it: its socket closes with the last who knows the process.
        drop(lock(&run.channel).take());
        let mut state = lock(&self.state);
        state.timers.remove(&(deadline, run.id, Phase::Deadline));
        state.live -= 1;
        if state.live == 0 && state.leases == 0 {
            self.waker.wake();
        }
    }

    pub(crate) fn stop(&self, run: &Arc<Run>, reason: StopReason, message: Option<String>) -> bool {
        let mut frame = Vec::new();
        encode_stop(&mut frame, reason, message.as_deref());
        if run.is_ended() || !run.set_stop(reason, message) {
            return false;
        }
        let mut state = lock(&self.state);
        let waiting = state
            .pending
            .iter()
            .position(|other| Arc::ptr_eq(other, run));
        if let Some(index) = waiting {
            state.pending.remove(index);
            drop(state);
            self.fail_unstarted(run);
            return true;
        }
        self.set_timer(&mut state, Instant::now() + GRACE, Phase::Grace, run);
        drop(state);
        if let Some(channel) = lock(&run.channel).clone() {
            channel.send(&frame);
            crate::sys::kill(channel.pid(), libc::SIGUSR1);
        }
        true
    }

    /// Ends a stopped run that never had a process.
    pub(crate) fn fail_unstarted(&self, run: &Run) {
        if let Some(failure) = run.stop_failure()
            && run.fail(failure, 0)
        {
            self.forget(run);
        }
    }

    /// Kills the process of a run that was stopped and settles it.
    pub(crate) fn kill(&self, run: &Arc<Run>) {
        let Some(channel) = lock(&run.channel).clone() else {
            return self.fail_unstarted(run);
        };
        crate::sys::kill(channel.pid(), libc::SIGKILL);
        if let Some(failure) = run.stop_failure()
            && channel.fail(failure)
        {
            self.forget(run);
        }
        lock(&self.state).discard(&channel, false);
    }

    /// Reads from a process, and does what follows. `wait`: after another thread that reads.
    pub(crate) fn pump(&self, channel: &Arc<Channel>, wait: bool) {
        let pumped = if wait {
            Some(channel.pump_next())
        } else {
            channel.try_pump()
        };
        match pumped {
            None | Some(Pumped::Open) => {}
            Some(Pumped::Ready) => self.waker_if_elsewhere(),
            Some(Pumped::Ended) => {
                if let Some(run) = channel.run() {
                    self.forget(&run);
                }
                lock(&self.state).discard(channel, false);
                self.waker_if_elsewhere();
            }
            Some(Pumped::Violated(what)) => {
                let words = format!("the process of the program broke the protocol: {what}");
                if channel.fail(crash::crashed(words))
                    && let Some(run) = channel.run()
                {
                    self.forget(&run);
                }
                let mut state = lock(&self.state);
                state.discard(channel, false);
                state.distrust(channel.worker);
                drop(state);
                self.waker_if_elsewhere();
            }
            Some(Pumped::Gone) => self.gone(channel),
        }
    }

    /// A process closed its socket: it died, or will have.
    fn gone(&self, channel: &Arc<Channel>) {
        let run = channel.run();
        let stopped = run.as_ref().and_then(|run| run.stop_failure());
        if let Some(failure) = stopped
            && channel.fail(failure)
            && let Some(run) = &run
        {
            self.forget(run);
        }
        let mut state = lock(&self.state);
        let asks = run.as_ref().is_some_and(|run| !run.is_ended());
        if asks && let Some(run) = &run {
            let at = Instant::now() + Duration::from_secs(1);
            self.set_timer(&mut state, at, Phase::Lost, run);
        }
        if run.is_none() && !channel.is_closed() {
            state.pause_forks();
        }
        state.discard(channel, asks);
        drop(state);
        self.waker_if_elsewhere();
    }

    /// The pool's thread looks after spares and timers; elsewhere it has to be told.
    fn waker_if_elsewhere(&self) {
        if lock(&self.state).asleep_until.is_some() {
            self.waker.wake();
        }
    }
}

/// A user of the pool. While one exists the pool keeps its worker.
pub struct Lease {
    pool: Arc<Pool>,
    protections: Vec<String>,
}

impl Lease {
    /// Joins the pool of the process. The first one starts the worker at `worker` and waits until it is locked down: some
    /// milliseconds. Refuses where a protection that must hold cannot be had; nothing ran then.
    pub fn new(worker: &Path) -> Result<Self, Unavailable> {
        let pool = Pool::global()?.clone();
        let mut state = lock(&pool.state);
        state.leases += 1;
        if state.current.is_none() && !matches!(state.startup, Startup::Starting) {
            state.startup = Startup::Unknown;
            worker.clone_into(&mut state.path);
        }
        if !state.reactor {
            state.reactor = reactor::spawn(pool.clone());
            if !state.reactor {
                state.leases -= 1;
                return Err(Unavailable(
                    "the system gave no thread to wait for the worker".into(),
                ));
            }
        }
        pool.waker.wake();
        let until = Instant::now() + START_TIMEOUT;
        loop {
            let refused = match &state.startup {
                Startup::Ready(protections) => {
                    let protections = protections.clone();
                    drop(state);
                    return Ok(Self { pool, protections });
                }
                Startup::Refused(error) => Some(error.clone()),
                _ if Instant::now() > until => {
                    Some(Unavailable("the worker did not answer".into()))
                }
                _ => None,
            };
            if let Some(error) = refused {
                state.leases -= 1;
                pool.waker.wake();
                return Err(error);
            }
            let waited = pool.started.wait_timeout(state, Duration::from_millis(100));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Starts a run. Its events, the end among them, come through the sink, whatever happens.
    pub fn start(&self, spec: Spec) -> RunHandle {
        let pool = &self.pool;
        let run = Run::new(pool.next_run.fetch_add(1, Ordering::Relaxed), spec);
        let handle = RunHandle::new(pool.clone(), run.clone());
        let mut state = lock(&pool.state);
        state.live += 1;
        if matches!(state.startup, Startup::Refused(_)) {
            // It was there when the lease began: this run tries again.
            state.startup = Startup::Unknown;
        }
        if state.live > MAX_PROCESSES {
            drop(state);
            let words = format!("{MAX_PROCESSES} programs are live; try again later");
            if run.fail(
                Failure::new(FailureCode::Overloaded, "OverloadedError", words),
                0,
            ) {
                pool.forget(&run);
            }
            return handle;
        }
        state.kind = Some(run.kind);
        let deadline = lock(&run.clock).deadline;
        pool.set_timer(&mut state, deadline, Phase::Deadline, &run);
        match state.take_spare(run.kind) {
            Some(spare) => {
                spare.assign(&run);
                // The thread refills when the run ends; it is not to compete with the run's first steps.
                if state.spares.is_empty() {
                    pool.waker.wake();
                }
            }
            None => {
                state.pending.push_back(run);
                pool.waker.wake();
            }
        }
        handle
    }

    /// Names of the protections that are in force.
    pub fn protections(&self) -> Vec<String> {
        self.protections.clone()
    }

    /// Processes of the pool: its worker, spare ones, and those of runs.
    pub fn processes(&self) -> usize {
        lock(&self.pool.state).processes()
    }

    /// Processes of the pool that have not ended after the last lease; 0 while somebody has one.
    pub fn processes_left() -> usize {
        Pool::global().map_or(0, |pool| {
            let state = lock(&pool.state);
            if state.leases > 0 {
                0
            } else {
                state.processes()
            }
        })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = lock(&self.pool.state);
        state.leases -= 1;
        if state.leases == 0 {
            self.pool.waker.wake();
        }
    }
}
