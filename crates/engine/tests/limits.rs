//! Every limit: just under passes, just over stops, catching it does not help.
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
use common::{quick_limits, run, run_with, start, start_with};
use std::time::{Duration, Instant};

#[test]
fn tool_calls() {
    let limits = Limits {
        max_tool_calls: 3,
        ..quick_limits()
    };
    let code = |n: u32| format!("for (let i = 0; i < {n}; i++) await tools.echo(i); return 'done'");
    assert_eq!(run_with(&code(3), limits.clone()).result(), "\"done\"");
    let over = run_with(&code(4), limits.clone());
    assert_eq!(
        (over.code(), over.end.tool_calls),
        (FailureCode::ToolCallLimit, 3)
    );
    assert!(
        over.failure().message.contains("maxToolCalls (3)"),
        "{over:?}"
    );
    let caught = "const all = []; for (let i = 0; i < 9; i++) { try { all.push(tools.echo(i)) } catch {} } await Promise.allSettled(all); return 'went on'";
    assert_eq!(run_with(caught, limits).code(), FailureCode::ToolCallLimit);
}

#[test]
fn output() {
    let limits = Limits {
        max_output_chars: 100,
        ..quick_limits()
    };
    assert_eq!(
        run_with("return 'x'.repeat(98)", limits.clone())
            .result()
            .len(),
        100
    );
    let over = run_with("return 'x'.repeat(99)", limits.clone());
    assert_eq!(over.code(), FailureCode::OutputLimit);
    assert!(
        over.failure().message.contains("101") && over.failure().message.contains("100"),
        "{over:?}"
    );
    // A line takes its characters and one more.
    assert_eq!(
        run_with("console.log('x'.repeat(95)); return 1", limits.clone()).result(),
        "1"
    );
    assert_eq!(
        run_with("console.log('x'.repeat(99)); return 1", limits.clone()).code(),
        FailureCode::OutputLimit
    );
    let caught = "for (;;) { try { for (;;) console.log('') } catch {} }";
    let stopped = run_with(caught, limits.clone());
    assert_eq!(
        (stopped.code(), stopped.logs.len()),
        (FailureCode::OutputLimit, 100)
    );
    assert_eq!(
        run_with("for (;;) text('y')", limits).code(),
        FailureCode::OutputLimit
    );
}

#[test]
fn arguments() {
    let limits = Limits {
        max_tool_arg_chars: 100,
        ..quick_limits()
    };
    assert_eq!(
        run_with("await tools.echo('x'.repeat(98)); return 1", limits.clone()).result(),
        "1"
    );
    let over = run_with(
        "try { await tools.echo('x'.repeat(99)) } catch (e) { return [e.name, e.message] }",
        limits,
    );
    assert!(
        over.result().contains("RangeError") && over.result().contains("maxToolArgChars (100)"),
        "{over:?}"
    );
    assert_eq!(over.end.tool_calls, 0);
}

#[test]
fn wall_time() {
    let limits = Limits {
        timeout_ms: 300,
        ..quick_limits()
    };
    assert_eq!(
        run_with("await tools.slow(); return 1", limits.clone()).result(),
        "1"
    );
    let began = Instant::now();
    let waiting = run_with("await tools.never()", limits.clone());
    assert_eq!(waiting.code(), FailureCode::Timeout);
    assert!(waiting.failure().message.contains("300"), "{waiting:?}");
    assert!(began.elapsed() >= Duration::from_millis(300));
    let caught = "for (;;) { try { await tools.never() } catch {} finally { continue } }";
    assert_eq!(run_with(caught, limits).code(), FailureCode::Timeout);
}

#[test]
fn cpu_time() {
    let limits = Limits {
        cpu_timeout_ms: 50,
        timeout_ms: 20_000,
        ..quick_limits()
    };
    // Waiting costs none.
    assert_eq!(
        run_with(
            "for (let i = 0; i < 6; i++) await tools.slow(); return 1",
            limits.clone()
        )
        .result(),
        "1"
    );
    assert_eq!(
        run_with("for (;;) {}", limits.clone()).code(),
        FailureCode::CpuTimeout
    );
    assert_eq!(
        run_with("for (;;) { try { for (;;) {} } catch {} }", limits.clone()).code(),
        FailureCode::CpuTimeout
    );
    // Inside one operation that asks nobody, and over several turns.
    assert_eq!(
        run_with("new Array(2 ** 32 - 1).join(',')", limits.clone()).code(),
        FailureCode::CpuTimeout
    );
    let turns = "for (;;) { const t = Date.now(); while (Date.now() - t < 5); await tools.echo() }";
    let limits = Limits {
        max_tool_calls: 100_000,
        ..limits
    };
    assert_eq!(run_with(turns, limits).code(), FailureCode::CpuTimeout);
}

