//! The napi binding: conversions between Node and the crates below, no policy and no engine calls.
//!
//! # Threads
//! Methods of [`code_mode::NativeCodeMode`] run on the JavaScript thread that made the instance, and never block: they
//! take short locks only. Events of runs arrive on worker threads; [`hub::Hub`] queues them and wakes the JavaScript
//! thread once for all that are queued.
//!
//! # What crosses
//! JSON text, small integers and flat lists. No JavaScript value is held across threads.

#![expect(clippy::needless_pass_by_value, reason = "napi gives owned arguments")]

mod check;
mod code_mode;
mod fault;
mod hub;
mod instance;
mod isolation;
mod options;
mod replies;
mod reports;
mod sink;
mod source;
mod strings;
mod trace;

use napi_derive::napi;

/// Version of the addon.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
