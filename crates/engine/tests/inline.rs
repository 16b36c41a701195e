//! Turns on the host's own thread: made there where they are short, left in time where they are not, and the same in
//! every other respect.
#![allow(missing_docs, reason = "tests")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a broken expectation ends the test"
)]

mod common;
use codemode_engine::{
    Ambient, Event, FailureCode, Features, Lease, Limits, Reply, RunHandle, Seat,
};
use common::{Live, quick_limits, spec_of};
use std::time::{Duration, Instant};

/// Far more than the budget, far less than what the programs here compute: for a machine under load.
const SLACK: Duration = Duration::from_millis(150);

struct Host {
    lease: Lease,
    seat: Seat,
}

impl Host {
    fn new() -> Self {
        let lease = Lease::new();
        let seat = lease.seat();
        Self { lease, seat }
    }

    /// Starts here, and says how long this thread was held.
    fn start(&self, code: &str, limits: Limits) -> (Live, Duration) {
        let (spec, events) = spec_of(code, limits, Features::default(), Ambient::new());
        let began = Instant::now();
        let handle = self.lease.start_here(spec, &self.seat);
        (Live { handle, events }, began.elapsed())
    }

    fn settle(&self, handle: &RunHandle, id: u32, json: &str) -> Duration {
        let began = Instant::now();
        let outcome = Ok(json.to_owned());
        handle.settle_here(vec![Reply { id, outcome }], &self.seat);
        began.elapsed()
    }
}

fn end_of(live: &Live) -> Result<String, FailureCode> {
    loop {
        if let Event::End(end) = live.events.recv_timeout(Duration::from_secs(30)).unwrap() {
            return end.outcome.map_err(|failure| failure.code);
        }
    }
}

#[test]
fn short_turns_are_over_before_the_call_returns() {
    let host = Host::new();
    let code = "let sum = 0; for (let i = 0; i < 50; i++) sum += await tools.echo(i); return sum";
    let (live, _) = host.start(code, quick_limits());
    let mut made_here = 0;
    for i in 0..50u32 {
        let event = match live.events.try_recv() {
            Ok(event) => {
                made_here += 1;
                event
            }
            // A busy machine: the turn took long by the clock and went to a worker.
            Err(_) => live.events.recv_timeout(Duration::from_secs(30)).unwrap(),
        };
        assert!(matches!(event, Event::Calls(_)));
        host.settle(&live.handle, i + 1, &i.to_string());
    }
    assert!(made_here >= 10, "{made_here} of 50 turns were made here");
    assert_eq!(end_of(&live), Ok("1225".into()));
}

#[test]
fn a_program_that_computes_is_left_to_a_worker_and_ends_right() {
    let host = Host::new();
    let code = "let x = 0; for (let i = 0; i < 3e7; i++) x = (x + i) % 7; return x";
    let limits = Limits {
        timeout_ms: 30_000,
        cpu_timeout_ms: 30_000,
        ..quick_limits()
    };
    let (live, held) = host.start(code, limits.clone());
    assert!(held < SLACK, "{held:?}");
    assert_eq!(end_of(&live), Ok("1".into()));

    let code = format!("await tools.never(); {code}");
    let (live, _) = host.start(&code, limits);
    assert!(matches!(
        live.events.recv_timeout(Duration::from_secs(30)),
        Ok(Event::Calls(_))
    ));
    let held = host.settle(&live.handle, 1, "null");
    assert!(held < SLACK, "{held:?}");
    assert_eq!(end_of(&live), Ok("1".into()));
}

