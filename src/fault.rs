//! The only place that builds errors for JavaScript.

use napi::{Error, Status};
use std::fmt::Display;

/// The caller did something wrong; TypeScript throws it as it is.
pub(crate) fn misuse(message: impl Display) -> Error {
    Error::new(Status::InvalidArg, message.to_string())
}

/// Process isolation cannot be had; TypeScript makes an `IsolationUnavailableError` of it.
pub(crate) fn unavailable(message: impl Display) -> Error {
    Error::new(Status::GenericFailure, message.to_string())
}

/// Node refused a call of ours.
pub(crate) fn node(what: &str, status: napi::sys::napi_status) -> Error {
    Error::new(Status::from(status), format!("{what} failed"))
}
