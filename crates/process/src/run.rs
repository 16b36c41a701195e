//! One run as its host sees it.

use crate::channel::Channel;
use crate::conversation::Conversation;
use crate::spec::{Spec, ToolSet};
use crate::store::Store;
use codemode_engine::{End, Event, Failure, Features, Limits, Sink, StopReason, stop_failure};
use codemode_wire::encode_start;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Which processes can take a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Kind {
    pub(crate) features: Features,
    /// Address space beyond the worker's.
    pub(crate) room_bytes: u64,
}

/// Address space beyond twice the guest's heap: the compiler, the source, texts on their way.
const ROOM: u64 = 256 << 20;

impl Kind {
    fn of(spec: &Spec) -> Self {
        let texts = spec
            .limits
            .max_output_chars
            .saturating_add(spec.limits.max_source_chars);
        let room = spec.limits.memory_limit_bytes.saturating_mul(2);
        let room = room
            .saturating_add(texts.saturating_mul(32))
            .saturating_add(ROOM);
        Self {
            features: spec.features,
            // In steps, so that runs with slightly other limits share spare processes.
            room_bytes: room.next_multiple_of(ROOM),
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a clock needs to stand still.
#[derive(Debug)]
pub(crate) struct Clock {
    pub(crate) deadline: Instant,
    pub(crate) pauses: u32,
    pub(crate) paused_at: Instant,
}

pub(crate) struct Run {
    pub(crate) id: u64,
    pub(crate) limits: Limits,
    pub(crate) kind: Kind,
    pub(crate) clock: Mutex<Clock>,
    /// The process of the run; `None` before it has one.
    pub(crate) channel: Mutex<Option<Arc<Channel>>>,
    /// Sent when there is a process.
    pub(crate) start: Mutex<Vec<u8>>,
    /// The process has nothing to do until somebody settles a call.
    pub(crate) waits: AtomicBool,
    pub(crate) tools: Arc<ToolSet>,
    /// Of a program of a session: the sizes it begins with.
    store: Option<Store>,
    sink: Arc<dyn Sink>,
    started: Instant,
    stop: Mutex<Option<(StopReason, Option<String>)>>,
    ended: AtomicBool,
    /// The pool counts it no more.
    forgotten: AtomicBool,
}

impl Run {
    pub(crate) fn new(id: u64, spec: Spec) -> Arc<Self> {
        let now = Instant::now();
        let mut start = Vec::with_capacity(128 + spec.tools.encoded.len() + spec.code.len());
        let seed = RandomState::new().build_hasher().finish();
        encode_start(
            &mut start,
            &spec.limits,
            seed,
            &spec.tools.encoded,
            spec.session.as_ref(),
            &spec.code,
        );
        Arc::new(Self {
            id,
            kind: Kind::of(&spec),
            clock: Mutex::new(Clock {
                deadline: now + Duration::from_millis(spec.limits.timeout_ms),
                pauses: 0,
                paused_at: now,
            }),
            limits: spec.limits,
            channel: Mutex::new(None),
            start: Mutex::new(start),
            waits: AtomicBool::new(false),
            store: spec.session.as_ref().map(Store::new),
            tools: spec.tools,
            sink: spec.sink,
            started: now,
            stop: Mutex::new(None),
            ended: AtomicBool::new(false),
            forgotten: AtomicBool::new(false),
        })
    }

    pub(crate) fn conversation(&self) -> Conversation {
        let tools = self.tools.catalog.names().len() as u32;
        Conversation::new(&self.limits, tools, self.store.clone())
    }

    /// Characters that a program of a session may store.
    pub(crate) fn max_store_chars(&self) -> u64 {
        self.store.as_ref().map_or(0, Store::max_chars)
    }

    /// True for the first reason; a later one changes nothing.
    pub(crate) fn set_stop(&self, reason: StopReason, message: Option<String>) -> bool {
        let mut stop = lock(&self.stop);
        let first = stop.is_none();
        if first {
            *stop = Some((reason, message));
        }
        first
    }

    pub(crate) fn is_stopped(&self) -> bool {
        lock(&self.stop).is_some()
    }

    /// The failure that this side's stop makes of the run.
    pub(crate) fn stop_failure(&self) -> Option<Failure> {
        let (reason, message) = lock(&self.stop).clone()?;
        Some(stop_failure(&self.limits, reason, message, 0))
    }

    /// True once.
    pub(crate) fn leave(&self) -> bool {
        !self.forgotten.swap(true, Ordering::SeqCst)
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    pub(crate) fn emit(&self, events: Vec<Event>) {
        if !events.is_empty() && !self.is_ended() {
            self.sink.deliver(events);
        }
    }

    /// The end of the run, once; false where it ended before. A stop of this side wins over what the process says.
    pub(crate) fn end(&self, mut events: Vec<Event>, mut end: End) -> bool {
        if self.ended.swap(true, Ordering::SeqCst) {
            return false;
        }
        if let Some(failure) = self.stop_failure() {
            end.outcome = Err(failure);
        }
        end.wall_ms = self.started.elapsed().as_secs_f64() * 1e3;
        end.cpu_ms = end.cpu_ms.min(end.wall_ms);
        events.push(Event::End(Box::new(end)));
        self.sink.deliver(events);
        true
    }

    /// The end of a run whose process does not tell one.
    pub(crate) fn fail(&self, failure: Failure, tool_calls: u32) -> bool {
        let end = End {
            outcome: Err(failure),
            tool_calls,
            cpu_ms: 0.0,
            wall_ms: 0.0,
            peak_memory_bytes: 0,
            unhandled: Vec::new(),
            notes: Vec::new(),
            journal: Vec::new(),
        };
        self.end(Vec::new(), end)
    }
}
