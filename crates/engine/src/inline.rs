//! Turns on the host's own thread. Most turns of a guest take a few microseconds, and waking another thread costs more
//! than that; so the answer to a call may start the guest's next turn right there.
//!
//! The thread is not the guest's: the turn is left after a budget, by the clock at every look of the engine, and
//! before a large block of memory is filled. The watchdog asks for such a look where a long operation makes none.

use crate::driver::{self, Turn};
use crate::engine::Engine;
use crate::failure;
use crate::js::compiler::Compiler;
use crate::js::slice::{self, Slice, Stack};
use crate::message::{End, Event, Reply};
use crate::realm::Realm;
use crate::run::{Fresh, Parked, Run, Task};
use crate::sync::lock;
use crate::worker::{self, Slot};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long a turn may stay on the host's thread.
pub const INLINE_BUDGET: Duration = Duration::from_micros(200);
/// A turn that took longer is followed by one on a worker.
const SHORT_TURN: Duration = Duration::from_micros(150);
/// A run that was left this often in the middle of a turn stays with the workers.
const MAX_LEAVES: u8 = 4;
/// Limits of what is parsed, collected and copied without a look: more is a worker's job.
const MAX_REPLIES: usize = 32;
const MAX_REPLY_BYTES: usize = 32 << 10;
const MAX_HEAP_BYTES: usize = 2 << 20;
/// Compilers kept for the threads of hosts.
const KEPT_COMPILERS: usize = 2;

/// What is known of the length of a guest's turns.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pace {
    last: Duration,
    heap: usize,
    leaves: u8,
}

impl Pace {
    /// After a turn that took this long and left the heap this large.
    pub(crate) fn after(self, turn: Duration, heap: usize) -> Self {
        Self {
            last: turn,
            heap,
            ..self
        }
    }

    fn left(self) -> Self {
        Self {
            leaves: self.leaves.saturating_add(1),
            ..self
        }
    }

    pub(crate) fn allows_inline(&self) -> bool {
        self.last <= SHORT_TURN && self.heap <= MAX_HEAP_BYTES && self.leaves < MAX_LEAVES
    }
}

pub(crate) fn is_small(replies: &[Reply]) -> bool {
    let size = |reply: &Reply| match &reply.outcome {
        Ok(json) | Err(json) => json.len(),
    };
    replies.len() <= MAX_REPLIES && replies.iter().map(size).sum::<usize>() <= MAX_REPLY_BYTES
}

/// Compiles a short program and makes its first turn on the calling thread, or the beginning of one.
pub(crate) fn begin(engine: &Arc<Engine>, run: &Arc<Run>, fresh: Box<Fresh>, seat: &Seat) {
    let compiled = catch_unwind(AssertUnwindSafe(|| {
        let fresh = match driver::recall(run, fresh, engine.programs()) {
            Ok(compiled) => return Ok(compiled),
            Err(fresh) => fresh,
        };
        let Some(mut compiler) = engine.compilers().take() else {
            return Err(worker::no_memory());
        };
        let _span = tracing::debug_span!("compile", run = run.id).entered();
        let compiled = driver::compile(run, *fresh, &mut compiler, engine.programs());
        engine.compilers().put(compiler);
        compiled
    }));
    let compiled = match compiled {
        Ok(Ok(compiled)) => Box::new(compiled),
        Ok(Err(failure)) => {
            return over(run, None, Vec::new(), driver::plain_end(run, Err(failure)));
        }
        Err(_) => return fault(run),
    };
    let realm = engine.spares().take(run.features);
    let (Some(realm), Some(stack)) = (realm.or_else(|| Realm::new(run.features)), Stack::take())
    else {
        return run.hand_over(Task::Compiled(compiled));
    };
    seated(engine, run, seat, || {
        let own = run.clone();
        let until = Instant::now() + INLINE_BUDGET;
        let mut realm = realm;
        slice::run(stack, move |hatch| {
            realm.open_exit(hatch, until);
            close_exit(driver::start(&own, *compiled, realm))
        })
    });
}

/// Makes a turn on the calling thread, or the beginning of one.
pub(crate) fn turn(engine: &Arc<Engine>, run: &Arc<Run>, parked: Box<Parked>, seat: &Seat) {
    let Some(stack) = Stack::take() else {
        return run.hand_over(Task::Parked(parked));
    };
    seated(engine, run, seat, || {
        let own = run.clone();
        let replies = run.take_replies();
        let until = Instant::now() + INLINE_BUDGET;
        let mut parked = parked;
        slice::run(stack, move |hatch| {
            parked.realm.open_exit(hatch, until);
            close_exit(driver::resume(&own, parked, replies))
        })
    });
}

fn seated(engine: &Arc<Engine>, run: &Arc<Run>, seat: &Seat, body: impl FnOnce() -> Slice<Turn>) {
    seat.slot.take_seat(run);
    engine.watchdog().stay_awake(engine);
    let made = catch_unwind(AssertUnwindSafe(body));
    seat.slot.leave_seat();
    match made {
        Ok(Slice::Done(Turn::Over(realm, events, end))) => over(run, realm, events, end),
        Ok(Slice::Done(Turn::Waiting(parked, events))) => {
            if !events.is_empty() {
                run.emit(events);
            }
            if let Some(parked) = run.park(parked) {
                run.hand_over(Task::Parked(parked));
            }
        }
        Ok(Slice::Left(suspended)) => run.hand_over(Task::Suspended(suspended)),
        Err(_) => fault(run),
    }
}

fn over(run: &Run, realm: Option<Realm>, events: Vec<Event>, end: End) {
    run.set_attention(None);
    run.finish(events, end);
    drop(realm);
}

fn fault(run: &Run) {
    over(
        run,
        None,
        Vec::new(),
        driver::plain_end(run, Err(failure::fault())),
    );
}

fn close_exit(mut turn: Turn) -> Turn {
    match &mut turn {
        Turn::Waiting(parked, _) => {
            if !parked.realm.close_exit() {
                parked.pace = parked.pace.left();
            }
        }
        Turn::Over(Some(realm), ..) => {
            realm.close_exit();
        }
        Turn::Over(None, ..) => {}
    }
    turn
}

/// Compilers for the threads of hosts; a worker has its own.
#[derive(Default)]
pub(crate) struct Compilers(Mutex<Vec<Compiler>>);

impl Compilers {
    /// `None` where memory is short.
    fn take(&self) -> Option<Compiler> {
        let kept = lock(&self.0).pop();
        kept.filter(|compiler| !compiler.is_worn())
            .or_else(Compiler::new)
    }

    fn put(&self, compiler: Compiler) {
        let mut kept = lock(&self.0);
        if kept.len() < KEPT_COMPILERS {
            kept.push(compiler);
        }
    }

    pub(crate) fn clear(&self) {
        let compilers = std::mem::take(&mut *lock(&self.0));
        drop(compilers);
    }
}

/// Where a host's thread sits while it works for a guest, for the watchdog to see.
#[derive(Clone)]
pub struct Seat {
    slot: Arc<Slot>,
}

impl Seat {
    pub(crate) fn new(slot: Arc<Slot>) -> Self {
        Self { slot }
    }
}
