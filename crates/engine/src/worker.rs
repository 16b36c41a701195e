//! A thread of the pool, and what the watchdog can see of it.

use crate::Features;
use crate::driver::{self, Compiled, Turn};
use crate::engine::Engine;
use crate::failure;
use crate::inline::INLINE_BUDGET;
use crate::js::compiler::Compiler;
use crate::limits::MAX_STACK_BYTES;
use crate::message::{Failure, FailureCode};
use crate::priority;
use crate::realm::Realm;
use crate::run::{Fresh, Parked, Run, Task};
use crate::spin::Spin;
use crate::sync::lock;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Native stack beyond the guest's: our own frames, the compiler's, and what the engine does not check.
const STACK_RESERVE: u64 = 2 << 20;
/// A turn longer than this lets others go first.
const LONG_TURN: Duration = Duration::from_millis(20);

/// The state of one worker.
#[derive(Default)]
pub(crate) struct Slot {
    work: Mutex<Option<Arc<Run>>>,
    /// When the turn began, in nanoseconds since `epoch()`; 0 between turns.
    turn: AtomicU64,
    thread: Mutex<Option<priority::Thread>>,
    /// The thread's priority was lowered; it ends after its run, since an ordinary user cannot raise it again.
    retired: AtomicBool,
    stuck: AtomicBool,
    /// The thread is a host's own.
    hosted: bool,
}

impl Slot {
    /// For a host's own thread.
    pub(crate) fn seat() -> Self {
        Self {
            hosted: true,
            ..Self::default()
        }
    }

    pub(crate) fn take_seat(&self, run: &Arc<Run>) {
        self.set_work(Some(run.clone()));
        self.begin_turn();
    }

    pub(crate) fn leave_seat(&self) {
        self.end_turn();
        self.set_work(None);
    }

    pub(crate) fn is_working(&self) -> bool {
        self.turn.load(Ordering::Relaxed) != 0
    }

    pub(crate) fn works_on(&self, run: &Arc<Run>) -> bool {
        lock(&self.work)
            .as_ref()
            .is_some_and(|own| Arc::ptr_eq(own, run))
    }

    pub(crate) fn is_retired(&self) -> bool {
        self.retired.load(Ordering::Relaxed)
    }

    pub(crate) fn is_stuck(&self) -> bool {
        self.stuck.load(Ordering::SeqCst)
    }

    /// True for the first call.
    pub(crate) fn set_stuck(&self) -> bool {
        !self.stuck.swap(true, Ordering::SeqCst)
    }

    fn set_work(&self, work: Option<Arc<Run>>) {
        *lock(&self.work) = work;
    }

    fn begin_turn(&self) {
        let now = u64::try_from(epoch().elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.turn.store(now.max(1), Ordering::Relaxed);
    }

    fn end_turn(&self) {
        self.turn.store(0, Ordering::Relaxed);
    }

    fn turn_time(&self) -> Option<Duration> {
        let began = self.turn.load(Ordering::Relaxed);
        (began != 0).then(|| {
            epoch()
                .elapsed()
                .saturating_sub(Duration::from_nanos(began))
        })
    }

    /// Called every few milliseconds while the worker works.
    pub(crate) fn inspect(&self) {
        let Some(turn) = self.turn_time() else { return };
        let work = lock(&self.work);
        let Some(run) = &*work else { return };
        // Wall time bounds CPU time: the guest is asked to look at its own clock, which only its thread can read.
        if run.cpu() + turn >= run.cpu_limit() || (self.hosted && turn > INLINE_BUDGET) {
            run.ask_attention();
        }
        if turn > LONG_TURN
            && !self.is_retired()
            && let Some(thread) = &*lock(&self.thread)
            && thread.lower()
        {
            self.retired.store(true, Ordering::Relaxed);
        }
    }
}

/// The zero of `Slot::turn`.
fn epoch() -> Instant {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    *EPOCH.get_or_init(Instant::now)
}

/// Starts a worker; false where the system gives no thread.
pub(crate) fn spawn(engine: Arc<Engine>, slot: Arc<Slot>) -> bool {
    let stack = usize::try_from(MAX_STACK_BYTES + STACK_RESERVE).unwrap_or(usize::MAX);
    let builder = std::thread::Builder::new()
        .name("codemode-worker".into())
        .stack_size(stack);
    builder
        .spawn(move || {
            let spin = Spin::new(engine.cores());
            let worker = Worker {
                engine,
                slot,
                compiler: None,
                spin,
            };
            worker.work();
        })
        .is_ok()
}

pub(crate) fn no_memory() -> Failure {
    let message = "the system gave no memory to run the program in";
    Failure::new(FailureCode::Overloaded, "OverloadedError", message)
}

fn resume(run: &Arc<Run>, parked: Box<Parked>) -> Turn {
    let replies = run.take_replies();
    let _span = tracing::debug_span!("turn", run = run.id, replies = replies.len()).entered();
    driver::resume(run, parked, replies)
}

struct Worker {
    engine: Arc<Engine>,
    slot: Arc<Slot>,
    compiler: Option<Compiler>,
    spin: Spin,
}

impl Worker {
    fn work(mut self) {
        *lock(&self.slot.thread) = priority::Thread::current();
        while let Some(run) = self.engine.next(&self.slot) {
            let features = run.features;
            let done = catch_unwind(AssertUnwindSafe(|| self.serve(&run)));
            if done.is_err() {
                run.set_attention(None);
                self.compiler = None;
                let end = driver::plain_end(&run, Err(failure::fault()));
                run.finish(Vec::new(), end);
            }
            self.slot.end_turn();
            self.slot.set_work(None);
            drop(run);
            self.prepare_spares(features);
        }
    }

