//! From the text as it arrived to the text that is parsed: same length, same lines.

use std::borrow::Cow;

use crate::{error::Fault, fence};

/// The model's text without a byte order mark.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Blanks one outer code fence and a `#!` line, and makes lone carriage returns line feeds, as the language reads them.
pub(crate) fn read(source: &str) -> Result<Cow<'_, str>, Fault> {
    let mut text = Cow::Borrowed(source);
    if has_lone_return(source) {
        text = Cow::Owned(lone_returns_to_feeds(source));
    }
    if let Some(fence) = fence::find(&text)? {
        let mut owned = text.into_owned();
        for (start, end) in fence {
            owned = blank(&owned, start, end);
        }
        text = Cow::Owned(owned);
    }
    let lead = text.len() - text.trim_start().len();
    if text.get(lead..).is_some_and(|rest| rest.starts_with("#!")) {
        let end = text
            .get(lead..)
            .and_then(|rest| rest.find('\n'))
            .map_or(text.len(), |n| n + lead);
        text = Cow::Owned(blank(&text, lead, end));
    }
    Ok(text)
}

fn has_lone_return(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.contains(&b'\r')
        && bytes
            .iter()
            .enumerate()
            .any(|(at, byte)| *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
}

fn lone_returns_to_feeds(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(found) = rest.next() {
        let lone = found == '\r' && rest.peek() != Some(&'\n');
        out.push(if lone { '\n' } else { found });
    }
    out
}

fn blank(text: &str, start: usize, end: usize) -> String {
    let spaces = |part: &str| -> String {
        part.bytes()
            .map(|byte| {
                if matches!(byte, b'\n' | b'\r') {
                    byte as char
                } else {
                    ' '
                }
            })
            .collect()
    };
    let part = |range| text.get(range).unwrap_or_default();
    let before = text.get(..start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    [before, &spaces(part(start..end)), after].concat()
}
