//! What is said about a program that was not run: promises nobody waits for, code that cannot be reached, tools and arguments.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use codemode_source::{Inspection, Literal, Severity, Shape, check};

/// The one remark about a program that can run.
fn remark(text: &str) -> (u32, u32, String) {
    let found = check(text).diagnostics;
    assert_eq!(found.len(), 1, "{text:?}: {found:?}");
    assert_eq!(found[0].severity, Severity::Warning, "{text:?}: {found:?}");
    (found[0].line, found[0].column, found[0].message.clone())
}

fn assert_remarks(texts: &[(&str, &str)]) {
    for (text, words) in texts {
        let (.., message) = remark(text);
        assert!(message.contains(words), "{text:?}: {message}");
    }
}

fn assert_silent(texts: &[&str]) {
    for text in texts {
        let found = check(text);
        assert!(
            found.diagnostics.is_empty(),
            "{text:?}: {:?}",
            found.diagnostics
        );
    }
}

#[test]
fn calls_nobody_waits_for_are_found() {
    let text = "tools.a();\ntools.b().then((x) => x);\n[1].forEach((x) => tools.c(x));\nx && tools.d();\nvoid tools.e();\nx?.y ? tools.f() : 0;\nreturn 1";
    let found = check(text).diagnostics;
    assert_eq!(found.len(), 6, "{found:?}");
    for (one, name) in found.iter().zip(["a", "b", "c", "d", "e", "f"]) {
        assert!(
            one.message
                .contains(&format!("tools.{name} is neither awaited nor returned")),
            "{}",
            one.message
        );
    }
    let (line, column, message) = remark("const a: number = 1\n  tools.b({ a })\nreturn a");
    assert_eq!((line, column), (2, 3));
    assert!(message.contains("tools.b") && message.contains("await"));
    assert_remarks(&[
        (
            "const p = tools.a()\nreturn 1",
            "`p` holds the promise of tools.a",
        ),
        ("const { a } = tools\na()\nreturn 1", "tools.a is neither"),
        ("const f = tools.a\nf()\nreturn 1", "tools.a is neither"),
        (
            "const list = [1].map((x) => tools.a(x))\nreturn 1",
            "`list` holds promises",
        ),
        (
            "async function go() { await tools.a() }\ngo()\nreturn 1",
            "nothing waits for `go`",
        ),
        (
            "const go = async () => { await tools.a() }\ngo()\nreturn 1",
            "nothing waits for `go`",
        ),
        (
            "(async () => { await tools.a() })()\nreturn 1",
            "nothing waits for this async function",
        ),
        (
            "[1].forEach(async (x) => { await tools.a(x) })\nreturn 1",
            "forEach does not wait",
        ),
    ]);
}

#[test]
fn promises_taken_for_their_results_are_found() {
    assert_remarks(&[
        ("return tools.a().usd", "asked for a property"),
        ("return tools.a()?.[0]", "asked for a property"),
        (
            "const p = tools.a()\nreturn p.usd",
            "`p` is the promise of tools.a, not its result: write `const p = await tools.a(...)`",
        ),
        (
            "const p = tools.a()\nreturn `${p.x} ${p.y}`",
            "`p` is the promise",
        ),
        ("const { usd } = tools.a()\nreturn usd", "taken apart"),
        ("const [first] = tools.a()\nreturn first", "taken apart"),
        ("return `costs ${tools.a()}`", "put into a text"),
        ("return tools.a() * 2", "computed with"),
        ("return JSON.stringify(tools.a())", "needs its result"),
        ("console.log(tools.a())\nreturn 1", "needs its result"),
        (
            "for (const x of tools.a()) console.log(x)\nreturn 1",
            "looped over",
        ),
        ("return [...tools.a()]", "spread"),
        ("if (tools.a()) return 1\nreturn 2", "used as a condition"),
        ("return { a: tools.a() }", "part of the result"),
        ("({ a: tools.a() })", "part of the result"),
        (
            "const p = tools.a()\nreturn { p }",
            "`p` is the promise of tools.a",
        ),
        ("return [1].map((x) => tools.a(x))", "Promise.all"),
        ("return [tools.a(), tools.b()]", "Promise.all"),
        ("return await [1].map(async (x) => x)", "Promise.all"),
        (
            "const all = [1].map(async (x) => tools.a(x))\nreturn all.filter((x) => x)",
            "`all` is a list of promises",
        ),
    ]);
}

#[test]
fn named_arguments_of_python_are_found() {
    let (_, column, message) = remark("return await tools.a(item=\"x\")");
    assert_eq!(column, 22);
    assert!(message.contains("{ name: value }"), "{message}");
}

#[test]
fn code_that_cannot_be_reached_is_found() {
    assert_remarks(&[
        (
            "return 1\nconsole.log(2)",
            "never reached: it stands after `return`",
        ),
        (
            "for (const a of [1]) { continue; a }\nreturn 1",
            "after `continue`",
        ),
        (
            "if (x) { throw new Error('a'); y() }\nreturn 1",
            "after `throw`",
        ),
        (
            "function helper() { return helper() }\nreturn 1",
            "`helper` is declared but never called",
        ),
        (
            "const fmt = (x) => x\nreturn await tools.a()",
            "`fmt` is declared but never called",
        ),
    ]);
    assert_eq!(remark("return 1\n  f()\nvar f").0, 2);
}

