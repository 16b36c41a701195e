//! Lines and columns are the model's own, in errors and through the program.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod common;

use common::{accept, refuse};

/// Line and column, as the engine counts them (bytes), of a text in the program.
fn place(program: &str, what: &str) -> (u32, u32) {
    let at = program
        .find(what)
        .unwrap_or_else(|| panic!("{what} in {program:?}"));
    let start = program[..at].rfind('\n').map_or(0, |found| found + 1);
    (
        program[..at].matches('\n').count() as u32 + 1,
        (at - start) as u32 + 1,
    )
}

#[test]
fn places_in_the_program_lead_back() {
    for (text, what, expected) in [
        ("boom()", "boom", (1, 1)),
        ("return boom()", "boom", (1, 8)),
        ("const a = 1\n  boom(a)\n", "boom", (2, 3)),
        ("```js\nboom()\n```", "boom", (2, 1)),
        ("\u{feff}boom()", "boom", (1, 1)),
        ("const é = '😀'; boom()", "boom", (1, 17)),
        ("async () => { boom() }", "boom", (1, 15)),
        ("const a = <T>b + boom()", "boom", (1, 18)),
        ("const s: '😀' = x as '—'; boom()", "boom", (1, 27)),
        ("export default { a: boom() }", "boom", (1, 21)),
        ("export default 5; let c = boom()", "boom", (1, 27)),
        ("function () { return boom() }", "boom", (1, 22)),
        ("a\r\nboom()", "boom", (2, 1)),
    ] {
        let prepared = accept(text);
        let (line, column) = place(&prepared.program, what);
        assert_eq!(prepared.original(line, column), expected, "{text:?}");
        assert_eq!(
            (prepared.first_line, line),
            (1, expected.0),
            "the engine's line is the model's"
        );
    }
}

#[test]
fn places_outside_the_text_give_the_nearest() {
    let prepared = accept("a\nbc");
    assert_eq!(prepared.original(0, 0), (1, 1));
    assert_eq!(prepared.original(1, 3), (1, 1));
    assert_eq!(prepared.original(1, 999), (1, 2));
    assert_eq!(prepared.original(3, 2), (2, 3));
    assert_eq!(prepared.original(99, 99), (2, 3));
    assert_eq!(prepared.positions.source(), "a\nbc");
}

#[test]
fn errors_point_into_the_text() {
    for (text, line, column) in [
        (
            "const a = 1;\nconst b = 2;\nconst = a + b;\nreturn a;",
            3,
            7,
        ),
        ("const a: T = 1;\nlet b: = 2", 2, 8),
        ("```js\nconst = 1\n```", 2, 7),
        ("\u{feff}const = 1", 1, 7),
        ("const é = '😀' const", 1, 15),
        ("a\r\nb\r\nconst = 1", 3, 7),
        ("return 1\n}", 2, 1),
        ("return [1,\n2", 2, 2),
        ("class A { @b c }", 1, 11),
        ("return await import('x')", 1, 14),
    ] {
        let error = refuse(text);
        assert_eq!(
            (error.line, error.column),
            (line, column),
            "{text:?}: {error}"
        );
    }
}

#[test]
fn errors_say_what_to_do() {
    for (text, said) in [
        ("const label = “plum”;", "plain quotes"),
        ("const label = ‘plum’;", "plain quotes"),
        ("def f(x):\n  return x", "Python"),
        ("import os\nprint('a')", "Python"),
        ("from os import path", "Python"),
        ("for x in y:\n  print(x)", "Python"),
        ("# a comment\nx = 1", "Python"),
        ("if x == None:\n  pass", "Python"),
        ("x = [i for i in range(3)]\nprint(x)", "Python"),
        (
            "prices = [await tools.p({\"item\": i}) for i in items]",
            "Python",
        ),
        ("x = f\"{1}\"", "Python"),
        ("x = 1 if y else 2", "Python"),
        ("return a and b", "Python"),
        ("return a is not None", "Python"),
        ("return not x", "Python"),
        ("f = lambda x: x", "Python"),
        ("\"\"\"doc\"\"\"\nreturn 1", "Python"),
        ("export FOO=1 && node a.js", "shell"),
        ("for f in *.txt; do echo $f; done", "shell"),
        ("Let's fetch it.\nreturn 1", "prose"),
        ("return [...]", "left out"),
        ("function f() { ... }", "left out"),
        ("const a = […]", "left out"),
        ("{\"code\": \"return 1\"}", "not JSON around it"),
        ("{ \"a\": 1, \"b\": 2 }", "parentheses"),
        ("<script>return 1</script>", "without tags"),
        ("return <div>a</div>", "a string or an object"),
        ("function f() { for await (const x of y) {} }", "async"),
        ("return f(1))", "Remove it"),
        ("npm install lodash", "shell"),
        ("curl https://a.b/c", "shell"),
        ("$ git status", "shell"),
        ("I will now call the tool for you.", "prose"),
        ("function f() { await tools.a() }", "async"),
        ("list.map((x) => await tools.a(x))", "async"),
        ("{ a: 1, b: 2 }", "parentheses"),
        ("return (", "line 1 is never closed"),
        ("const a = {\n  b: [1, 2\n", "`[` of line 2"),
        ("return 1\n}", "closes nothing"),
        ("return 'abc", "Unterminated string"),
        ("return `abc", "Unterminated template"),
        ("import x from y", "`import` is not available"),
    ] {
        let error = refuse(text);
        assert!(error.to_string().contains(said), "{text:?}: {error}");
        assert!(
            !error.message.starts_with("SyntaxError"),
            "{text:?}: {error}"
        );
    }
}

#[test]
fn what_is_no_program_is_named_first() {
    for (text, words) in [
        ("Sure! Here is the code.\nreturn 1", "begins with prose"),
        (
            "I will get the prices:\n\nconst p = 1\nreturn p",
            "begins with prose",
        ),
        (
            "Here is the code you asked for:\n```js\nreturn 1\n```",
            "prose stands in front of the Markdown code fence",
        ),
        ("curl https://a.b/c", "a shell command is no program"),
        ("return 1 + 2)", "this `)` closes nothing"),
        ("return \u{200b}1", "invisible character (U+200B)"),
    ] {
        let error = refuse(text);
        assert!(error.message.contains(words), "{text:?}: {error}");
        assert!(error.hint.is_some(), "{text:?}");
    }
    for text in [
        "return '\u{200b}'",
        "// \u{200b}\nreturn 1",
        "return `\u{200b}`",
    ] {
        accept(text);
    }
}
