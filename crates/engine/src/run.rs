//! One run as the host and other threads see it: its stop cell, its clock, its inbox. The guest's realm is in here
//! while it waits, and on a worker's stack while it computes.

use crate::driver::{Compiled, Turn};
use crate::engine::Engine;
use crate::inline::{self, Pace, Seat};
use crate::js::Attention;
use crate::js::slice::Suspended;
use crate::message::{End, Event, Prepare, Program, Reply, RunSpec, Sink, Tools};
use crate::realm::Realm;
use crate::solo::{self, Look};
use crate::stop::{StopCell, StopReason};
use crate::sync::lock;
use crate::{Ambient, Features, Limits};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A stopped run that did not end is settled without its thread after this time.
pub(crate) const GRACE: Duration = Duration::from_millis(250);

pub(crate) struct Run {
    /// Unique in this process.
    pub(crate) id: u64,
    pub(crate) limits: Limits,
    pub(crate) features: Features,
    pub(crate) tools: Arc<dyn Tools>,
    pub(crate) stop: StopCell,
    pub(crate) started: Instant,
    sink: Arc<dyn Sink>,
    engine: Arc<Engine>,
    /// CPU nanoseconds of the turns that ended.
    cpu: AtomicU64,
    attention: Mutex<Option<Attention>>,
    inbox: Mutex<Inbox>,
    clock: Mutex<Clock>,
    ended: AtomicBool,
    /// Looks for a stop that came from outside of this process; see `solo`.
    look: Option<Look>,
    /// Replies or a stop are waiting; a hint for a spinning worker, the inbox decides.
    news: AtomicBool,
}

/// What a run needs to begin.
pub(crate) struct Fresh {
    pub(crate) prepare: Prepare,
    pub(crate) key: Option<Box<str>>,
    pub(crate) ambient: Ambient,
}

/// A guest between two turns.
pub(crate) struct Parked {
    pub(crate) realm: Realm,
    pub(crate) main: crate::js::Held,
    pub(crate) program: Arc<Program>,
    /// Whether the next turn may begin on the host's thread.
    pub(crate) pace: Pace,
}

/// What the next turn works on.
pub(crate) enum Task {
    Fresh(Box<Fresh>),
    /// Compiled on the host's thread, not started.
    Compiled(Box<Compiled>),
    Parked(Box<Parked>),
    /// Left on the host's thread in the middle of a turn.
    Suspended(Suspended<Turn>),
}

#[derive(Default)]
struct Inbox {
    replies: Vec<Reply>,
    /// A worker has the run, or it is in the queue.
    scheduled: bool,
    task: Option<Task>,
}

#[derive(Debug)]
struct Clock {
    deadline: Instant,
    pauses: u32,
    /// When the first of the pauses in force began.
    paused_at: Instant,
}

impl Run {
    pub(crate) fn new(id: u64, spec: RunSpec, engine: Arc<Engine>) -> Arc<Self> {
        Self::with_look(id, spec, engine, None)
    }

    /// A run that asks `look` for stops, and whose guest is reached by `solo::raise_alarm`.
    pub(crate) fn with_look(
        id: u64,
        spec: RunSpec,
        engine: Arc<Engine>,
        look: Option<Look>,
    ) -> Arc<Self> {
        let now = Instant::now();
        let deadline = now + Duration::from_millis(spec.limits.timeout_ms);
        let fresh = Fresh {
            prepare: spec.prepare,
            key: spec.key,
            ambient: spec.ambient,
        };
        Arc::new(Self {
            id,
            limits: spec.limits,
            features: spec.features,
            tools: spec.tools,
            stop: StopCell::default(),
            started: now,
            sink: spec.sink,
            engine,
            cpu: AtomicU64::new(0),
            attention: Mutex::new(None),
            inbox: Mutex::new(Inbox {
                scheduled: true,
                task: Some(Task::Fresh(Box::new(fresh))),
                ..Inbox::default()
            }),
            clock: Mutex::new(Clock {
                deadline,
                pauses: 0,
                paused_at: now,
            }),
            ended: AtomicBool::new(false),
            look,
            news: AtomicBool::new(false),
        })
    }

    // ------------------------------------------------------------------ the host's side

    pub(crate) fn settle(self: &Arc<Self>, replies: Vec<Reply>) {
        let mut inbox = lock(&self.inbox);
        inbox.replies.extend(replies);
        self.news.store(true, Ordering::Release);
        self.wake(inbox);
    }

    /// Ends the run; the first reason wins. True where this was it.
    pub(crate) fn stop(self: &Arc<Self>, reason: StopReason, message: Option<String>) -> bool {
        if self.is_ended() || !self.stop.set(reason, message) {
            return false;
        }
        tracing::debug!(run = self.id, ?reason, "stop");
        if let Some(attention) = *lock(&self.attention) {
            attention.raise();
        }
        self.engine
            .watchdog()
            .watch_grace(self, Instant::now() + GRACE);
        self.news.store(true, Ordering::Release);
        self.wake(lock(&self.inbox));
        true
    }

    /// The wall clock stands until `resume`. Pauses nest.
    pub(crate) fn pause(self: &Arc<Self>) {
        let mut clock = lock(&self.clock);
        clock.pauses += 1;
        if clock.pauses == 1 {
            clock.paused_at = Instant::now();
            self.engine.watchdog().forget(self.id, clock.deadline);
        }
    }

