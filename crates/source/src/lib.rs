//! The model's text to a program the engine can compile.
//!
//! [`prepare`] accepts what models write: the body of an async function, one function or arrow, a default export, an
//! expression at the end, one Markdown fence around it all, JavaScript or TypeScript. It answers with one async arrow
//! function whose lines are the model's own, or with a [`SourceError`] that says what to write instead.
//!
//! **JavaScript first.** A text is read as JavaScript; only if that fails, or if a comparison in it can only be meant
//! as type arguments (`new Set<string>(x)`), it is read as TypeScript and its types are overwritten with spaces. What
//! comes out is read once more as JavaScript, and only if the wrapper's braces are the program's first and last does it
//! leave this crate.
//!
//! **Sloppy mode** unless `'use strict'` is the first statement of the text.

mod check;
mod depth;
mod error;
mod facts;
mod fence;
mod foreign;
mod forms;
mod guard;
mod hints;
mod inspect;
mod intake;
mod jsx;
mod literal;
mod parse;
mod patch;
mod positions;
mod prepare;
mod references;
mod strip;
mod strip_class;
mod strip_module;
mod trivia;

pub use check::{Diagnostic, Inspection, Severity, check};
pub use error::SourceError;
pub use inspect::{Arguments, ToolUse};
pub use literal::{Field, Literal, Shape};
pub use positions::Positions;
pub use prepare::{Prepared, prepare};
