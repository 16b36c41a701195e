//! Text that cannot leave its place: string literals, member names, comments.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write;

use unicode_ident::{is_xid_continue, is_xid_start};

/// Characters that end a line somewhere or reorder what a reader sees.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// A double-quoted TypeScript string literal.
pub(crate) fn quote(s: &str) -> String {
    let mut out = String::with_capacity(s.len() + 2);
    out.push('"');
    let mut previous = ' ';
    for c in s.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // keeps a closing script tag from ending an HTML page that embeds the text
            '/' if previous == '<' => out.push_str("\\/"),
            c if is_unsafe(c) => drop(write!(out, "\\u{:04x}", c as u32)),
            c => out.push(c),
        }
        previous = c;
    }
    out.push('"');
    out
}

/// Whether `s` can stand after a dot. Characters beyond the basic plane are left out: parsers
/// disagree about those of recent Unicode versions, and a quoted name always works.
pub(crate) fn is_identifier(s: &str) -> bool {
    let start = |c: char| c == '$' || c == '_' || (c <= '\u{ffff}' && is_xid_start(c));
    let mut chars = s.chars();
    chars.next().is_some_and(start) && chars.all(is_identifier_part)
}

/// Whether `c` may follow the first character of an identifier.
pub(crate) fn is_identifier_part(c: char) -> bool {
    c == '$' || c == '_' || (c <= '\u{ffff}' && is_xid_continue(c))
}

/// A member name of an object type, quoted where it is no identifier.
pub(crate) fn member(name: &str) -> Cow<'_, str> {
    if is_identifier(name) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(quote(name))
    }
}

/// Text that may stand in a comment, on one line, cut to `max` characters.
pub(crate) fn comment(text: &str, max: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    for word in text
        .split(|c: char| c.is_whitespace() || is_unsafe(c))
        .filter(|w| !w.is_empty())
    {
        let length = word.chars().count() + usize::from(count > 0);
        if count + length > max {
            let room = max.saturating_sub(count + 2);
            if count == 0 {
                out.extend(word.chars().take(max.saturating_sub(1)));
            } else if word.chars().count() > 40 && room > 0 {
                out.push(' ');
                out.extend(word.chars().take(room));
            }
            out.push('…');
            break;
        }
        if count > 0 {
            out.push(' ');
        }
        out.push_str(word);
        count += length;
    }
    out.replace("*/", "*\\/")
}

/// As [`comment`], but where the text is too long it ends with its last sentence that fits.
pub(crate) fn short_comment(text: &str, max: usize) -> String {
    let whole = comment(text, usize::MAX);
    if whole.chars().count() <= max {
        return whole;
    }
    let mut end = None;
    let mut previous = ' ';
    for (count, (at, c)) in whole.char_indices().enumerate() {
        if count > max {
            break;
        }
        if c == ' ' && matches!(previous, '.' | '!' | '?' | ':') {
            end = Some(at);
        }
        previous = c;
    }
    match end.and_then(|end| whole.get(..end)) {
        // a lone "e.g." or "1." is no sentence
        Some(sentences) if sentences.len() >= 20 => sentences.trim_end_matches(':').to_owned(),
        _ => comment(text, max),
    }
}

/// Text in which a comment at the end of a line that was there before, letter for letter, is left out.
pub(crate) fn say_once(text: &str) -> String {
    let mut seen = HashSet::new();
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let kept = match comment_start(line) {
            Some(at) if !seen.insert(line.trim()) => line.get(..at).unwrap_or(line),
            _ => line,
        };
        out.push_str(kept);
        if kept.len() < line.len() && line.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

/// Where the comment at the end of a printed line begins, with the space before it. Literals have double quotes.
fn comment_start(line: &str) -> Option<usize> {
    // a line of a longer comment
    if line.trim_start().starts_with('*') {
        return None;
    }
    let (mut quoted, mut escaped, mut block) = (false, false, false);
    let bytes = line.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let next = bytes.get(at + 1);
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' if !block => quoted = !quoted,
            b'/' if block && at > 0 && bytes.get(at - 1) == Some(&b'*') => block = false,
            b'/' if !quoted && !block && next == Some(&b'*') => block = true,
            b'/' if !quoted && !block && next == Some(&b'/') => {
                return at.checked_sub(1).filter(|at| bytes.get(*at) == Some(&b' '));
            }
            _ => {}
        }
    }
    None
}

/// The lines of a text, each fit for a comment; empty lines at both ends are dropped.
pub(crate) fn comment_lines(text: &str, max: usize) -> Vec<String> {
    let mut left = max;
    let mut lines: Vec<String> = Vec::new();
    for line in text.split(['\n', '\r', '\u{2028}', '\u{2029}', '\u{85}']) {
        if left == 0 {
            break;
        }
        let line = comment(line, left);
        left = left.saturating_sub(line.chars().count() + 1);
        if !(line.is_empty() && lines.last().is_none_or(String::is_empty)) {
            lines.push(line);
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// At most `max` characters of `s`, the last one `…` where something was cut.
pub(crate) fn cut(s: &str, max: usize) -> Cow<'_, str> {
    if s.len() <= max || s.chars().count() <= max {
        return Cow::Borrowed(s);
    }
    Cow::Owned(s.chars().take(max.saturating_sub(1)).chain(['…']).collect())
}

/// `a-b_c` as `ABC`: the letters and digits of a name, each part capitalised.
pub(crate) fn pascal(name: &str) -> String {
    let mut out = String::new();
    for part in name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|p| !p.is_empty())
    {
        let mut chars = part.chars();
        out.extend(chars.next().into_iter().flat_map(char::to_uppercase));
        out.extend(chars);
    }
    out.retain(is_identifier_part);
    if !is_identifier(&out) {
        out.insert(0, 'T');
    }
    out
}