#[test]
fn programs_that_are_right_are_left_alone() {
    assert_silent(&[
        "return 1",
        "",
        "await tools.a()",
        "tools.a()",
        "return tools.a()",
        "const p = tools.b(); return p",
        "const p = tools.b(); return (await p).usd",
        "const p = tools.b(); return p.then((x) => x)",
        "const p = tools.b(); return Promise.all([p])",
        "f(tools.c()); return 1",
        "return Promise.all([1].map((x) => tools.f(x)))",
        "return await Promise.all([tools.a(), tools.b()])",
        "const jobs = []; jobs.push(tools.a()); return await Promise.all(jobs)",
        "const jobs = [tools.a()]; jobs.push(tools.b()); return await Promise.all(jobs)",
        "const [a, b] = await Promise.all([tools.a(), tools.b()]); return a + b",
        "const { usd } = await tools.a(); return usd",
        "const r = await tools.a(); return r.usd",
        "async function main() { return await tools.a() }",
        "async function main() { return await tools.a() }\nmain()",
        "async function main() { return await tools.a() }\nexport default main",
        "export default async function main() { return await tools.a() }",
        "async () => await tools.a()",
        "const main = async ({ tools }) => tools.a()",
        "async function go() { await tools.a() }\nawait go()\nreturn 1",
        "return later()\nfunction later() { return 1 }",
        "switch (1) { case 1: f(); break\n case 2: g() }\nreturn 1",
        "const p = tools.a(); const q = (p) => p.usd; return q(await p)",
        "return (await tools.a()).usd",
        "try { await tools.a() } catch (e) { return e.message }",
        "let p; p = tools.a(); return (await p).x",
    ]);
}

#[test]
fn a_text_that_cannot_run_gives_its_fault_alone() {
    let found = check("return (");
    assert_eq!(found.diagnostics.len(), 1);
    assert_eq!(found.diagnostics[0].severity, Severity::Error);
    assert!(found.uses.is_empty());
}

fn shape(text: &str) -> Shape {
    let found = check(text);
    let call = found.uses[0].call.as_ref().expect("a call");
    call.list[0].as_ref().expect("an argument").shape.clone()
}

#[test]
fn arguments_are_read_as_json_will_see_them() {
    let one = |text: &str| shape(&format!("return tools.a({text})"));
    assert_eq!(one("1"), Shape::Number(1.0));
    assert_eq!(one("-1.5"), Shape::Number(-1.5));
    assert_eq!(one("0 / 0"), Shape::Unknown);
    assert_eq!(one("'a'"), Shape::String("a".into()));
    assert_eq!(one("`a`"), Shape::String("a".into()));
    assert_eq!(one("`a${b}`"), Shape::Text);
    assert_eq!(one("'a' + b"), Shape::Text);
    assert_eq!(one("b"), Shape::Unknown);
    assert_eq!(one("null"), Shape::Null);
    assert_eq!(one("1e999"), Shape::Null);
    assert_eq!(one("{ toJSON() { return 1 } }"), Shape::Unknown);
    let Shape::Array { items, whole } = one("[1, , undefined, () => 1]") else {
        panic!()
    };
    assert!(whole);
    assert_eq!(
        items
            .iter()
            .map(|item| item.shape.clone())
            .collect::<Vec<_>>(),
        [Shape::Number(1.0), Shape::Null, Shape::Null, Shape::Null]
    );
    let names = |text: &str| match one(text) {
        Shape::Object { fields, whole } => (
            fields
                .into_iter()
                .map(|field| field.name)
                .collect::<Vec<_>>(),
            whole,
        ),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        names("{ a: 1, b, 'c-d': 2, 3: 4, e: undefined, f() {}, a: 5 }"),
        (vec!["b".into(), "c-d".into(), "3".into(), "a".into()], true)
    );
    assert!(!names("{ ...rest }").1);
    assert!(!names("{ [key]: 1 }").1);
    let Shape::Object { fields, .. } = one("{ a: 1, ...rest, b: 2 }") else {
        panic!()
    };
    assert_eq!(
        fields[0].value.shape,
        Shape::Unknown,
        "the spread may replace it"
    );
    assert_eq!(fields[1].value.shape, Shape::Number(2.0));
}

#[test]
fn places_are_the_models_own() {
    let text = "type T = { a: number }\nconst n: number = 1\nawait tools.first({\n  'a': <T>n,\n  b: \"é😀\", c: [1] })\nreturn tools['second-tool']()";
    let found: Inspection = check(text);
    assert!(found.diagnostics.is_empty(), "{:?}", found.diagnostics);
    let names: Vec<_> = found.uses.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["first", "second-tool"]);
    assert_eq!(found.locate(found.uses[0].at), (3, 7));
    assert_eq!(found.locate(found.uses[1].at), (6, 8));
    let argument: &Literal = found.uses[0].call.as_ref().unwrap().list[0]
        .as_ref()
        .unwrap();
    assert_eq!(found.locate(argument.at), (3, 19));
    let Shape::Object { fields, .. } = &argument.shape else {
        panic!()
    };
    assert_eq!(found.locate(fields[0].at), (4, 3));
    assert_eq!(found.locate(fields[2].at), (5, 13));
    assert_eq!(found.locate(fields[2].value.at), (5, 16));
}

#[test]
fn uses_come_once_each_and_in_order() {
    let text = "const { zeta, 'be-ta': b } = tools\ntools['get-price']({}); tools.a; await b(1, 2); tools.a(...x)";
    let found = check(text);
    let uses: Vec<_> = found
        .uses
        .iter()
        .map(|one| {
            (
                one.name.as_str(),
                one.call.as_ref().map(|call| (call.list.len(), call.whole)),
            )
        })
        .collect();
    assert_eq!(
        uses,
        [
            ("zeta", None),
            ("be-ta", None),
            ("get-price", Some((1, true))),
            ("a", None),
            ("be-ta", Some((2, true))),
            ("a", Some((0, false)))
        ]
    );
    assert!(!found.redeclares_tools);
    assert!(check("const tools = {}; return tools.x()").redeclares_tools);
    assert!(!check("async function main({ tools }) { return tools.x() }").redeclares_tools);
}
