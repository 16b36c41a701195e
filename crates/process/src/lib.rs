//! The host's side of process isolation.
//!
//! # Model
//! A [`Lease`] joins the pool of the process, which holds one worker (see `codemode-worker`) and, forked from it, a process
//! for each live run and a few spare ones. [`Lease::start`] gives a program to a spare process. Its events come through the
//! run's sink as those of the thread engine do, after [`conversation`](crate) checked each: ids in order, sizes within the
//! limits, JSON that is JSON. Whatever does not fit ends the run as `crashed` and its process with it.
//!
//! # Threads
//! One thread waits for all sockets, keeps time and measures memory. Replies and stops are written by whoever gives them. A
//! host that expects an answer soon can read it itself, see [`RunHandle::poll`].
//!
//! # How a run ends
//! As in the engine: why it was stopped is a cell of this side, first writer wins, and wins over what the process says. A stopped
//! process that does not end within a grace is killed. One that dies gives `crashed` with its signal, or `memory_limit` where it got no memory.

#[cfg(target_os = "linux")]
mod channel;
#[cfg(any(target_os = "linux", test))]
mod conversation;
#[cfg(target_os = "linux")]
mod crash;
#[cfg(target_os = "linux")]
mod handle;
#[cfg(target_os = "linux")]
mod pool;
#[cfg(target_os = "linux")]
mod proc_stat;
#[cfg(target_os = "linux")]
mod reactor;
#[cfg(target_os = "linux")]
mod run;
mod spec;
#[cfg(target_os = "linux")]
mod state;
#[cfg(any(target_os = "linux", test))]
mod store;
#[cfg(target_os = "linux")]
mod sys;
#[cfg(not(target_os = "linux"))]
mod unsupported;
#[cfg(target_os = "linux")]
mod watch;
#[cfg(target_os = "linux")]
mod worker;

/// Protections without which a worker is not used, whatever it says of itself.
#[cfg(target_os = "linux")]
const REQUIRED: &[&str] = &[
    "no-new-privs",
    "not-dumpable",
    "no-capabilities",
    "dies-with-parent",
    "rlimits",
    "landlock-files",
    "seccomp",
];

#[cfg(target_os = "linux")]
pub use handle::RunHandle;
#[cfg(target_os = "linux")]
pub use pool::{Lease, MAX_PROCESSES};
pub use spec::{Spec, ToolSet, Unavailable};
#[cfg(not(target_os = "linux"))]
pub use unsupported::{Lease, RunHandle};
