//! Nothing of the host is in the realm, and nothing in it makes code.
#![allow(missing_docs, reason = "tests")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a broken expectation ends the test"
)]

mod common;
use common::run;

fn gives(code: &str, expected: &str) {
    let seen = run(code);
    assert_eq!(seen.end.outcome.as_deref(), Ok(expected), "{code}");
}

#[test]
fn no_code_at_run_time() {
    for maker in [
        "Function('return 1')",
        "(() => 1).constructor('return 1')",
        "(async () => 1).constructor('return 1')",
        "(function* () {}).constructor('return 1')",
        "(async function* () {}).constructor('return 1')",
        "new (class {}).constructor('return 1')",
        "tools.echo.constructor('return 1')",
        "console.log.constructor('return 1')",
        "Reflect.construct(Function, ['return 1'])",
        "globalThis.eval('1')",
    ] {
        gives(
            &format!("try {{ {maker}; return 'made' }} catch (e) {{ return e.name }}"),
            "\"TypeError\"",
        );
    }
    gives(
        "try { eval('1') } catch (e) { return e.name }",
        "\"ReferenceError\"",
    );
    gives(
        "return await import('x').then(() => 'loaded', (e) => e instanceof Error)",
        "true",
    );
}

#[test]
fn tools_and_console_cannot_be_changed() {
    gives(
        "return [Reflect.set(tools, 'echo', 1), Reflect.defineProperty(tools, 'echo', { value: 1 }), Reflect.defineProperty(tools, 'x', { value: 1 }), Reflect.deleteProperty(tools, 'echo'), Reflect.setPrototypeOf(tools, {}), Object.isFrozen(tools), Object.isFrozen(tools.echo), Object.isFrozen(console)]",
        "[false,false,false,false,false,true,true,true]",
    );
    gives(
        "'use strict'; try { tools.echo = 1 } catch (e) { return e.name }",
        "\"TypeError\"",
    );
    gives(
        "'use strict'; try { tools = 1 } catch (e) { return e.name }",
        "\"TypeError\"",
    );
    gives(
        "return [Object.getPrototypeOf(tools), Object.keys(tools), 'echo' in tools, 'x' in tools, typeof tools.constructor, typeof tools[Symbol.iterator]]",
        r#"[null,["echo","fail","never","slow"],true,false,"undefined","undefined"]"#,
    );
    gives(
        "return [tools.echo === tools.echo, tools.echo.name, tools.echo.length, (await tools) === tools]",
        r#"[true,"echo",1,true]"#,
    );
    gives(
        "try { new tools.echo() } catch (e) { return e.name }",
        "\"TypeError\"",
    );
}

#[test]
fn patched_builtins_change_nothing_of_ours() {
    gives(
        "Object.prototype.toJSON = undefined; JSON.stringify = JSON.parse = () => 'forged';
         Array.prototype.push = Array.prototype.join = () => { throw 1 };
         globalThis.Promise = function () { throw 1 };
         Map.prototype.get = Map.prototype.set = () => { throw 1 };
         return await tools.echo({ a: [1] })",
        r#"{"a":[1]}"#,
    );
    gives(
        "Object.defineProperty(Object.prototype, 'then', { get() { throw 1 }, configurable: true }); delete Object.prototype.then; return await tools.echo(1)",
        "1",
    );
}

#[test]
fn a_stack_names_the_program_and_nothing_else() {
    gives(
        "return typeof Error.prepareStackTrace + typeof Error.captureStackTrace",
        "\"undefinedundefined\"",
    );
    let seen =
        run("const f = () => { throw new Error('x') }; try { f() } catch (e) { return e.stack }");
    assert!(seen.result().contains("run_code.js:1"), "{}", seen.result());
    assert!(
        !seen.result().contains('/') && !seen.result().contains(".rs"),
        "{}",
        seen.result()
    );
}

#[test]
fn an_unknown_tool_is_a_type_error_of_the_host() {
    gives(
        "try { tools.nope() } catch (e) { return [e.name, e.message] }",
        r#"["TypeError","tools has no \"nope\""]"#,
    );
    gives(
        "try { await tools['x'](1) } catch (e) { return e.message }",
        r#""tools has no \"x\"""#,
    );
}

#[test]
fn missing_globals_say_what_to_do() {
    for name in [
        "setTimeout",
        "fetch",
        "require",
        "process",
        "Buffer",
        "Intl",
        "URL",
        "Uint8Array",
        "WeakRef",
        "eval",
    ] {
        let seen = run(&format!("return {name}"));
        let failure = seen.failure();
        assert!(
            failure
                .message
                .starts_with(&format!("{name} is not defined: ")),
            "{failure:?}"
        );
        gives(&format!("return typeof {name}"), "\"undefined\"");
    }
    assert_eq!(
        run("return nothing").failure().message,
        "nothing is not defined"
    );
}

#[test]
fn runs_share_nothing() {
    for _ in 0..3 {
        gives(
            "globalThis.n = (globalThis.n ?? 0) + 1; Array.prototype.n = 1; return globalThis.n",
            "1",
        );
    }
}

#[test]
fn no_script_runs_after_the_end() {
    let seen = run(
        "Promise.resolve().then(() => Promise.resolve()).then(() => tools.echo()); return 'done'",
    );
    assert_eq!((seen.result(), seen.end.tool_calls), ("\"done\"", 0));
}
