//! Programs in processes: the host's side and the worker together, without Node.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a broken expectation ends the test"
)]

mod common;

use codemode_engine::{Event, FailureCode, Limits, StopReason};
use common::{Live, code_of, lease, limits, processes_of_ours, result_of, run, start};
use std::time::{Duration, Instant};

#[test]
fn a_program_gives_its_result() {
    let lease = lease();
    assert_eq!(result_of(&run(&lease, "return 1 + 1", limits())), "2");
    assert_eq!(
        result_of(&run(
            &lease,
            "export default async () => ({ a: [1, 'é\\ud800'] })",
            limits()
        )),
        "{\"a\":[1,\"é\\ud800\"]}"
    );
}

#[test]
fn calls_logs_and_text_come_in_order() {
    let lease = lease();
    let seen = run(
        &lease,
        "console.log('a'); const x = await tools.echo({ i: 1 }); text(x.i); const all = await Promise.all([1, 2, 3].map((i) => tools.echo(i))); return all",
        limits(),
    );
    assert_eq!(result_of(&seen), "[1,2,3]");
    assert_eq!(
        (&seen.logs[..], &seen.text[..]),
        (&["a".to_owned()][..], &["1".to_owned()][..])
    );
    let ids: Vec<_> = seen.calls.iter().map(|call| call.id).collect();
    assert_eq!(ids, [1, 2, 3, 4]);
    assert_eq!(seen.end.tool_calls, 4);
}

#[test]
fn unknown_tools_and_failing_ones_say_what_they_say_in_a_thread() {
    let lease = lease();
    let seen = run(
        &lease,
        "try { await tools.ecko() } catch (e) { return e.message }",
        limits(),
    );
    assert_eq!(
        result_of(&seen),
        "\"tools has no \\\"ecko\\\"; the nearest: echo\""
    );
    let seen = run(
        &lease,
        "try { await tools.fail() } catch (e) { return e.name + e.message }",
        limits(),
    );
    assert_eq!(result_of(&seen), "\"ToolErrorno\"");
}

#[test]
fn programs_share_nothing_and_random_differs() {
    let lease = lease();
    run(
        &lease,
        "globalThis.leak = 1; Object.prototype.polluted = 1; return 1",
        limits(),
    );
    assert_eq!(
        result_of(&run(&lease, "return [typeof leak, {}.polluted]", limits())),
        "[\"undefined\",null]"
    );
    let random = || result_of(&run(&lease, "return Math.random()", limits()));
    assert_ne!(random(), random());
}

#[test]
fn limits_stop_as_in_a_thread() {
    let lease = lease();
    let quick = Limits {
        timeout_ms: 300,
        ..limits()
    };
    assert_eq!(
        code_of(&run(&lease, "for (;;);", quick.clone())),
        FailureCode::Timeout
    );
    assert_eq!(
        code_of(&run(&lease, "await tools.never()", quick)),
        FailureCode::Timeout
    );
    let cpu = Limits {
        cpu_timeout_ms: 100,
        ..limits()
    };
    assert_eq!(
        code_of(&run(&lease, "for (;;);", cpu)),
        FailureCode::CpuTimeout
    );
    let small = Limits {
        memory_limit_bytes: 4 << 20,
        ..limits()
    };
    assert_eq!(
        code_of(&run(&lease, "const a = []; for (;;) a.push({})", small)),
        FailureCode::MemoryLimit
    );
    let calls = Limits {
        max_tool_calls: 2,
        ..limits()
    };
    assert_eq!(
        code_of(&run(&lease, "for (;;) await tools.echo(1)", calls)),
        FailureCode::ToolCallLimit
    );
    let output = Limits {
        max_output_chars: 10,
        ..limits()
    };
    assert_eq!(
        code_of(&run(&lease, "return 'x'.repeat(9)", output)),
        FailureCode::OutputLimit
    );
    let source = Limits {
        max_source_chars: 5,
        ..limits()
    };
    assert_eq!(
        code_of(&run(&lease, "return 1 + 1", source)),
        FailureCode::SourceLimit
    );
    assert_eq!(
        code_of(&run(&lease, "return (", limits())),
        FailureCode::SyntaxError
    );
}

