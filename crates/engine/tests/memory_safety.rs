//! Programs that fill the heap at every size, in one process that must live.
#![allow(missing_docs, reason = "tests")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a broken expectation ends the test"
)]

mod common;
use codemode_engine::{FailureCode, Limits};
use common::{quick_limits, run_with};

#[test]
fn the_line_that_crashed_the_engine_under_its_own_limit() {
    let limits = Limits {
        timeout_ms: 20_000,
        cpu_timeout_ms: 20_000,
        ..quick_limits()
    };
    let code =
        "const o = {}; let i = 0; const s = 'x'.repeat(66348000); for (;;) o['key_' + i++] = i";
    assert_eq!(run_with(code, limits).code(), FailureCode::MemoryLimit);
}

#[test]
fn heaps_fill_at_every_limit() {
    let programs = [
        "const a = []; for (;;) a.push({ x: 1, y: 2 })",
        "const p = []; for (;;) p.push('x'.repeat(1000) + p.length)",
        "const m = new Map(); for (let i = 0; ; i++) m.set('k' + i, { i })",
        "const f = []; for (;;) f.push(() => f.length)",
        "class A { constructor() { this.q = new Array(100).fill(this) } } const l = []; for (;;) l.push(new A())",
        "const o = {}; for (let i = 0; ; i++) o['k' + i] = { i }",
        "const k = []; for (;;) k.push(/(?<y>\\d+)-(?<m>\\d+)/.exec('2026-11'))",
        "const g = []; for (;;) { const it = (function* () { yield g })(); it.next(); g.push(it) }",
        "const s = []; for (let i = 0; ; i++) s.push(Symbol.for('s' + i))",
        "const b = []; for (let i = 1n; ; i++) b.push(i ** 500n)",
        "const r = []; for (;;) r.push(JSON.parse('[{\"a\":[1,2,{\"b\":null}]}]'))",
        "const w = []; for (;;) w.push(new Proxy({}, {}), new Date(), new Error('x'))",
    ];
    for limit in [1, 2, 3, 5, 8, 13, 21, 33] {
        let memory_limit_bytes = limit << 20;
        for code in programs {
            let limits = Limits {
                memory_limit_bytes,
                timeout_ms: 60_000,
                cpu_timeout_ms: 60_000,
                ..quick_limits()
            };
            let seen = run_with(code, limits);
            assert_eq!(
                seen.code(),
                FailureCode::MemoryLimit,
                "{limit} MiB: {code}: {seen:?}"
            );
        }
    }
}
