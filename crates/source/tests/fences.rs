//! The one Markdown fence around a program, and what else may stand around the code.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod common;

use common::{accept, body, refuse};

#[test]
fn one_outer_fence_is_blanked() {
    for (open, close) in [
        ("```", "```"),
        ("```js", "```"),
        ("```typescript", "```"),
        ("``` js title=\"a\"", "```"),
        ("```JavaScript", "```;"),
        ("````ts", "````"),
        ("```js", "`````"),
        ("~~~", "~~~"),
        ("~~~js", "~~~ ;\n"),
        ("  ```js", "  ```  "),
        ("\n\n```js", "```\n\n"),
        ("```js\r", "```\r\n"),
        ("\u{feff}```js", "```"),
        ("```日本", "```"),
    ] {
        let text = format!("{open}\nreturn 6 * 7\n{close}");
        let prepared = accept(&text);
        let lines: Vec<&str> = prepared.program.lines().collect();
        let row = text
            .lines()
            .position(|line| line.starts_with("return"))
            .unwrap();
        assert_eq!(lines[row], "return 6 * 7", "{text:?}");
        assert_eq!(body(&text).trim(), "return 6 * 7", "{text:?}");
    }
}

#[test]
fn fences_that_are_not_around_the_program_are_named() {
    for text in [
        "Here is the code you asked for:\n```js\nreturn 1\n```",
        "Code:\n```js\nreturn 1\n```",
        "```js\nreturn 1\n```\nThis returns one.",
        "```js\nreturn 1\n```\nand\n```js\nreturn 2\n```",
        "```ts\nreturn 1",
        "```return 1```",
        "```js return 1```",
        "return 1\n```",
        "Sure!\n~~~js\nreturn 1\n~~~",
    ] {
        let error = refuse(text);
        assert!(error.message.contains("code fence"), "{text:?}: {error}");
        assert!(error.hint.unwrap().contains("code alone"), "{text:?}");
    }
}

#[test]
fn literals_with_fences_are_not_touched() {
    for text in [
        "const md = `\\`\\`\\`js\ncode\n\\`\\`\\``;\nreturn md",
        "return '```'",
        "// ```\nreturn 1\n// ```",
        "/*\n```\n*/\nreturn 1",
        "return ~~~5",
        "return `\n~~~\n`",
    ] {
        assert_eq!(body(text), text);
    }
    let inner = "\nreturn '```js'.length // ```\n";
    assert_eq!(body(&format!("```js{inner}```")).trim(), inner.trim());
}

#[test]
fn marks_around_the_text_are_fine() {
    assert_eq!(body("\u{feff}return 1"), "return 1");
    assert_eq!(
        body("#!/usr/bin/env node\nreturn 1"),
        format!("{}\nreturn 1", " ".repeat(19))
    );
    assert_eq!(
        body("```js\n#!/usr/bin/env node\nreturn 1\n```").trim(),
        "return 1"
    );
    assert_eq!(body("return 1\r\n+ 2\r\n"), "return 1\r\n+ 2\r\n");
    assert_eq!(body("// a\rreturn 1"), "// a\nreturn 1");
    refuse("return 1\n#!/usr/bin/env node");
}