    pub(crate) fn resume(self: &Arc<Self>) {
        let mut clock = lock(&self.clock);
        clock.pauses = clock.pauses.saturating_sub(1);
        if clock.pauses == 0 {
            let paused = clock.paused_at.elapsed();
            clock.deadline += paused;
            if !self.is_ended() {
                self.engine.watchdog().watch_deadline(self, clock.deadline);
            }
        }
    }

    /// Compiles the program and begins its first turn on this thread.
    pub(crate) fn start_here(self: &Arc<Self>, seat: &Seat) {
        match self.take_task() {
            Some(Task::Fresh(fresh)) => inline::begin(&self.engine, self, fresh, seat),
            Some(task) => self.hand_over(task),
            None => {}
        }
    }

    /// As `settle`, but the turn that follows begins on this thread where it promises to be short.
    pub(crate) fn settle_here(self: &Arc<Self>, replies: Vec<Reply>, seat: &Seat) {
        let mut inbox = lock(&self.inbox);
        inbox.replies.extend(replies);
        self.news.store(true, Ordering::Release);
        let inline = !inbox.scheduled
            && inline::is_small(&inbox.replies)
            && matches!(&inbox.task, Some(Task::Parked(parked)) if parked.pace.allows_inline());
        if !inline {
            return self.wake(inbox);
        }
        let Some(Task::Parked(parked)) = inbox.task.take() else {
            return;
        };
        inbox.scheduled = true;
        drop(inbox);
        inline::turn(&self.engine, self, parked, seat);
    }

    /// Puts the run in the queue, unless it is there or on a worker.
    fn wake(self: &Arc<Self>, mut inbox: std::sync::MutexGuard<'_, Inbox>) {
        if inbox.scheduled || inbox.task.is_none() {
            return;
        }
        inbox.scheduled = true;
        drop(inbox);
        self.engine.watchdog().stay_awake(&self.engine);
        self.engine.enqueue(self.clone());
    }

    // ------------------------------------------------------------------ the worker's side

    pub(crate) fn take_task(&self) -> Option<Task> {
        lock(&self.inbox).task.take()
    }

    pub(crate) fn take_replies(&self) -> Vec<Reply> {
        let mut inbox = lock(&self.inbox);
        self.news.store(false, Ordering::Release);
        std::mem::take(&mut inbox.replies)
    }

    pub(crate) fn has_news(&self) -> bool {
        self.news.load(Ordering::Acquire)
    }

    /// Leaves a task for a worker.
    pub(crate) fn hand_over(self: &Arc<Self>, task: Task) {
        lock(&self.inbox).task = Some(task);
        self.engine.enqueue(self.clone());
    }

    /// Leaves the guest here until somebody wakes the run; gives it back where there is news already.
    pub(crate) fn park(&self, parked: Box<Parked>) -> Option<Box<Parked>> {
        let mut inbox = lock(&self.inbox);
        if !inbox.replies.is_empty() || self.stop.reason().is_some() {
            return Some(parked);
        }
        inbox.task = Some(Task::Parked(parked));
        inbox.scheduled = false;
        None
    }

    /// While a runtime works for the run, stopping the run raises its flag. `None` before that runtime is dropped.
    pub(crate) fn set_attention(&self, attention: Option<Attention>) {
        let mut slot = lock(&self.attention);
        *slot = attention;
        if self.look.is_some() {
            solo::publish(attention);
        }
        if let Some(attention) = attention
            && self.stop.reason().is_some()
        {
            attention.raise();
        }
    }

    /// Takes over a stop from outside of this process, where there was an alarm.
    pub(crate) fn look(&self) {
        if let Some(look) = &self.look
            && solo::take_alarm()
            && let Some((reason, message)) = look()
        {
            self.stop.set(reason, message);
        }
    }

    /// Makes the guest call its interrupt handler soon.
    pub(crate) fn ask_attention(&self) {
        if let Some(attention) = *lock(&self.attention) {
            attention.raise();
        }
    }

    /// As `stop`, for the thread that is inside the guest.
    pub(crate) fn stop_from_inside(&self, reason: StopReason) {
        if self.stop.set(reason, None)
            && let Some(attention) = *lock(&self.attention)
        {
            attention.raise();
        }
    }

    pub(crate) fn add_cpu(&self, turn: Duration) {
        let nanos = u64::try_from(turn.as_nanos()).unwrap_or(u64::MAX);
        self.cpu.fetch_add(nanos, Ordering::Relaxed);
    }

    pub(crate) fn cpu(&self) -> Duration {
        Duration::from_nanos(self.cpu.load(Ordering::Relaxed))
    }

    /// Whether the turns so far and this one together are over the limit.
    pub(crate) fn cpu_is_over(&self, turn: Duration) -> bool {
        self.cpu() + turn >= self.cpu_limit()
    }

    pub(crate) fn cpu_limit(&self) -> Duration {
        Duration::from_millis(self.limits.cpu_timeout_ms)
    }

    pub(crate) fn deadline(&self) -> Instant {
        lock(&self.clock).deadline
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    pub(crate) fn emit(&self, events: Vec<Event>) {
        if !self.is_ended() {
            self.sink.deliver(events);
        }
    }

    /// The end of the run, once; false where it ended before.
    pub(crate) fn finish(&self, mut events: Vec<Event>, end: End) -> bool {
        if self.ended.swap(true, Ordering::SeqCst) {
            return false;
        }
        let code = end.outcome.as_ref().err().map(|failure| failure.code);
        tracing::debug!(run = self.id, ?code, calls = end.tool_calls, "end");
        self.engine.watchdog().forget(self.id, self.deadline());
        self.engine.run_ended();
        events.push(Event::End(Box::new(end)));
        self.sink.deliver(events);
        true
    }
}
