//! The forms of a program: what is accepted, and which value it gives.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod common;

use common::{accept, body, refuse, squeezed};

#[test]
fn a_body_stays_as_it_is() {
    for text in [
        "return 1 + 1",
        "await tools.a()\nreturn 2;",
        "if (a) return 1\nreturn 2",
        "throw new Error('x')",
    ] {
        assert_eq!(body(text), text);
    }
}

#[test]
fn an_empty_text_is_a_program() {
    for text in ["", "   \n\t ", "// nothing", "/* nothing */", ";"] {
        let prepared = accept(text);
        assert_eq!(prepared.program, format!("(async () => {{{text}\n}})"));
        assert!(prepared.notes.is_empty(), "{text:?}");
    }
}

#[test]
fn a_last_expression_is_the_value() {
    for (text, expected) in [
        ("1 + 1", "return 1 + 1"),
        ("const a = 1;\na", "const a = 1;\nreturn a"),
        ("const a = 1;\n({ a })", "const a = 1;\nreturn ({ a })"),
        ("await tools.a();", "return await tools.a();"),
        ("if (x) return 1;\n2", "if (x) return 1;\nreturn 2"),
        ("(async () => 1)()", "return (async () => 1)()"),
        ("a, b", "return a, b"),
        ("x = 5", "return x = 5"),
        ("'done'", "return 'done'"),
        ("'use strict'; 'done'", "'use strict'; return 'done'"),
        ("'use strict'; x = 1", "'use strict'; return x = 1"),
        ("'use strict'", "'use strict'"),
        (
            "main();\nasync function main() {}",
            "return main();\nasync function main() {}",
        ),
        ("a;;\n;", "return a;;\n;"),
        ("a // b", "return a // b"),
        ("/* a */ b /* c */", "/* a */ return b /* c */"),
    ] {
        assert_eq!(body(text), expected, "{text:?}");
    }
}

#[test]
fn the_last_value_of_a_branch_is_the_value() {
    for (text, expected) in [
        ("if (a) { b } else c", "if (a) { return b } else return c"),
        (
            "if (a) b; else if (c) { d; e }",
            "if (a) return b; else if (c) { d; return e }",
        ),
        (
            "try { a } catch (e) { b } finally { c }",
            "try { return a } catch (e) { return b } finally { c }",
        ),
        (
            "try { f(); const x = 1 } catch { 2 }",
            "try { f(); const x = 1 } catch { return 2 }",
        ),
        ("for (const a of b) { a }", "for (const a of b) { a }"),
        ("{ a }", "{ a }"),
    ] {
        assert_eq!(body(text), expected, "{text:?}");
    }
}

#[test]
fn one_function_is_called() {
    for (text, expected) in [
        (
            "async () => { return 1 }",
            "return (async () => { return 1 })()",
        ),
        (
            "(async () => { return 1 })",
            "return ((async () => { return 1 }))()",
        ),
        ("async () => 1;", "return (async () => 1)();"),
        ("async (tools) => 1", "return (async (tools) => 1)(tools)"),
        (
            "async ({ tools }) => 1",
            "return (async ({ tools }) => 1)({ tools })",
        ),
        (
            "async ({ get_price }) => 1",
            "return (async ({ get_price }) => 1)(tools)",
        ),
        (
            "(function () { return 1 })",
            "return ((function () { return 1 }))()",
        ),
        (
            "const a = 1;\nasync () => a",
            "const a = 1;\nreturn (async () => a)()",
        ),
        (
            "function main() { return 1 }",
            "function main() { return 1 }; return main();",
        ),
        (
            "async function run() {}\n",
            "async function run() {}; return run();\n",
        ),
        (
            "function run() {} // end",
            "function run() {}; return run(); // end",
        ),
        (
            "const main = async () => 1",
            "const main = async () => 1; return main();",
        ),
        (
            "const main = function () {};",
            "const main = function () {};; return main();",
        ),
        (
            "const url = 'x';\nfunction help() {}\nasync function main(tools) { help() }",
            "const url = 'x';\nfunction help() {}\nasync function main(tools) { help() }; return main(tools);",
        ),
        (
            "function f(n) { return n < 1 ? 0 : f(n - 1) }\nf(3)",
            "function f(n) { return n < 1 ? 0 : f(n - 1) }\nreturn f(3)",
        ),
    ] {
        assert_eq!(body(text), expected, "{text:?}");
    }
    assert_eq!(
        squeezed("async function () { return 4 }"),
        "return ((async function () { return 4 }))()"
    );
    assert_eq!(
        squeezed("// four\nfunction () { return 4 };"),
        "return ((function () { return 4 }))();"
    );
}