    /// Works for a run until it waits or is over.
    fn serve(&mut self, run: &Arc<Run>) {
        let Some(task) = run.take_task() else { return };
        self.slot.set_work(Some(run.clone()));
        self.slot.begin_turn();
        let mut turn = match task {
            Task::Fresh(fresh) => self.begin(run, fresh),
            Task::Compiled(compiled) => match self.realm(run.features) {
                Some(realm) => driver::start(run, *compiled, realm),
                None => driver::unstarted(run, no_memory()),
            },
            Task::Parked(parked) => resume(run, parked),
            Task::Suspended(suspended) => suspended.finish(),
        };
        loop {
            match turn {
                Turn::Over(realm, events, end) => {
                    run.set_attention(None);
                    run.finish(events, end);
                    drop(realm);
                    return;
                }
                Turn::Waiting(parked, events) => {
                    if !events.is_empty() {
                        run.emit(events);
                    }
                    self.slot.end_turn();
                    self.wait_for_news(run);
                    let Some(parked) = run.park(parked) else {
                        return;
                    };
                    self.slot.begin_turn();
                    turn = resume(run, parked);
                }
            }
        }
    }

    /// Not while others wait for the thread.
    fn wait_for_news(&mut self, run: &Run) {
        let engine = &self.engine;
        let look = || {
            if run.has_news() {
                ControlFlow::Break(true)
            } else if engine.queued() > 0 {
                ControlFlow::Break(false)
            } else {
                ControlFlow::Continue(())
            }
        };
        if look().is_continue() {
            self.spin.until(look);
        }
    }

    fn begin(&mut self, run: &Arc<Run>, fresh: Box<Fresh>) -> Turn {
        let _span = tracing::debug_span!("begin", run = run.id).entered();
        let Some(realm) = self.realm(run.features) else {
            return driver::unstarted(run, no_memory());
        };
        match self.compiled(run, fresh) {
            Ok(compiled) => driver::start(run, compiled, realm),
            Err(failure) => driver::unstarted(run, failure),
        }
    }

    fn compiled(&mut self, run: &Arc<Run>, fresh: Box<Fresh>) -> Result<Compiled, Failure> {
        let programs = self.engine.programs();
        let fresh = match driver::recall(run, fresh, programs) {
            Ok(compiled) => return Ok(compiled),
            Err(fresh) => fresh,
        };
        if self.compiler.as_ref().is_none_or(Compiler::is_worn) {
            self.compiler = Compiler::new();
        }
        let compiler = self.compiler.as_mut().ok_or_else(no_memory)?;
        driver::compile(run, *fresh, compiler, programs)
    }

    fn realm(&self, features: Features) -> Option<Realm> {
        let spare = self.engine.spares().take(features);
        spare.or_else(|| Realm::new(features))
    }

    fn prepare_spares(&self, features: Features) {
        while self.engine.queued() == 0 && self.engine.spares().wants(features) {
            if self.slot.is_retired() || self.slot.is_stuck() || self.engine.is_unused() {
                return;
            }
            let Some(realm) = Realm::new(features) else {
                return;
            };
            self.engine.spares().put(features, realm);
        }
    }
}
