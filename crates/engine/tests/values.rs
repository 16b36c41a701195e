//! What crosses: results, arguments, replies.
#![allow(missing_docs, reason = "tests")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a broken expectation ends the test"
)]

mod common;
use codemode_engine::{FailureCode, Lease};
use common::{run, start};

#[test]
fn a_result_is_json() {
    assert_eq!(run("return 1 + 1").result(), "2");
    assert_eq!(
        run("return { a: [1, undefined, null], d: new Date(0), f() {} }").result(),
        r#"{"a":[1,null,null],"d":"1970-01-01T00:00:00.000Z"}"#
    );
    assert_eq!(run("").result(), "null");
    assert_eq!(run("return -0").result(), "0");
    assert_eq!(
        run("return JSON.parse('{\"__proto__\":{\"x\":1}}')").result(),
        r#"{"__proto__":{"x":1}}"#
    );
    assert_eq!(
        run("return 'a\\u0000b\\u2028'").result(),
        "\"a\\u0000b\u{2028}\""
    );
    assert_eq!(run("return '\\ud800'").result(), "\"\\ud800\"");
}

#[test]
fn arguments_and_results_are_copies() {
    let seen = run("const r = await tools.echo({ a: 1 }); return [r, r.constructor === Object]");
    assert_eq!(seen.result(), r#"[{"a":1},true]"#);
    assert_eq!(seen.calls[0].input, r#"{"a":1}"#);
    assert_eq!(run("return await tools.echo()").result(), "{}");
    assert_eq!(run("return await tools.echo(null)").result(), "null");
}

#[test]
fn the_path_of_what_is_not_json_is_named() {
    let cyclic = run("const a = { list: [{}] }; a.list[0].self = a; return a");
    assert_eq!(cyclic.code(), FailureCode::NotSerializable);
    assert!(
        cyclic.failure().message.starts_with("result.list[0].self "),
        "{cyclic:?}"
    );
    let big = run("return { 'odd key': [{ n: 1n }] }");
    assert!(
        big.failure()
            .message
            .starts_with("result[\"odd key\"][0].n "),
        "{big:?}"
    );
    assert_eq!(run("return () => 1").code(), FailureCode::NotSerializable);
    assert_eq!(
        run("return Symbol('s')").code(),
        FailureCode::NotSerializable
    );
    let own = run("return { get a() { throw new Error('mine') } }");
    assert_eq!(
        (own.code(), own.failure().message.as_str()),
        (FailureCode::ScriptError, "mine")
    );
}

#[test]
fn arguments_that_are_not_json_are_a_rejection_and_no_call() {
    let seen = run("const out = []; const a = {}; a.a = a;
         for (const bad of [a, { n: 1n }, Symbol('x'), () => 1]) {
           await tools.echo(bad).catch((e) => out.push(e.name))
         }
         return out");
    assert_eq!(
        seen.result(),
        r#"["TypeError","TypeError","TypeError","TypeError"]"#
    );
    assert_eq!(seen.end.tool_calls, 0);
}

#[test]
fn a_reply_that_is_too_deep_fails_that_call_alone() {
    let live = start(
        &Lease::new(),
        "const bad = tools.echo(1).catch((e) => e.name); const good = tools.echo(2); return [await bad, await good]",
    );
    let seen = live.drive_with(|call| {
        let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        Some(Ok(if call.id == 1 { deep } else { "7".into() }))
    });
    assert_eq!(seen.result(), r#"["RangeError",7]"#);
}

#[test]
fn a_tool_error_has_a_name_and_a_message_and_nothing_else() {
    let seen = run(
        "try { await tools.fail('no such city') } catch (e) {
           return [e instanceof Error, e.name, e.message, Reflect.ownKeys(e).filter((k) => k !== 'stack'), 'cause' in e]
         }",
    );
    assert_eq!(
        seen.result(),
        r#"[true,"ToolError","no such city",["message"],false]"#
    );
}

#[test]
fn values_that_json_would_empty_are_noted() {
    let seen = run("return { inner: [new Map([[1, 2]])] }");
    assert_eq!(seen.result(), r#"{"inner":[{}]}"#);
    assert_eq!(
        seen.end.notes,
        ["result.inner[0]: a Map became {}; use Object.fromEntries(map)"]
    );
    assert!(run("return { plain: 1 }").end.notes.is_empty());
}

#[test]
fn base64_and_structured_clone_work() {
    assert_eq!(
        run("return [btoa('hi!'), atob('aGkh'), atob(btoa('\\u00ff'))]").result(),
        "[\"aGkh\",\"hi!\",\"ÿ\"]"
    );
    assert_eq!(
        run("try { atob('a') } catch (e) { return e.name }").result(),
        "\"TypeError\""
    );
    let seen = run(
        "const a = { d: new Date(5), m: new Map([[1, { x: 1 }]]), s: new Set([1]), r: /a/g, e: new RangeError('r') }
         a.self = a
         const b = structuredClone(a)
         return [b !== a, b.self === b, b.d.getTime(), b.m.get(1).x, b.s.has(1), String(b.r), b.e instanceof RangeError, b.e.message]",
    );
    assert_eq!(seen.result(), r#"[true,true,5,1,true,"/a/g",true,"r"]"#);
    assert_eq!(
        run("try { structuredClone(() => 1) } catch (e) { return e.name }").result(),
        "\"DataCloneError\""
    );
}

#[test]
fn console_lines_carry_their_level_and_show_what_json_would_not() {
    let seen = run(
        "console.log('row', { id: 7 }, [1]); console.warn('w'); console.error(new Error('boom'));
         console.info(new Map([['k', new Set([1])]]), undefined, null, 10n, Symbol('s'));
         const a = { n: 1 }; a.self = a; console.debug(a); text('said', 1)",
    );
    assert_eq!(
        seen.logs,
        [
            r#"row {"id":7} [1]"#,
            "warn: w",
            "error: Error: boom",
            r#"{"Map":[["k",{"Set":[1]}]]} undefined null 10 Symbol(s)"#,
            r#"{"n":1,"self":"[Circular]"}"#,
        ]
    );
    assert_eq!(seen.text, ["said 1"]);
}
