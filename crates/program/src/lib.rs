//! What a run needs besides the engine, the same in every isolation: the model's text as a program, and the tools as
//! the guest finds them.

mod dialect;
mod prepare;
mod tools;

pub use dialect::Dialect;
pub use prepare::{prepare, within};
pub use tools::{GuestTools, Listing};
