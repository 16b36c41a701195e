//! Spaces and comments between tokens.

/// The first offset at or after `from` that is neither space nor comment; `end` at most.
pub(crate) fn skip(text: &str, from: u32, end: u32) -> u32 {
    let end = (end as usize).min(text.len());
    let mut at = from as usize;
    loop {
        let Some(rest) = text.get(at..end) else {
            return end as u32;
        };
        let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        at += rest.len() - trimmed.len();
        let length = if trimmed.starts_with("//") {
            trimmed.find(['\n', '\r', '\u{2028}', '\u{2029}'])
        } else if trimmed.starts_with("/*") {
            trimmed.find("*/").map(|close| close + 2)
        } else {
            return at as u32;
        };
        match length {
            Some(length) => at += length,
            None => return end as u32,
        }
    }
}

/// The words (letters, digits, `_`, `$`, `#`) from `from` on, as byte ranges, up to the first other token.
pub(crate) fn words(text: &str, from: u32, end: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
    let mut at = from;
    std::iter::from_fn(move || {
        let start = skip(text, at, end);
        let rest = text.get(start as usize..end as usize)?;
        let length = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '#')))
            .unwrap_or(rest.len()) as u32;
        at = start + length;
        (length > 0).then_some((start, at))
    })
}

/// The offset of one word among the words and spaces from `from` on.
pub(crate) fn find_word(text: &str, from: u32, end: u32, word: &str) -> Option<u32> {
    words(text, from, end)
        .find(|(start, stop)| text.get(*start as usize..*stop as usize) == Some(word))
        .map(|(start, _)| start)
}
