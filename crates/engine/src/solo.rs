//! One run on the calling thread, without a pool and without a watchdog: for a process that holds one guest and
//! nothing else. Time is kept by whoever made the process; it reaches the guest by a signal.

use crate::Features;
use crate::driver::{self, Turn};
use crate::engine::Engine;
use crate::failure;
use crate::js::Attention;
use crate::js::compiler::Compiler;
use crate::message::{Reply, RunSpec};
use crate::programs::Programs;
use crate::realm::Realm;
use crate::run::{Parked, Run, Task};
use crate::stop::StopReason;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering};

/// Asked after `raise_alarm`, from inside the guest: has somebody stopped the run?
pub type Look = Box<dyn Fn() -> Option<(StopReason, Option<String>)> + Send + Sync>;

/// The attention flag of the runtime at work, null between turns.
static FLAG: AtomicPtr<AtomicI32> = AtomicPtr::new(ptr::null_mut());
static ALARM: AtomicBool = AtomicBool::new(false);

/// Makes the guest of this process call its `Look`, and look at its CPU clock, soon. Safe inside a signal handler of
/// the thread that runs the guest.
pub fn raise_alarm() {
    ALARM.store(true, Ordering::SeqCst);
    Attention::raise_at(FLAG.load(Ordering::SeqCst));
}

pub(crate) fn take_alarm() -> bool {
    ALARM.swap(false, Ordering::SeqCst)
}

/// From here on alarms raise this flag, or none.
pub(crate) fn publish(attention: Option<Attention>) {
    let flag = attention.map_or(ptr::null_mut(), Attention::address);
    FLAG.store(flag, Ordering::SeqCst);
    // An alarm that came between two flags is not lost.
    if ALARM.load(Ordering::SeqCst) {
        Attention::raise_at(flag);
    }
}

/// A realm and a compiler, ready for one run. Made before a process forks, used after.
pub struct Solo {
    features: Features,
    realm: Realm,
    compiler: Compiler,
}

/// A run that began.
pub struct SoloRun {
    run: Arc<Run>,
    parked: Option<Box<Parked>>,
}

impl Solo {
    /// `None` where memory is short.
    pub fn new(features: Features) -> Option<Self> {
        // Reads how many cores there are, which a locked-down process cannot.
        let _ = Engine::global();
        Some(Self {
            features,
            realm: Realm::new(features)?,
            compiler: Compiler::new()?,
        })
    }

    /// What the realm was made with; a run gets these features whatever its spec says.
    pub fn features(&self) -> Features {
        self.features
    }

    /// Runs the program up to its first wait or its end. Events go to the sink on this thread.
    pub fn begin(mut self, mut spec: RunSpec, look: Look) -> SoloRun {
        spec.features = self.features;
        let run = Run::with_look(1, spec, Engine::global().clone(), Some(look));
        let mut solo = SoloRun { run, parked: None };
        let Some(Task::Fresh(fresh)) = solo.run.take_task() else {
            return solo;
        };
        let run = solo.run.clone();
        solo.turn(|| {
            match driver::compile(&run, *fresh, &mut self.compiler, &Programs::default()) {
                Ok(compiled) => driver::start(&run, compiled, self.realm),
                Err(failure) => driver::unstarted(&run, failure),
            }
        });
        solo
    }
}

impl SoloRun {
    /// True while the guest waits for replies.
    pub fn is_waiting(&self) -> bool {
        self.parked.is_some()
    }

    /// Delivers replies and runs up to the next wait or the end.
    pub fn resume(&mut self, replies: Vec<Reply>) {
        if let Some(parked) = self.parked.take() {
            let run = self.run.clone();
            self.turn(|| driver::resume(&run, parked, replies));
        }
    }

    /// Ends a waiting run.
    pub fn stop(&mut self, reason: StopReason, message: Option<String>) {
        self.run.stop.set(reason, message);
        self.resume(Vec::new());
    }

    fn turn(&mut self, turn: impl FnOnce() -> Turn) {
        match catch_unwind(AssertUnwindSafe(turn)) {
            Ok(Turn::Waiting(parked, events)) => {
                if !events.is_empty() {
                    self.run.emit(events);
                }
                self.parked = Some(parked);
            }
            Ok(Turn::Over(realm, events, end)) => {
                self.run.set_attention(None);
                self.run.finish(events, end);
                drop(realm);
            }
            Err(_) => {
                self.run.set_attention(None);
                let end = driver::plain_end(&self.run, Err(failure::fault()));
                self.run.finish(Vec::new(), end);
            }
        }
    }
}
