//! What a run needs besides the engine, the same in every isolation: the model's text as a program, and the names of
//! the tools as the guest finds them.

mod names;
mod prepare;

pub use names::{GuestNames, name};
pub use prepare::prepare;
