//! Inputs on which this parser and the engine's could see different programs.

use oxc_ast::ast::Comment;
use oxc_span::Span;

use crate::error::Fault;

const MARKS: [&str; 5] = ["<!--", "-->", "\u{2028}", "\u{2029}", "\u{200b}"];

/// Whether a text holds any mark that needs a look; only then literals are collected.
pub(crate) fn is_needed(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

/// Refuses HTML-like comments, and line separators outside strings and templates. Offsets count in `text`.
pub(crate) fn examine(text: &str, comments: &[Comment], literals: &[Span]) -> Result<(), Fault> {
    let in_literal = |at: u32| {
        literals
            .iter()
            .any(|span| span.start <= at && at < span.end)
    };
    let comment_at = |at: u32| {
        comments
            .iter()
            .find(|one| one.span.start <= at && at < one.span.end)
    };
    for mark in MARKS {
        for (at, _) in text.match_indices(mark) {
            let offset = at as u32;
            if in_literal(offset) {
                continue;
            }
            if mark == "\u{200b}" && comment_at(offset).is_none() {
                let message = "an invisible character (U+200B) stands outside a string";
                return Err(Fault::new(offset, message).hint("Remove it, or write a space."));
            }
            if mark == "\u{200b}" {
                continue;
            }
            if mark.len() == 3 && !mark.is_ascii() {
                let message = "a Unicode line separator (U+2028 or U+2029) stands outside a string";
                return Err(Fault::new(offset, message).hint("Use a normal line end."));
            }
            let opens = comment_at(offset).is_some_and(|one| one.span.start == offset);
            let plain = comment_at(offset).is_none() && (mark == "<!--" || begins_line(text, at));
            if opens || plain {
                let message = "an HTML-like comment is not allowed here";
                return Err(Fault::new(offset, message).hint("Use `//` for comments."));
            }
        }
    }
    Ok(())
}

/// Whether nothing but spaces and comments stands before `at` on its line.
fn begins_line(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.trim().is_empty() || line.contains("*/")
}
