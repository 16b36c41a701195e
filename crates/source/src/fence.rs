//! The one Markdown code fence around a program.

use crate::error::Fault;

pub(crate) const FENCE_MESSAGE: &str = "a Markdown code fence is left in the program";
pub(crate) const FENCE_HINT: &str =
    "Send the code alone, without a code fence and without text around it.";

/// A line that opens or closes a fence: its mark, the length of the run, and what stands behind it.
struct Mark<'t> {
    byte: u8,
    run: usize,
    info: &'t str,
}

fn mark(line: &str) -> Option<Mark<'_>> {
    let line = line.trim();
    let byte = *line.as_bytes().first()?;
    if !matches!(byte, b'`' | b'~') {
        return None;
    }
    let run = line.bytes().take_while(|found| *found == byte).count();
    let info = line.get(run..)?;
    (run >= 3 && !info.contains(byte as char)).then_some(Mark { byte, run, info })
}

/// Whether some line of the text could be a fence.
pub(crate) fn first_line(text: &str) -> Option<u32> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if mark(line).is_some() || line.trim_start().starts_with("```") {
            return Some((at + line.len() - line.trim_start().len()) as u32);
        }
        at += line.len();
    }
    None
}

/// The byte ranges of an opening and a closing fence around the whole text.
pub(crate) fn find(text: &str) -> Result<Option<[(usize, usize); 2]>, Fault> {
    let lead = text.len() - text.trim_start().len();
    let rest = text.get(lead..).unwrap_or_default();
    if !rest.starts_with("```") && !rest.starts_with("~~~") {
        return Ok(None);
    }
    let opening_end = rest.find('\n').map_or(text.len(), |at| lead + at);
    let Some(opening) = mark(text.get(lead..opening_end).unwrap_or_default()) else {
        // Everything on one line, or an empty template as a tag, which can only fail.
        return if rest.starts_with("```") {
            Err(left_in(lead))
        } else {
            Ok(None)
        };
    };
    let body_end = text
        .trim_end_matches(|c: char| c.is_whitespace() || c == ';')
        .len();
    let closing_start = text
        .get(..body_end)
        .and_then(|t| t.rfind('\n'))
        .map_or(0, |at| at + 1);
    let closing = text.get(closing_start..body_end).and_then(mark);
    let closes = |m: &Mark<'_>| m.byte == opening.byte && m.run >= opening.run && m.info.is_empty();
    if closing_start > lead && closing.as_ref().is_some_and(closes) {
        return Ok(Some([(lead, opening_end), (closing_start, text.len())]));
    }
    // Three tildes in a row are also an operator, so they alone prove nothing.
    if opening.byte == b'~' {
        Ok(None)
    } else {
        Err(unclosed(text, lead, &opening))
    }
}

fn left_in(at: usize) -> Fault {
    Fault::new(at as u32, FENCE_MESSAGE).hint(FENCE_HINT)
}

fn unclosed(text: &str, at: usize, opening: &Mark<'_>) -> Fault {
    let closes_earlier = text
        .lines()
        .skip(1)
        .filter_map(mark)
        .any(|m| m.byte == opening.byte && m.run >= opening.run && m.info.is_empty());
    let message = if closes_earlier {
        "text follows the closing Markdown code fence"
    } else {
        "the opening Markdown code fence is never closed: the program may be cut off"
    };
    Fault::new(at as u32, message).hint(FENCE_HINT)
}
