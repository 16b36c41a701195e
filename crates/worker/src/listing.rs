//! What a guest learns of its tools: their names are here, what is told of them comes from the host.

use crate::guest::{Inbox, lock, send};
use codemode_catalog::limits::MAX_QUERY_CHARS;
use codemode_catalog::{Directory, ToolName};
use codemode_program::{Dialect, Listing};
use codemode_wire::{MAX_QUERIES, Query, encode_query};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

pub(crate) struct Remote {
    directory: Directory,
    inbox: Arc<Mutex<Inbox>>,
    asked: AtomicU32,
}

impl Remote {
    pub(crate) fn new(names: Vec<ToolName>, dialect: Dialect, inbox: Arc<Mutex<Inbox>>) -> Self {
        Self {
            directory: Directory::new(names, dialect.form()),
            inbox,
            asked: AtomicU32::new(0),
        }
    }

    /// The host looks things up at its own expense, so not without end.
    fn ask(&self, query: &Query) -> Result<String, String> {
        if self.asked.fetch_add(1, Ordering::Relaxed) >= MAX_QUERIES {
            return Err(format!(
                "a program in a process may look up tools {MAX_QUERIES} times"
            ));
        }
        let mut frame = Vec::new();
        encode_query(&mut frame, query);
        send(&frame);
        let answer = lock(&self.inbox).answer();
        answer.ok_or_else(|| {
            // The guest finds the stop at its next step.
            codemode_engine::raise_alarm();
            String::new()
        })
    }
}

impl Listing for Remote {
    fn directory(&self) -> &Directory {
        &self.directory
    }

    /// The host knows the dialect.
    fn all(&self, _identifiers: bool) -> Result<String, String> {
        self.ask(&Query::All)
    }

    fn search(&self, query: &str, limit: u32) -> Result<String, String> {
        // The catalogue reads no more.
        let text = query.chars().take(MAX_QUERY_CHARS).collect();
        self.ask(&Query::Search { text, limit })
    }

    fn describe(&self, tool: u32) -> Result<String, String> {
        self.ask(&Query::Describe { tool })
    }
}
