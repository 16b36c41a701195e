//! `finish()`, and the helpers of `tools`: members that are no tools.
#![allow(missing_docs, reason = "tests")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a broken expectation ends the test"
)]

mod common;
use codemode_engine::FailureCode;
use common::run;

#[test]
fn no_catch_sees_the_end_and_every_finally_does() {
    let seen = run(
        "try { try { finish(1) } catch { console.log('caught') } finally { console.log('inner') } }
         catch (e) { console.log('caught') } finally { console.log('outer') } return 2",
    );
    assert_eq!(seen.result(), "1");
    assert_eq!(seen.logs, ["inner", "outer"]);
}

#[test]
fn rejection_handlers_of_the_guest_do_not_see_it() {
    for code in [
        "await (async () => finish(1))().catch(() => 2)",
        "await Promise.allSettled([(async () => finish(1))()])",
        "await Promise.any([(async () => finish(1))()])",
        "await Promise.race([(async () => finish(1))()]).then(null, () => 2)",
        "await new Promise((_, no) => no(0)).catch(() => finish(1))",
    ] {
        let seen = run(&format!(
            "const value = {code}; console.log('on'); return 3"
        ));
        assert_eq!(seen.result(), "1", "{code}");
        assert!(seen.logs.is_empty(), "{code}");
    }
}

#[test]
fn calls_of_a_finally_are_waited_for_and_others_are_not() {
    let seen =
        run("tools.never({}); try { finish(1) } finally { console.log(await tools.echo(7)) }");
    assert_eq!(seen.result(), "1");
    assert_eq!(seen.logs, ["7"]);
    let seen = run("tools.never({}); await tools.echo(1); finish(2)");
    assert_eq!((seen.result(), seen.end.tool_calls), ("2", 2));
    assert!(seen.end.unhandled.is_empty() && seen.end.notes.is_empty());
}

#[test]
fn a_value_that_is_not_json_is_a_failure() {
    assert_eq!(run("finish(1n)").code(), FailureCode::NotSerializable);
    assert_eq!(
        run("finish({ toJSON() { throw new Error('own') } })").code(),
        FailureCode::ScriptError
    );
}

#[test]
fn helpers_are_found_but_not_listed() {
    let seen = run("const own = Reflect.ownKeys(tools)
         return [own.includes('search'), typeof tools.search, typeof tools.$call, tools.search === tools.search,
           Object.getOwnPropertyDescriptor(tools, 'call').enumerable, (await tools.search('e', { limit: 1 })).length,
           await tools.call('echo', 5), await tools.parallel([tools.echo(1), () => 2]), ALL_TOOLS.length]");
    assert_eq!(
        seen.result(),
        r#"[false,"function","function",true,false,1,5,[1,2],4]"#
    );
    assert_eq!(seen.end.tool_calls, 2);
}

#[test]
fn a_proxy_or_getter_in_front_of_a_helper_is_the_guests_own_affair() {
    let seen = run("const throws = { get limit() { throw new RangeError('own') } }
         return [await tools.search('e', throws).catch((e) => e.message),
           await tools.search(new Proxy({}, { get: (_, key) => (key === 'query' ? 'echo' : undefined) })),
           await tools.search('e', { limit: Symbol() }).catch((e) => e.name)]");
    assert_eq!(seen.result(), r#"["own",[{"name":"echo"}],"TypeError"]"#);
}
