//! What can be told about a text without running it.

use crate::prepare::prepare;

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

/// Checks a text: why it cannot run, or which tool calls in it nobody waits for.
pub fn check(text: &str) -> Vec<Diagnostic> {
    let prepared = match prepare(text) {
        Ok(prepared) => prepared,
        Err(error) => {
            let hint = error
                .hint
                .map(|hint| format!(". {hint}"))
                .unwrap_or_default();
            return vec![Diagnostic {
                severity: Severity::Error,
                message: format!("{}{hint}", error.message),
                line: error.line,
                column: error.column,
            }];
        }
    };
    let unawaited = prepared.tool_uses.into_iter().filter(|it| !it.awaited);
    unawaited
        .map(|it| Diagnostic {
            severity: Severity::Warning,
            message: format!(
                "the promise of tools.{} is neither awaited nor returned: write `await` in front of the call",
                it.name
            ),
            line: it.line,
            column: it.column,
        })
        .collect()
}
