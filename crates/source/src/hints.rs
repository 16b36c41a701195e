//! From the parser's complaint to a sentence that helps: where, what, and what to write instead.

use crate::{
    depth::Depth,
    error::Fault,
    fence::{self, FENCE_HINT, FENCE_MESSAGE},
    foreign::{self, is_python_import},
    parse::Complaint,
    strip_module::{IMPORT_HINT, IMPORT_MESSAGE},
};

const SMART_QUOTES: [char; 8] = ['“', '”', '„', '‘', '’', '‚', '«', '»'];

/// Makes the complaint about a source into a fault. The complaint's offset counts in the source.
pub(crate) fn explain(source: &str, complaint: &Complaint, depth: &Depth) -> Fault {
    let length = source.trim_end().len();
    let at = complaint.at as usize;
    let line = line_at(source, at.min(length));
    if let Some(fence) = fence::first_line(source) {
        let before = source.get(..fence as usize).unwrap_or_default();
        let message = if foreign::is_prose(
            before
                .lines()
                .find(|one| !one.trim().is_empty())
                .unwrap_or_default(),
        ) {
            "prose stands in front of the Markdown code fence"
        } else {
            FENCE_MESSAGE
        };
        return Fault::new(fence, message).hint(FENCE_HINT);
    }
    if let Some(quote) = smart_quote(source, at) {
        let message = "typographic quotes are no JavaScript";
        return Fault::new(quote, message).hint("Use plain quotes: \", ' or `.");
    }
    if let Some(fault) = import(source, line).or_else(|| named(complaint)) {
        return fault;
    }
    let fault = if at >= length {
        unfinished(source, length, complaint, depth)
    } else if depth.stray == Some(complaint.at) {
        stray(source, complaint.at)
    } else {
        Fault::new(complaint.at, sentence(source, complaint))
    };
    if let Some((message, hint)) = foreign::recognise(source, at.min(length), line) {
        let begins = source
            .get(..at.min(length))
            .is_some_and(|before| !before.trim_end().contains('\n'));
        return match message {
            Some(message) if begins => Fault::new(complaint.at, message).hint(hint),
            _ => fault.hint(hint),
        };
    }
    match hint(source, at.min(length)) {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

fn stray(source: &str, at: u32) -> Fault {
    let rest = source.get(at as usize..).unwrap_or_default();
    let found = rest.chars().next().unwrap_or(' ');
    let message = format!("this `{found}` closes nothing that is open here");
    Fault::new(at, message).hint("Remove it, or write what it should close.")
}

/// The line of an offset, without the line end.
fn line_at(source: &str, at: usize) -> &str {
    let mut at = at;
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    let start = source
        .get(..at)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |found| found + 1);
    source
        .get(start..)
        .unwrap_or_default()
        .lines()
        .next()
        .unwrap_or_default()
}

/// The parser's words, with the token it stumbled over where that tells more.
fn sentence(source: &str, complaint: &Complaint) -> String {
    let message = complaint.message.trim_end_matches('.');
    let start = complaint.at as usize;
    let rest = source.get(start..).unwrap_or_default();
    let length = complaint.length.min(40) as usize;
    let found = rest.get(..length.min(rest.len())).unwrap_or_default();
    match message {
        "Unexpected token" if !found.is_empty() && !found.contains('\n') => {
            format!("{message} `{found}`")
        }
        "Unterminated string" if found.starts_with('`') => "Unterminated template".to_owned(),
        _ if message.starts_with("Invalid Character") => {
            let odd = source
                .get(start..)
                .and_then(|rest| rest.chars().next())
                .unwrap_or(' ');
            format!("Invalid character U+{:04X}", u32::from(odd))
        }
        _ => message.to_owned(),
    }
}

/// Complaints whose words need to be ours.
fn named(complaint: &Complaint) -> Option<Fault> {
    let message = complaint.message.as_str();
    if message.contains("import.meta") {
        let text = "`import.meta` is not available here: a program has no modules";
        return Some(Fault::new(complaint.at, text).hint(IMPORT_HINT));
    }
    let is_await = message.starts_with("`await` is only allowed")
        || message.starts_with("`for await` loops are only");
    is_await.then(|| {
        let text = "`await` is only allowed in `async` functions and at the top of the program";
        Fault::new(complaint.at, text).hint("Write `async` in front of the function that holds it.")
    })
}

fn unfinished(source: &str, length: usize, complaint: &Complaint, depth: &Depth) -> Fault {
    let at = length as u32;
    if let Some(stray) = depth.stray {
        return self::stray(source, stray);
    }
    if let Some((opener, start)) = depth.open {
        let (line, _) = crate::positions::locate(source, start as usize);
        let what = format!("the `{opener}` of line {line} is never closed");
        return Fault::new(at, format!("the program ends too early: {what}"));
    }
    let message = complaint.message.trim_end_matches('.');
    Fault::new(at, format!("the program ends too early: {message}"))
}

fn smart_quote(source: &str, at: usize) -> Option<u32> {
    let rest = source.get(at..)?;
    let here = rest.chars().take(2).position(|c| SMART_QUOTES.contains(&c));
    here.map(|skip| {
        let lead: usize = rest.chars().take(skip).map(char::len_utf8).sum();
        (at + lead) as u32
    })
}

fn import(source: &str, line: &str) -> Option<Fault> {
    let statement = line.trim_start();
    let rest = statement.strip_prefix("import")?;
    if !rest.starts_with([' ', '{', '*', '\'', '"']) || is_python_import(statement) {
        return None;
    }
    let at = (line.as_ptr() as usize).wrapping_sub(source.as_ptr() as usize);
    let lead = line.len() - statement.len();
    Some(Fault::new((at + lead) as u32, IMPORT_MESSAGE).hint(IMPORT_HINT))
}

fn hint(source: &str, at: usize) -> Option<&'static str> {
    let before = source.get(..at).unwrap_or_default();
    if ends_with_await(before) {
        return Some(
            "`await` works at the top of the program and in `async` functions: mark the function `async`.",
        );
    }
    let here = source.get(at..).unwrap_or_default();
    if before.trim_end().ends_with("...")
        || here.starts_with(['…'])
        || (here.starts_with("...") && !here.starts_with("...."))
    {
        return Some("`...` stands for code that was left out: write the whole program.");
    }
    let whole = source.trim();
    if whole.starts_with('{') && whole.ends_with('}') {
        let inner = whole.trim_start_matches('{').trim_start();
        return Some(if inner.starts_with("\"code\"") {
            "Send the program itself, not JSON around it."
        } else {
            "An object needs `return` in front, or parentheses around it."
        });
    }
    None
}

fn ends_with_await(before: &str) -> bool {
    let before = before.trim_end();
    before.strip_suffix("await").is_some_and(|rest| {
        !rest.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$'))
    })
}