#[test]
fn a_stop_and_a_deadline_end_a_computing_guest_at_once() {
    let lease = lease();
    let live = start(
        &lease,
        "console.log('on'); await tools.echo(1); for (;;) Object.keys('x'.repeat(1e6))",
        limits(),
    );
    std::thread::sleep(Duration::from_millis(50));
    live.answer();
    std::thread::sleep(Duration::from_millis(50));
    let asked = Instant::now();
    assert!(live.handle.stop(StopReason::Aborted, Some("why".into())));
    assert!(!live.handle.stop(StopReason::Stopped, None));
    let seen = live.finish();
    assert!(
        asked.elapsed() < Duration::from_millis(500),
        "{:?}",
        asked.elapsed()
    );
    let failure = seen.end.outcome.unwrap_err();
    assert_eq!(
        (failure.code, failure.message.as_str()),
        (FailureCode::Aborted, "why")
    );
    assert_eq!(seen.logs, ["on"]);
}

#[test]
fn the_clock_stands_still_while_it_is_paused() {
    let lease = lease();
    let live = start(
        &lease,
        "return await tools.echo(7)",
        Limits {
            timeout_ms: 200,
            ..limits()
        },
    );
    live.handle.pause_clock();
    std::thread::sleep(Duration::from_millis(400));
    live.handle.resume_clock();
    assert_eq!(result_of(&live.finish()), "7");
}

#[test]
fn a_killed_process_is_a_crash_of_its_run_alone() {
    let lease = lease();
    let victim = start(&lease, "await tools.never()", limits());
    let other = start(&lease, "return await tools.echo(7)", limits());
    victim.wait_for_call();
    let pids = victim.process();
    common::kill(pids, 11);
    let seen = victim.finish();
    let failure = seen.end.outcome.unwrap_err();
    assert_eq!(failure.code, FailureCode::Crashed);
    assert!(failure.message.contains("SIGSEGV"), "{}", failure.message);
    assert_eq!(seen.end.tool_calls, 1);
    assert_eq!(result_of(&other.finish()), "7");
    assert_eq!(result_of(&run(&lease, "return 1", limits())), "1");
}

#[test]
fn nothing_is_left_after_the_last_lease() {
    let lease = lease();
    let lives: Vec<Live> = (0..8)
        .map(|_| start(&lease, "await tools.never()", limits()))
        .collect();
    for live in &lives {
        live.wait_for_call();
    }
    assert!(lease.processes() > 8);
    for live in &lives {
        live.handle.stop(StopReason::Stopped, None);
    }
    for live in lives {
        assert_eq!(code_of(&live.finish()), FailureCode::Stopped);
    }
    drop(lease);
    common::settle_alone(|| processes_of_ours().is_empty());
}

#[test]
fn events_are_never_behind_the_end() {
    let lease = lease();
    for _ in 0..20 {
        let live = start(
            &lease,
            "for (let i = 0; ; i++) { console.log(i); await tools.echo(i) }",
            Limits {
                max_output_chars: 1 << 30,
                max_tool_calls: 1 << 20,
                timeout_ms: 30,
                ..limits()
            },
        );
        let seen = live.finish();
        assert_eq!(code_of(&seen), FailureCode::Timeout);
        assert!(seen.late.is_empty(), "{:?}", seen.late);
    }
}

#[test]
fn polling_by_the_host_gives_the_same_events() {
    let lease = lease();
    let live = start(
        &lease,
        "let sum = 0; for (let i = 0; i < 20; i++) sum += await tools.echo(i); return sum",
        limits(),
    );
    let mut end = None;
    while end.is_none() {
        live.handle.poll(true);
        for event in live.events.try_iter() {
            match event {
                Event::Calls(calls) => live.reply(&calls),
                Event::End(done) => end = Some(done),
                _ => {}
            }
        }
    }
    live.handle.poll(false);
    assert_eq!(end.unwrap().outcome.unwrap(), "190");
}
