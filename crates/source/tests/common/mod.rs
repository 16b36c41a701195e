//! Shared by the tests: short ways to prepare a text.
#![allow(dead_code, reason = "each test file uses its own part")]

use codemode_source::{Prepared, SourceError, prepare};

/// The prepared program, or a panic with the error.
pub(crate) fn accept(text: &str) -> Prepared {
    prepare(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

/// What stands between the wrapper's braces.
pub(crate) fn body(text: &str) -> String {
    let program = accept(text).program;
    let inner = program
        .strip_prefix("(async () => {")
        .and_then(|rest| rest.strip_suffix("\n})"));
    inner.expect("the wrapper").to_owned()
}

/// The body without the spaces that blanking left: for comparing meaning, not place.
pub(crate) fn squeezed(text: &str) -> String {
    body(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The error, or a panic with the program.
pub(crate) fn refuse(text: &str) -> SourceError {
    match prepare(text) {
        Err(error) => error,
        Ok(prepared) => panic!("{text:?} was accepted: {}", prepared.program),
    }
}
