//! From the engine's line and column back to the model's.

use crate::patch::Insertions;

/// 1-based line and column (UTF-16 code units) of a byte offset. Only `\n` ends a line, `\r\n` included.
pub(crate) fn locate(text: &str, offset: usize) -> (u32, u32) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = text.get(..end).unwrap_or_default();
    let line = before.bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before
        .get(start..)
        .unwrap_or_default()
        .encode_utf16()
        .count() as u32
        + 1;
    (line, column)
}

/// Byte offset of a 1-based line and a 1-based column in bytes, kept inside the text and the line.
fn offset_of(text: &str, line: u32, column: u32) -> usize {
    let mut start = 0;
    for _ in 1..line {
        match text.get(start..).and_then(|rest| rest.find('\n')) {
            Some(at) => start += at + 1,
            None => return text.len(),
        }
    }
    let rest = text.get(start..).unwrap_or_default();
    let width = rest.find('\n').unwrap_or(rest.len());
    start + (column.saturating_sub(1) as usize).min(width)
}

/// Finds the model's own line and column for a place in the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Positions {
    /// The model's text without a byte order mark.
    source: Box<str>,
    /// The edits made, the last step first.
    steps: Vec<Insertions>,
}

impl Positions {
    pub(crate) fn new(source: &str, steps: Vec<Insertions>) -> Self {
        Self {
            source: source.into(),
            steps,
        }
    }

    /// The model's text as the positions count it: without a byte order mark.
    pub fn source(&self) -> &str {
        &self.source
    }

    pub(crate) fn original(&self, program: &str, line: u32, column: u32) -> (u32, u32) {
        let mut at = offset_of(program, line, column) as u32;
        for step in &self.steps {
            at = step.origin(at);
        }
        locate(&self.source, at as usize)
    }
}