#[test]
fn what_cannot_be_meant_as_the_program_is_not_called() {
    for text in [
        "function a() {}\na()\nfunction b() {}",
        "function fmt(value) { return value }",
        "function* gen() { yield 1 }",
        "function main() {}\nreturn main()",
        "console.log(1)\nfunction late() {}",
        "x = () => 1",
        "class A {}",
    ] {
        assert!(!body(text).contains("return fmt"), "{text:?}");
        assert!(!body(text).contains("return b("), "{text:?}");
        assert!(!body(text).contains("return gen"), "{text:?}");
        assert!(!body(text).contains("return late"), "{text:?}");
        assert!(!body(text).contains("return x"), "{text:?}");
        assert_eq!(
            body(text).matches("return main").count(),
            text.matches("return main").count()
        );
    }
}

#[test]
fn a_default_export_is_the_value() {
    for (text, expected) in [
        ("export default 1", "; return (1)"),
        (
            "export default { answer: 42 };",
            "; return ({ answer: 42 });",
        ),
        (
            "export default async () => 5",
            "; return ((async () => 5))()",
        ),
        (
            "export default async function () { return 2 }",
            "; return ((async function () { return 2 }))()",
        ),
        (
            "export default async function run({ tools }) { return 2 }",
            "async function run({ tools }) { return 2 }; return run({ tools });",
        ),
        (
            "async function main() {}\n\nexport default main;",
            "async function main() {} ; return typeof main === \"function\" ? main() : (main);",
        ),
        (
            "export default main\nfunction main() {}",
            "; return typeof main === \"function\" ? main() : (main) function main() {}",
        ),
        (
            "export default 5; let b = 3",
            "; const __export_default = (5); let b = 3; return typeof __export_default === \"function\" ? __export_default() : __export_default;",
        ),
        ("export const a = 1\nreturn a", "const a = 1 return a"),
        (
            "export async function main() {}",
            "async function main() {}; return main();",
        ),
        (
            "const a = 1\nexport { a }\nreturn a",
            "const a = 1 ; return a",
        ),
    ] {
        assert_eq!(squeezed(text), expected, "{text:?}");
    }
}

#[test]
fn modules_are_refused_by_name() {
    for text in [
        "import { readFileSync } from 'node:fs';\nreturn 1",
        "import fs from 'fs'",
        "import * as fs from 'fs'",
        "import 'fs'",
        "import fs, { type A } from 'fs'",
        "const os = await import('node:os'); return os.hostname();",
        "export * from 'x'",
        "export { a } from 'x'",
        "return import.meta.url",
        "import a = require('b')",
    ] {
        let error = refuse(text);
        assert!(error.message.contains("`import"), "{text:?}: {error}");
        assert!(error.message.contains("not available"), "{text:?}: {error}");
        assert!(error.hint.unwrap().contains("tools"), "{text:?}");
    }
    accept("const fs = require('node:fs'); return fs");
    accept("return \"import x from 'y'\"");
}

#[test]
fn notes_say_that_nothing_was_returned() {
    for text in [
        "const a = 1",
        "for (const a of b) { await tools.c(a) }",
        "{ a: 1 }",
        "function fmt(value) { return value }",
    ] {
        let notes = accept(text).notes;
        assert_eq!(notes.len(), 1, "{text:?}: {notes:?}");
        assert!(notes[0].contains("return"), "{text:?}: {notes:?}");
    }
    for text in [
        "return 1",
        "1",
        "console.log(1); let a",
        "throw 1",
        "if (a) return 1\nlet b",
        "",
        "async () => {}",
    ] {
        assert!(accept(text).notes.is_empty(), "{text:?}");
    }
    assert!(accept("function fmt(value) { return value }").notes[0].contains("`fmt`"));
}

#[test]
fn planned_tools_come_in_order_of_appearance() {
    let text = "const { zeta, 'be-ta': b } = tools\ntools['get-price']({}); tools.a(); tools[`c`](); tools.a(); tools[x](); other.tools.d()";
    assert_eq!(
        accept(text).planned_tools,
        ["zeta", "be-ta", "get-price", "a", "c"]
    );
}
