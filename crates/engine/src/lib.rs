//! One run of a model-written program: its realm, its limits, how it is stopped, its calls and their order.
//!
//! # Model
//! A [`Lease`] joins the pool of the process. [`Lease::start`] begins a run: a program is compiled apart and its
//! bytecode evaluated in a fresh realm that cannot make code. The guest runs until no job is left; the calls it made
//! in that turn leave as one batch of [`Event`]s through the run's [`Sink`]. Replies come back through
//! [`RunHandle::settle`] and are delivered one at a time, with all jobs drained between.
//!
//! # Threads
//! A few worker threads serve all runs. A waiting guest holds none of them: its realm is parked in the run, and any
//! worker may go on with it. A watchdog thread keeps time. Sinks are called on these threads.
//!
//! # How a run ends
//! Completed, failed, or stopped. Why it was stopped is one atomic cell of the host, first writer wins; it is never
//! read back from an exception. A stopped guest cannot catch the stop: from then on every loop, call and property
//! access throws. [`Event::End`] always comes, once, at the latest a fixed grace after the stop, even where the
//! thread does not come back.

mod ambient;
mod clock;
mod driver;
mod engine;
mod failure;
#[cfg(feature = "fault-injection")]
pub mod faults;
mod guest;
mod inline;
mod js;
mod limits;
mod memory;
mod message;
mod prelude;
mod priority;
mod programs;
mod realm;
mod result;
mod run;
mod solo;
mod spares;
mod spin;
mod stop;
mod sync;
mod watchdog;
mod worker;

pub use ambient::{Ambient, Reading, SessionValues};
pub use engine::{Lease, MAX_LIVE_RUNS, MAX_STUCK_THREADS, RunHandle};
pub use failure::stop_failure;
pub use guest::{MAX_SEARCH_RESULTS, chars, is_helper};
pub use inline::{INLINE_BUDGET, Seat};
pub use js::Features;
pub use limits::{LimitError, Limits, MAX_STACK_BYTES, MIN_MEMORY_BYTES, MIN_STACK_BYTES};
pub use message::{
    End, Event, Failure, FailureCode, Functions, Prepare, Program, Reply, RunSpec, Sink, ToolCall,
    Tools,
};
pub use solo::{Look, Solo, SoloRun, raise_alarm};
pub use spin::Spin;
pub use stop::StopReason;
