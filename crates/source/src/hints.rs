//! From the parser's complaint to a sentence that helps: where, what, and what to write instead.

use crate::{
    depth::Depth,
    error::Fault,
    fence::{self, FENCE_HINT, FENCE_MESSAGE},
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
        return Fault::new(fence, FENCE_MESSAGE).hint(FENCE_HINT);
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
    } else {
        Fault::new(complaint.at, sentence(source, complaint))
    };
    match hint(source, at.min(length), line) {
        Some(hint) => Fault {
            hint: Some(hint.to_owned()),
            ..fault
        },
        None => fault,
    }
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
    message.starts_with("`await` is only allowed").then(|| {
        let text = "`await` is only allowed in `async` functions and at the top of the program";
        Fault::new(complaint.at, text).hint("Write `async` in front of the function that holds it.")
    })
}

fn unfinished(source: &str, length: usize, complaint: &Complaint, depth: &Depth) -> Fault {
    let at = length as u32;
    if let Some(stray) = depth.stray {
        let found = source
            .get(stray as usize..)
            .and_then(|rest| rest.chars().next())
            .unwrap_or(' ');
        return Fault::new(
            stray,
            format!("this `{found}` closes nothing that is open here"),
        );
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

/// `import os` and `import numpy as np`: no quotes, no braces, no `from`.
fn is_python_import(statement: &str) -> bool {
    !statement.contains(['\'', '"', '{', '*', '`']) && !statement.contains(" from ")
}

const PYTHON: &str = "This looks like Python. Write the body of an async JavaScript function.";
const SHELL: &str =
    "This looks like a shell command. Write the body of an async JavaScript function.";
const PROSE: &str = "This looks like prose. Send the program alone, without text around it.";

fn hint(source: &str, at: usize, line: &str) -> Option<&'static str> {
    if is_python(source, line) {
        return Some(PYTHON);
    }
    if is_shell(source) {
        return Some(SHELL);
    }
    if source.get(..at).is_some_and(ends_with_await) {
        return Some(
            "`await` works at the top of the program and in `async` functions: mark the function `async`.",
        );
    }
    if source.trim_start().starts_with('{') && source.trim_end().ends_with('}') {
        return Some("An object needs `return` in front, or parentheses around it.");
    }
    is_prose(line).then_some(PROSE)
}

fn ends_with_await(before: &str) -> bool {
    let before = before.trim_end();
    before.strip_suffix("await").is_some_and(|rest| {
        !rest.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$'))
    })
}

fn is_python(source: &str, line: &str) -> bool {
    let opens_block = |line: &str| {
        let line = line.trim();
        line.ends_with(':')
            && [
                "def ",
                "class ",
                "if ",
                "elif ",
                "for ",
                "while ",
                "with ",
                "async def ",
            ]
            .iter()
            .any(|word| line.starts_with(word))
            || matches!(line, "try:" | "else:" | "finally:")
            || line.starts_with("except")
    };
    let from_import =
        |line: &str| line.trim_start().starts_with("from ") && line.contains(" import ");
    let plain_import =
        |line: &str| line.trim_start().starts_with("import ") && is_python_import(line);
    let is_line = |line: &str| opens_block(line) || from_import(line) || plain_import(line);
    let comment = |line: &str| line.trim_start().starts_with("# ");
    is_line(line)
        || comment(line)
        || line.contains("print(f")
        || line.contains(" None")
        || source.lines().take(40).any(is_line)
}

fn is_shell(source: &str) -> bool {
    const COMMANDS: [&str; 12] = [
        "curl", "npm", "npx", "cd", "ls", "echo", "cat", "git", "python", "pip", "node", "sudo",
    ];
    let first = source.trim_start().lines().next().unwrap_or_default();
    let first = first.trim_start_matches("$ ");
    let mut words = first.split_whitespace();
    let command = words.next().unwrap_or_default();
    COMMANDS.contains(&command)
        && words
            .next()
            .is_some_and(|next| !next.starts_with(['=', '(', '.']))
}

/// Four words in a row with nothing but spaces between them, in a line without a sign of code.
fn is_prose(line: &str) -> bool {
    if line.contains(['=', '(', ')', '{', '}', '[', ']', ';']) {
        return false;
    }
    let mut run = 0;
    for word in line.split_whitespace() {
        let word = word
            .trim_end_matches([',', '.', ':', ';', '!', '?'])
            .trim_start_matches(['#', '*']);
        let plain = !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-'));
        run = if plain { run + 1 } else { 0 };
        if run >= 4 {
            return true;
        }
    }
    false
}
