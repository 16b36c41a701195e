//! What a run in a process is made of.

use codemode_catalog::ToolName;
use codemode_engine::{Features, Limits, Sink};
use std::fmt;
use std::sync::Arc;

/// The names of an instance's tools, encoded once.
#[derive(Debug)]
pub struct ToolNames {
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "nothing is sent")
    )]
    pub(crate) encoded: Vec<u8>,
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "nothing is sent")
    )]
    pub(crate) count: u32,
}

impl ToolNames {
    /// In the order that gives each tool its index.
    pub fn new(names: &[ToolName]) -> Self {
        Self {
            encoded: codemode_wire::encode_names(names),
            count: names.len() as u32,
        }
    }
}

/// Everything a run needs.
pub struct Spec {
    /// See `Limits`.
    pub limits: Limits,
    /// See `Features`.
    pub features: Features,
    /// See `ToolNames`.
    pub names: Arc<ToolNames>,
    /// The model's text, as it is.
    pub code: String,
    /// See `Sink`. Called on the pool's thread, or on that of `RunHandle::poll`.
    pub sink: Arc<dyn Sink>,
}

/// Process isolation cannot be had here, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable(pub String);

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unavailable {}
