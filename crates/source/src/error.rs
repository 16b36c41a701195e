//! What `prepare` answers when the text cannot be run.

use std::fmt;

/// Why a text is no program. Made before anything of it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceError {
    /// One sentence, without an error name in front.
    pub message: String,
    /// 1-based line in the model's own text; lines end with `\n` or `\r\n`.
    pub line: u32,
    /// 1-based column in that line, in UTF-16 code units.
    pub column: u32,
    /// What to write instead, when that can be told.
    pub hint: Option<String>,
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}:{})", self.message, self.line, self.column)?;
        match &self.hint {
            Some(hint) => write!(f, ". {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SourceError {}

/// A failure at a byte offset of the source, before it has a line and a column.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) at: u32,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Fault {
    pub(crate) fn new(at: u32, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn into_error(self, source: &str) -> SourceError {
        let (line, column) = crate::positions::locate(source, self.at as usize);
        SourceError {
            message: self.message,
            line,
            column,
            hint: self.hint,
        }
    }
}
