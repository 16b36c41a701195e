//! What crosses: results, arguments, replies.
mod common;
use codemode_engine::FailureCode;
use common::run;

#[test]
fn returns_json() {
    assert_eq!(run("return 1 + 1").result(), "2");
    assert_eq!(run("return { a: [1, undefined, null], d: new Date(0) }").result(), r#"{"a":[1,null,null],"d":"1970-01-01T00:00:00.000Z"}"#);
    assert_eq!(run("").result(), "null");
}

#[test]
fn calls_cross_as_json_copies() {
    let seen = run("const r = await tools.echo({ a: 1 }); return [r, r.constructor === Object]");
    assert_eq!(seen.result(), r#"[{"a":1},true]"#);
    assert_eq!(seen.calls[0].input, r#"{"a":1}"#);
    assert_eq!(run("return await tools.echo()").result(), "{}");
}

#[test]
fn names_the_path_of_what_is_not_json() {
    let seen = run("const a = { list: [{}] }; a.list[0].self = a; return a");
    assert_eq!(seen.code(), FailureCode::NotSerializable);
    assert!(seen.failure().message.contains("result.list[0].self"), "{:?}", seen.failure());
    let seen = run("return { deep: [{ n: 1n }] }");
    assert!(seen.failure().message.contains("result.deep[0].n"), "{:?}", seen.failure());
}