#[test]
fn memory() {
    let limits = Limits {
        memory_limit_bytes: 8 << 20,
        timeout_ms: 10_000,
        cpu_timeout_ms: 10_000,
        ..quick_limits()
    };
    assert_eq!(
        run_with("return 'x'.repeat(6e6).length", limits.clone()).result(),
        "6000000"
    );
    for code in [
        "return 'x'.repeat(3e7).length",
        "const a = []; for (;;) a.push({})",
        "try { const a = []; for (;;) a.push(new Array(1000).fill(0)) } catch { return 'survived' }",
        "const keep = []; for (;;) { try { for (;;) keep.push('x'.repeat(1e5) + keep.length) } catch {} }",
        "await Promise.allSettled([(async () => { const m = new Map(); for (let i = 0; ; i++) m.set(i, {}) })()]); return 1",
    ] {
        let seen = run_with(code, limits.clone());
        assert_eq!(seen.code(), FailureCode::MemoryLimit, "{code}: {seen:?}");
        assert!(seen.failure().message.contains("8388608"), "{seen:?}");
    }
    // Garbage does not count, cycles among it.
    let churn = "for (let i = 0; i < 300000; i++) { const a = {}; a.a = a } return 1";
    assert_eq!(run_with(churn, limits).result(), "1");
}

#[test]
fn stack() {
    assert_eq!(
        run("const f = (n) => (n === 0 ? 0 : 1 + f(n - 1)); return f(1000)").result(),
        "1000"
    );
    let endless = run("const f = () => f() + 1; return f()");
    assert_eq!(
        (endless.code(), endless.failure().name.as_str()),
        (FailureCode::ScriptError, "RangeError")
    );
    assert!(endless.failure().message.contains("stack"), "{endless:?}");
    assert_eq!(
        run("try { const f = () => f() + 1; f() } catch (e) { return e instanceof RangeError }")
            .result(),
        "true"
    );
    let helpers = run(
        "let it = [1].values(); for (let i = 0; i < 1e5; i++) it = it.map((x) => x); return it.next().value",
    );
    assert_eq!(helpers.failure().name, "RangeError");
    let big = Limits {
        stack_limit_bytes: 8 << 20,
        ..quick_limits()
    };
    assert_eq!(
        run_with(
            "const f = (n) => (n === 0 ? 0 : 1 + f(n - 1)); return f(9000)",
            big
        )
        .result(),
        "9000"
    );
}

#[test]
fn a_limit_the_engine_cannot_enforce_is_refused() {
    let small = Limits {
        memory_limit_bytes: 1000,
        ..Limits::default()
    };
    let error = small.validate().unwrap_err();
    assert_eq!(
        error.to_string(),
        "Expected `limits.memoryLimitBytes` from 1048576 to 1099511627776, got `1000`"
    );
    assert!(Limits::default().validate().is_ok());
}

#[test]
fn a_paused_clock_stands() {
    let limits = Limits {
        timeout_ms: 150,
        ..quick_limits()
    };
    let lease = Lease::new();
    let live = start_with(
        &lease,
        "await tools.never(); return 1",
        limits,
        Features::default(),
    );
    live.handle.pause_clock();
    live.handle.pause_clock();
    std::thread::sleep(Duration::from_millis(300));
    live.handle.resume_clock();
    std::thread::sleep(Duration::from_millis(100));
    let began = Instant::now();
    live.handle.resume_clock();
    let seen = live.drive();
    assert_eq!(seen.code(), FailureCode::Timeout);
    assert!(
        began.elapsed() >= Duration::from_millis(100),
        "the clock went on: {:?}",
        began.elapsed()
    );
}

#[test]
fn the_first_reason_wins() {
    let lease = Lease::new();
    let live = start(&lease, "await tools.never()");
    assert!(live.stop());
    assert!(!live.stop());
    assert_eq!(live.drive().code(), FailureCode::Stopped);
}
