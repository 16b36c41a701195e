//! A stop cannot be swallowed, and no operation of the engine holds it up.
#![allow(missing_docs, reason = "tests")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a broken expectation ends the test"
)]

mod common;
use codemode_engine::{FailureCode, Features, Lease, Limits};
use common::{quick_limits, start_with};
use std::time::{Duration, Instant};

/// Wide: the machine of a test may be busy with other things.
const SLACK: Duration = Duration::from_secs(5);

fn ends_on_time(code: &str, features: Features) {
    let limits = Limits {
        timeout_ms: 100,
        cpu_timeout_ms: 60_000,
        ..quick_limits()
    };
    let began = Instant::now();
    let lease = Lease::new();
    let seen = start_with(&lease, code, limits, features).drive();
    let took = began.elapsed();
    assert!(
        took < Duration::from_millis(100) + SLACK,
        "{code} took {took:?}"
    );
    if let Err(failure) = &seen.end.outcome {
        use FailureCode::{MemoryLimit, ScriptError, SyntaxError, Timeout};
        let expected = [Timeout, MemoryLimit, ScriptError, SyntaxError];
        assert!(expected.contains(&failure.code), "{code}: {failure:?}");
    }
    let result = seen.end.outcome.as_deref().unwrap_or_default();
    assert!(!result.contains("escaped"), "{code} escaped");
    while lease.stuck_threads() > 0 {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "{code} holds its thread"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn nothing_catches_a_stop() {
    for code in [
        "try { for (;;); } catch {} return 'escaped'",
        "const f = () => { for (;;) { try { for (;;); } finally { continue } } }; f()",
        "const f = () => { try { for (;;); } finally { return 'escaped' } }; return f()",
        "await new Promise(() => { for (;;); }).catch(() => 0); return 'escaped'",
        "for (;;) { new Promise(() => { for (;;); }).catch(() => 0) }",
        "const f = async () => { for (;;); }; try { await f() } catch {} return 'escaped'",
        "async function* g() { for (;;); } await g().next().catch(() => 0); return 'escaped'",
        "function* g() { try { yield 1 } finally { for (;;); } } for (const x of g()) break; return 'escaped'",
        "await Promise.allSettled([{ get then() { for (;;); } }]); return 'escaped'",
        "await Promise.all({ [Symbol.iterator]() { for (;;); } }).catch(() => 0); return 'escaped'",
        "const { promise, resolve } = Promise.withResolvers(); resolve({ then() { for (;;); } }); await promise; return 'escaped'",
        "try { [3, 1, 2].sort(() => { for (;;); }) } catch {} return 'escaped'",
        "try { JSON.stringify({ toJSON() { for (;;); } }) } catch {} return 'escaped'",
        "try { new Proxy({}, { get() { for (;;); } }).x } catch {} return 'escaped'",
        "try { `${{ toString() { for (;;); } }}` } catch {} return 'escaped'",
        "class P extends Promise { static get [Symbol.species]() { for (;;); } } await P.resolve(1).then(() => 1).catch(() => 0); return 'escaped'",
        "const h = []; for (let s = 1e6; s >= 1; s = s >> 1) { try { for (;;) h.push('x'.repeat(s) + h.length) } catch {} } for (;;) { try { for (;;); } catch {} }",
        "const spin = () => Promise.resolve().then(spin); await spin()",
        "for (;;) await null",
        "return { get a() { for (;;); } }",
        "throw { get message() { for (;;); } }",
        "console.log({ get a() { for (;;); } }); return 'escaped'",
    ] {
        ends_on_time(code, Features::default());
    }
}

#[test]
fn operations_of_the_engine_stop() {
    for code in [
        "Array.prototype.join.call({ length: 2 ** 53 - 1 }, '')",
        "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })",
        "Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1)",
        "Array.prototype.unshift.call({ length: 2 ** 53 - 2 }, 1)",
        "Array.prototype.shift.call({ length: 2 ** 53 - 1 })",
        "Array.prototype.splice.call({ length: 2 ** 53 - 1 }, 0, 1)",
        "Array.prototype.flat.call({ length: 2 ** 53 - 1 })",
        "Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 0)",
        "Array.prototype.toLocaleString.call({ length: 2 ** 53 - 1 })",
        "[].concat({ length: 2 ** 53 - 2, [Symbol.isConcatSpreadable]: true })",
        "new Array(2 ** 32 - 1).sort()",
        "[...new Array(2 ** 32 - 1)].length",
        "String.raw({ raw: { length: 2 ** 53 - 1 } })",
        "'a'.repeat(4e6).indexOf('a'.repeat(2e6) + 'b')",
        "'a'.repeat(4e6).lastIndexOf('b' + 'a'.repeat(2e6))",
        "'a'.repeat(4e6).includes('a'.repeat(2e6) + 'b')",
        "'a'.repeat(4e6).replaceAll('a'.repeat(2e6) + 'b', '')",
        "'a'.repeat(4e6).split('a'.repeat(2e6) + 'b')",
        "('a' + '\\u0301\\u0323'.repeat(5e5)).normalize('NFC').length",
        "const o = {}; for (let i = 0; i < 2e5; i++) o['k' + i] = 1; for (;;) ({ ...o })",
        "const a = Array.from({ length: 2e5 }, (_, i) => 'k' + i); Object.keys(new Proxy({}, { ownKeys: () => a }))",
        "let a; for (let i = 0; i < 40; i++) a = { x: a, y: a }; JSON.stringify(a)",
        "const s = '[' + '[],'.repeat(1e5) + '1]'; for (;;) JSON.parse(s)",
        "/^(a+)+$/.test('a'.repeat(60) + '!')",
        "new RegExp('a|'.repeat(1e5)).test('b')",
        "const a = (1n << 65000n) - 1n; for (;;) a * a",
        "const b = (1n << 65000n) - 1n; for (;;) b.toString()",
        "new Array(2 ** 32 - 1).values().drop(Infinity).next()",
        "const a = new Set(Array.from({ length: 2e5 }, (_, i) => i)); for (;;) a.union(a)",
        "const s = '9'.repeat(15000); for (;;) BigInt(s)",
    ] {
        ends_on_time(code, Features::default());
    }
}

#[test]
fn operations_on_bytes_stop() {
    let features = Features {
        typed_arrays: true,
        weak_refs: true,
    };
    for code in [
        "new Uint8Array(5e7).join('')",
        "Uint8Array.from({ length: 5e7 })",
        "const a = new Float64Array(1e6); for (;;) a.sort()",
        "const a = new Uint8Array(5e7); for (;;) a.fill(1)",
        "const a = new Uint8Array(2e7), b = new Uint8Array(2e7); for (;;) a.set(b)",
        "new FinalizationRegistry(() => { for (;;); }).register({}, 1); for (let i = 0; i < 1e6; i++) ({}); await null; for (;;);",
    ] {
        ends_on_time(code, features);
    }
}

#[test]
fn a_long_compilation_stops_too() {
    let nested = format!("return {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    ends_on_time(&nested, Features::default());
    let scopes: Vec<String> = (0..9_000).map(|i| format!("let a{i};")).collect();
    let scopes = scopes.concat();
    ends_on_time(&scopes, Features::default());
}

#[test]
fn a_stop_that_comes_while_compiling_ends_that_run_alone() {
    let lease = Lease::new();
    // Long to compile: each declaration looks at those before it.
    let scopes: Vec<String> = (0..6_000).map(|i| format!("let a{i};")).collect();
    let scopes = scopes.concat();
    for wait in 0..60 {
        let live = common::start(&lease, &scopes);
        std::thread::sleep(Duration::from_micros(wait * 500));
        live.stop();
        let end = live.drive().end.outcome;
        assert!(end.is_ok() || end.is_err_and(|failure| failure.code == FailureCode::Stopped));
        assert_eq!(common::start(&lease, "return 1").drive().result(), "1");
    }
}

#[test]
fn cpu_time_counts_while_compiling() {
    let limits = Limits {
        cpu_timeout_ms: 1,
        timeout_ms: 20_000,
        ..quick_limits()
    };
    let scopes: Vec<String> = (0..9_000).map(|i| format!("let a{i};")).collect();
    let seen = start_with(&Lease::new(), &scopes.concat(), limits, Features::default()).drive();
    assert_eq!(seen.code(), FailureCode::CpuTimeout);
}
