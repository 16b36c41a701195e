//! What a run in a process is made of.

use codemode_catalog::Catalog;
use codemode_engine::{Features, Limits, SessionValues, Sink};
use codemode_program::{Dialect, Listing};
use codemode_wire::Query;
use std::fmt;
use std::sync::Arc;

/// The tools of an instance: what a run's process is told at once, and what it may ask.
pub struct ToolSet {
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "nothing is sent")
    )]
    pub(crate) encoded: Vec<u8>,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) dialect: Dialect,
}

impl ToolSet {
    /// With names as the dialect has them.
    pub fn new(catalog: Arc<Catalog>, dialect: Dialect) -> Self {
        Self {
            encoded: codemode_wire::encode_tools(dialect, catalog.names()),
            catalog,
            dialect,
        }
    }

    pub(crate) fn answer(&self, query: &Query) -> String {
        let catalog = &self.catalog;
        let answer = match query {
            Query::All => catalog.all(self.dialect == Dialect::Codex),
            Query::Search { text, limit } => catalog.search(text, *limit),
            Query::Describe { tool } => catalog.describe(*tool),
        };
        answer.unwrap_or_else(|_| "null".into())
    }
}

/// Everything a run needs.
pub struct Spec {
    /// See `Limits`.
    pub limits: Limits,
    /// See `Features`.
    pub features: Features,
    /// See `ToolSet`.
    pub tools: Arc<ToolSet>,
    /// Of a program of a session.
    pub session: Option<SessionValues>,
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
