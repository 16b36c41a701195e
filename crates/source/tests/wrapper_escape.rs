//! The wrapper cannot be closed from inside, and no text that two parsers could read differently gets through.
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
fn no_text_closes_the_wrapper() {
    for text in [
        "return 1; }); evil(async () => {",
        "}); globalThis.pwned = true; (async () => {",
        "}, globalThis.pwned = 1, async () => {",
        "}, ...[globalThis.pwned = 1], async () => {",
        "}, get [globalThis.pwned = 1]() { return 1",
        "})(), (() => {",
        "}) || (() => {",
        "}), (async () => {",
        "})\n(async () => {",
        "})`${async () => {",
        "}).x = (() => {",
        "}; async () => {",
        "} async () => {",
        "}",
        "{",
        "}{",
        "})",
        "*/ return 1 /*",
        "/* open",
        "return `abc",
        "return `${",
        "return '",
        "return /abc",
        "return (",
        "// }\n}); evil(); (async () => {",
        "}) as any; (async () => {",
        "}: T) => {",
        "let a: {",
        "interface A {",
        "class A { x: {\n}); evil(); (async () => {",
        "export default 1 }); evil(); (async () => {",
        "export default () => {",
        "function () { return 1 }); evil(); (function () {",
        "async function () {}), evil(), (function () {}",
    ] {
        refuse(text);
    }
    refuse("--> hidden\nreturn 1");
}

#[test]
fn html_like_comments_are_refused() {
    for text in [
        "<!-- hidden\nreturn 1",
        "return 1 <!-- hidden",
        "return 1\n--> hidden",
        "return 1\n/* a */ --> hidden",
        "return 1\n/*\n*/ --> hidden",
        "a <!--b",
        "let x: T = 1 <!-- hidden",
    ] {
        let error = refuse(text);
        assert!(
            error.message.contains("HTML-like comment"),
            "{text:?}: {error}"
        );
    }
    for text in [
        "return '<!-- -->'",
        "// <!-- -->\nreturn 1",
        "/*\n--> */ return 1",
        "return `\n-->`",
        "let n = 3\nwhile (n --> 0) f(n)\nreturn n",
        "return /<!--/",
    ] {
        assert_eq!(body(text), text);
    }
}

#[test]
fn line_separators_stay_in_strings() {
    for text in [
        "return 1\u{2028}+ 2",
        "// a\u{2029}return 1",
        "/* \u{2028} */ return 1",
    ] {
        let error = refuse(text);
        assert!(error.message.contains("U+2028"), "{text:?}: {error}");
    }
    for text in ["return 'a\u{2028}b'", "return `a\u{2029}b`"] {
        assert_eq!(body(text), text);
    }
}

#[test]
fn a_nul_is_data_in_a_string_and_an_error_elsewhere() {
    assert_eq!(body("return 'a\0b'.length"), "return 'a\0b'.length");
    let error = refuse("return 1;\0return 2");
    assert!(error.message.contains("U+0000"), "{error}");
    assert_eq!((error.line, error.column), (1, 10));
}

#[test]
fn suspension_cannot_be_read_two_ways() {
    for text in [
        "function f() { await / 1 / g }",
        "function f() { var await = 1 }",
        "await: 1",
        "var yield = 1",
        "class A { x = await 1 }",
        "class A { static { await 1 } }",
        "class A { static { for await (const a of b) {} } }",
        "async function f(a = await 1) {}",
        "(async (a = await 1) => {})",
    ] {
        let error = refuse(text);
        let said = error.to_string();
        assert!(
            said.contains("await") || said.contains("yield"),
            "{text:?}: {said}"
        );
    }
    for text in [
        "return class { x = async () => await 1 }",
        "return class { [await 1] = 2 }",
        "return async (a = async () => await 1) => a",
        "for await (const a of b) f(a)\nreturn 1",
        "return function* () { yield 1 }",
    ] {
        accept(text);
    }
}

#[test]
fn brackets_in_literals_do_not_count() {
    for text in [
        "return /[})]/.test('}')",
        "return '}); evil('",
        "return `}) ${'}'} {`",
        "// })\nreturn 1 /* }) */",
        "return '${process.exit(1)}'",
    ] {
        assert_eq!(body(text), text);
    }
}
