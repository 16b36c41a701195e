//! Texts that are no JavaScript at all: Python, shell commands, prose.

const PYTHON: &str = "This looks like Python. Write the body of an async JavaScript function.";
const SHELL: &str =
    "This looks like a shell command. Write the body of an async JavaScript function.";
const PROSE: &str = "This looks like prose. Send the program alone, without text around it.";

/// What a text seems to be instead of a program: the sentence that takes the place of the parser's, and the hint.
pub(crate) fn recognise(
    source: &str,
    at: usize,
    line: &str,
) -> Option<(Option<&'static str>, &'static str)> {
    if is_python(source, at, line) {
        return Some((None, PYTHON));
    }
    if is_shell(source) {
        return Some((Some("a shell command is no program"), SHELL));
    }
    is_prose(line).then_some((Some("the text begins with prose, not with code"), PROSE))
}

/// `import os` and `import numpy as np`: no quotes, no braces, no `from`.
pub(crate) fn is_python_import(statement: &str) -> bool {
    !statement.contains(['\'', '"', '{', '*', '`']) && !statement.contains(" from ")
}

fn is_python(source: &str, at: usize, line: &str) -> bool {
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
        || is_python_expression(source, at, line)
        || source.lines().take(40).any(is_line)
}

/// What the parser stumbles over inside a line of Python.
fn is_python_expression(source: &str, at: usize, line: &str) -> bool {
    let here = source.get(at..).unwrap_or_default().trim_start();
    let before = source.get(..at).unwrap_or_default().trim_end();
    let word = |word: &str| {
        here.strip_prefix(word)
            .is_some_and(|rest| rest.starts_with([' ', '\n']))
    };
    // `[f(x) for x in list]`, `a if b else c`, `a and b`, `a not in b`
    (word("for") && line.contains(" in ") && line.contains(['[', '(', '{']))
        || (word("if") && line.contains(" else ") && !before.ends_with([';', '}', '{', ')']))
        || ["and", "or", "is", "not"].iter().any(|one| word(one))
        || (["not", "elif", "lambda"].iter())
            .any(|one| before.ends_with(one) && line.trim_start().contains(one))
        // `f"..."` and triple quotes
        || (here.starts_with(['"', '\'']) && before.ends_with(['f', 'r', 'b']))
        || line.contains("\"\"\"")
}

fn is_shell(source: &str) -> bool {
    const COMMANDS: [&str; 12] = [
        "curl", "npm", "npx", "cd", "ls", "echo", "cat", "git", "python", "pip", "node", "sudo",
    ];
    let first = source.trim_start().lines().next().unwrap_or_default();
    let first = first.trim_start_matches("$ ");
    let mut words = first.split_whitespace();
    let command = words.next().unwrap_or_default();
    let next = first.split_whitespace().nth(1).unwrap_or_default();
    if command == "export" && next.contains('=') && !next.starts_with('=') {
        return !["const", "let", "var"].contains(&next);
    }
    if command == "for" && first.contains("; do") {
        return true;
    }
    COMMANDS.contains(&command)
        && words
            .next()
            .is_some_and(|next| !next.starts_with(['=', '(', '.']))
}

/// Four words in a row with nothing but spaces between them, or three that end as a sentence, in a line without a sign of code.
pub(crate) fn is_prose(line: &str) -> bool {
    if line.contains(['=', '(', ')', '{', '}', '[', ']', ';']) {
        return false;
    }
    let ends = line.trim_end().ends_with(['.', ':', '!', '?']);
    let enough = if ends { 3 } else { 4 };
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
        if run >= enough {
            return true;
        }
    }
    false
}
