//! The engine's C API behind types that cannot be misused from the rest of the crate: the only folder with `unsafe`.
//!
//! A [`Ctx`] exists only while its thread is inside the runtime (`Runtime::enter`, or a callback of the engine), so
//! every call through it is a call into a live runtime from the one thread that may use it.

pub(crate) mod compiler;
mod ctx;
mod heap;
pub(crate) mod host;
mod image;
mod lazy;
mod malloc;
mod region;
mod runtime;
pub(crate) mod slice;
mod sys;
mod tools_object;
mod value;

pub(crate) use ctx::{Ctx, Thrown};
pub(crate) use image::Image;
pub(crate) use lazy::Lazy;
pub use runtime::Features;
pub(crate) use runtime::{Attention, Entered, Job, Runtime};
pub(crate) use value::{Held, PromiseState, Value};
