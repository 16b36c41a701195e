//! What can be told about a text without running it.

use crate::{
    error::SourceError,
    inspect::ToolUse,
    positions::locate,
    prepare::{Mode, prepare_as},
};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The text cannot run.
    Error,
    /// The text runs, but hardly as meant.
    Warning,
}

/// One finding in the model's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// One sentence, the hint included.
    pub message: String,
    /// 1-based line in the model's text.
    pub line: u32,
    /// 1-based column in that line, in UTF-16 code units.
    pub column: u32,
}

/// What was found in a text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inspection {
    /// Why it cannot run (that alone), or what in it is hardly meant, in order of appearance.
    pub diagnostics: Vec<Diagnostic>,
    /// Every place that names a tool, in order of appearance.
    pub uses: Vec<ToolUse>,
    /// The program declares a `tools` of its own, so that its uses may mean something else.
    pub redeclares_tools: bool,
    source: Box<str>,
}

impl Inspection {
    /// 1-based line and column (UTF-16 code units) of an offset found in this text.
    pub fn locate(&self, at: u32) -> (u32, u32) {
        locate(&self.source, at as usize)
    }
}

/// Checks a text: why it cannot run, or which tools it calls with what, and what in it is hardly meant.
pub fn check(text: &str) -> Inspection {
    let (prepared, found) = match prepare_as(text, Mode::Inspect) {
        Ok(built) => built,
        Err(error) => return refused(error),
    };
    let source: Box<str> = prepared.positions.source().into();
    let mut remarks = found.remarks;
    remarks.sort_by_key(|(at, _)| *at);
    let diagnostics = remarks.into_iter().map(|(at, message)| {
        let (line, column) = locate(&source, at as usize);
        Diagnostic {
            severity: Severity::Warning,
            message,
            line,
            column,
        }
    });
    Inspection {
        diagnostics: diagnostics.collect(),
        uses: found.uses,
        redeclares_tools: found.redeclares_tools,
        source,
    }
}

fn refused(error: SourceError) -> Inspection {
    let SourceError {
        message,
        line,
        column,
        hint,
    } = error;
    let hint = hint.map(|hint| format!(". {hint}")).unwrap_or_default();
    Inspection {
        diagnostics: vec![Diagnostic {
            severity: Severity::Error,
            message: format!("{message}{hint}"),
            line,
            column,
        }],
        ..Inspection::default()
    }
}