#[test]
fn long_operations_of_the_language_do_not_hold_the_thread() {
    let bodies = [
        ("an endless loop", "for (;;);"),
        (
            "a comparator",
            "Array.from({ length: 5e4 }, (_, i) => -i).sort((a, b) => { for (let i = 0; i < 1e4; i++); return a - b })",
        ),
        ("backtracking", "/^(a+)+$/.test('a'.repeat(40) + 'b')"),
        (
            "a large string",
            "let s = 'x'.repeat(2e7); for (;;) s.indexOf('xy')",
        ),
        (
            "a search",
            "'a'.repeat(2e5).indexOf('a'.repeat(1e5) + 'b'); for (;;);",
        ),
        ("a large array", "for (;;) new Array(1e6).fill(0)"),
        (
            "sorting",
            "for (;;) Array.from({ length: 3e5 }, () => 'k' + Math.random()).sort()",
        ),
        (
            "deep recursion",
            "const f = () => { try { f() } finally { f() } }; f()",
        ),
        (
            "JSON",
            "let a = [1]; for (let i = 0; i < 17; i++) a = [a, a]; for (;;) JSON.stringify(a)",
        ),
        ("a BigInt", "for (;;) 3n ** 30000n"),
        ("promises", "for (;;) await null"),
        (
            "a getter in the arguments",
            "tools.echo({ get a() { for (;;); } })",
        ),
    ];
    let limits = Limits {
        timeout_ms: 600,
        cpu_timeout_ms: 5_000,
        ..quick_limits()
    };
    for (what, body) in bodies {
        let host = Host::new();
        let (live, held) = host.start(body, limits.clone());
        assert!(held < SLACK, "{what}: {held:?} at the start");
        assert_eq!(end_of(&live), Err(FailureCode::Timeout), "{what}");

        let (live, _) = host.start(&format!("await tools.never(); {body}"), limits.clone());
        assert!(matches!(
            live.events.recv_timeout(Duration::from_secs(30)),
            Ok(Event::Calls(_))
        ));
        let held = host.settle(&live.handle, 1, "null");
        assert!(held < SLACK, "{what}: {held:?} after a call");
        assert_eq!(end_of(&live), Err(FailureCode::Timeout), "{what}");
    }
}

#[test]
fn limits_hold_as_on_a_worker() {
    let host = Host::new();
    let cases = [
        (
            "let a = []; for (;;) a.push('x'.repeat(1e5) + a.length)",
            Err(FailureCode::MemoryLimit),
        ),
        (
            "for (let i = 0; i < 101; i++) tools.never(i)",
            Err(FailureCode::ToolCallLimit),
        ),
        (
            "const f = () => f(); try { f() } catch (e) { return e.name }",
            Ok("\"RangeError\"".into()),
        ),
        (
            "const f = (n) => n && 1 + f(n - 1); return f(1000)",
            Ok("1000".into()),
        ),
        ("throw new Error('x')", Err(FailureCode::ScriptError)),
        ("return tools.nothing()", Err(FailureCode::ScriptError)),
    ];
    for (body, expected) in cases {
        let limits = Limits {
            max_tool_calls: 100,
            ..quick_limits()
        };
        let (live, _) = host.start(body, limits.clone());
        assert_eq!(end_of(&live), expected, "{body}");
        let (live, _) = host.start(&format!("await tools.never(); {body}"), limits);
        assert!(matches!(
            live.events.recv_timeout(Duration::from_secs(30)),
            Ok(Event::Calls(_))
        ));
        host.settle(&live.handle, 1, "null");
        assert_eq!(end_of(&live), expected, "{body} after a call");
    }
}

#[test]
fn cpu_time_is_counted_across_the_change_of_threads() {
    let host = Host::new();
    let limits = Limits {
        timeout_ms: 20_000,
        cpu_timeout_ms: 150,
        ..quick_limits()
    };
    let began = Instant::now();
    let (live, _) = host.start("for (;;);", limits);
    assert_eq!(end_of(&live), Err(FailureCode::CpuTimeout));
    assert!(began.elapsed() >= Duration::from_millis(100));
}

#[test]
fn a_stop_reaches_a_turn_that_was_left() {
    let host = Host::new();
    let (live, _) = host.start("for (;;);", quick_limits());
    assert!(live.stop());
    assert_eq!(end_of(&live), Err(FailureCode::Stopped));
}

#[test]
fn many_programs_begun_here_all_end() {
    let host = Host::new();
    let code = "let s = 0; for (let i = 0; i < 2e5; i++) s += i; return s + await tools.echo(1)";
    let live: Vec<Live> = (0..100)
        .map(|_| {
            let limits = Limits {
                timeout_ms: 60_000,
                cpu_timeout_ms: 60_000,
                ..quick_limits()
            };
            host.start(code, limits).0
        })
        .collect();
    for live in live {
        assert_eq!(live.drive().result(), "19999900001");
    }
}
