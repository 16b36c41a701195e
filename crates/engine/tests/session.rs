//! What programs of a session find beside the rest: values kept between programs, and a way to be looked at early.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a broken expectation ends the test"
)]

mod common;

use codemode_engine::{
    Ambient, Event, FailureCode, Features, Lease, Limits, Reply, SessionValues, StopReason,
};
use common::{Live, quick_limits, start_recorded, start_with};
use std::collections::HashMap;
use std::time::Duration;

fn start(lease: &Lease, code: &str, values: &[(&str, &str)], max_chars: u64) -> Live {
    let values: HashMap<String, String> = values
        .iter()
        .map(|(key, json)| ((*key).into(), (*json).into()))
        .collect();
    let ambient = Ambient::new().with_session(SessionValues::new(values, max_chars));
    start_recorded(lease, code, quick_limits(), Features::default(), ambient)
}

fn result(code: &str, values: &[(&str, &str)], max_chars: u64) -> String {
    let lease = Lease::new();
    start(&lease, code, values, max_chars)
        .drive()
        .result()
        .to_owned()
}

#[test]
fn a_value_is_loaded_as_a_copy() {
    let code = "const a = load('a'); a.n++; store('b', a); a.n++; \
                return [load('a'), load('b'), load('none') === undefined]";
    assert_eq!(
        result(code, &[("a", r#"{"n":1}"#)], 100),
        r#"[{"n":1},{"n":2},true]"#
    );
}

#[test]
fn undefined_removes_a_key() {
    let code = "store('a', undefined); return load('a') === undefined";
    assert_eq!(result(code, &[("a", "1")], 100), "true");
}

#[test]
fn what_is_not_json_is_refused() {
    let code = "const bad = []; \
                for (const [key, value] of [[1, 1], ['k', () => 1], ['k', 1n]]) \
                  try { store(key, value) } catch (e) { bad.push(e.name) } \
                return bad";
    assert_eq!(
        result(code, &[], 100),
        r#"["TypeError","TypeError","TypeError"]"#
    );
}

#[test]
fn the_size_counts_keys_and_values_and_what_is_replaced_no_more() {
    // `k` and `"123456789"` are 12 characters.
    let code = "store('k', '123456789'); store('k', '123456789'); return 'kept'";
    assert_eq!(result(code, &[], 12), r#""kept""#);
    let code = "let name; try { store('k', '123456789') } catch (e) { name = e.name + ': ' + e.message } \
                return [name, load('k') === undefined]";
    assert_eq!(
        result(code, &[], 11),
        r#"["RangeError: store: the session would keep 12 characters, more than maxStoreChars (11)",true]"#
    );
}

#[test]
fn changes_of_a_turn_are_told_once_the_last_of_each_key_before_what_was_said() {
    let lease = Lease::new();
    let code = "console.log('a'); text('b'); console.log('c'); store('k', [1]); console.log('d'); \
                store('gone', 1); store('gone', undefined); store('k', [2]); return 1";
    let live = start(&lease, code, &[], 100);
    let mut seen = Vec::new();
    loop {
        match live
            .events
            .recv_timeout(Duration::from_secs(10))
            .expect("an event")
        {
            Event::Logs(lines) => seen.push(lines.join("+")),
            Event::Text(lines) => seen.push(format!("text {}", lines.join("+"))),
            Event::Stored(changes) => seen.push(format!("{changes:?}")),
            Event::End(_) => break,
            other => panic!("{other:?}"),
        }
    }
    let expected = [r#"[("k", Some("[2]"))]"#, "a", "text b", "c+d"];
    assert_eq!(seen, expected);
}

#[test]
fn yielding_shows_what_there_is_while_the_program_computes_on() {
    let lease = Lease::new();
    let code = "console.log('early'); yield_control(); for (;;);";
    let live = start(&lease, code, &[], 100);
    let next = || live.events.recv_timeout(Duration::from_secs(10));
    assert!(matches!(next(), Ok(Event::Logs(lines)) if lines == ["early"]));
    assert!(matches!(next(), Ok(Event::Yielded)));
    live.handle.stop(StopReason::Stopped, None);
    assert!(matches!(next(), Ok(Event::End(end)) if end.outcome.is_err()));
}

#[test]
fn keys_that_come_and_go_or_never_were_leave_nothing_to_tell() {
    let lease = Lease::new();
    let code = "for (let n = 0; n < 100000; n++) { store('x' + n, undefined); store('y' + n, 1); store('y' + n, undefined) } \
                store('kept', 2); store('kept', undefined); return 1";
    let live = start(&lease, code, &[("kept", "1")], 100);
    let mut told = Vec::new();
    loop {
        match live.events.recv_timeout(Duration::from_secs(30)) {
            Ok(Event::Stored(changes)) => told.extend(changes),
            Ok(Event::End(end)) => break assert!(end.outcome.is_ok(), "{end:?}"),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(told, [("kept".to_owned(), None)]);
}

#[test]
fn yielding_and_storing_without_end_floods_nobody() {
    let lease = Lease::new();
    let code = "for (let n = 0; n < 300000; n++) { store('k', n); yield_control() } return 1";
    let live = start(&lease, code, &[], 100);
    let mut events = 0;
    loop {
        match live.events.recv_timeout(Duration::from_secs(30)) {
            Ok(Event::End(end)) => break assert!(end.outcome.is_ok(), "{end:?}"),
            Ok(_) => events += 1,
            Err(error) => panic!("{error}"),
        }
    }
    // Two for each millisecond at most, of 300,000.
    assert!(events < 60_000, "{events} events");
}

#[test]
fn a_program_that_computes_is_heard_all_the_same() {
    let lease = Lease::new();
    let code = "for (;;) console.log('still here')";
    let limits = Limits {
        max_output_chars: 100_000_000,
        memory_limit_bytes: 256 << 20,
        ..quick_limits()
    };
    let ambient = Ambient::new().with_session(SessionValues::default());
    let live = start_recorded(&lease, code, limits, Features::default(), ambient);
    let first = live.events.recv_timeout(Duration::from_millis(1_500));
    assert!(matches!(first, Ok(Event::Logs(_))), "{first:?}");
    live.handle.stop(StopReason::Stopped, None);
}

#[test]
fn a_program_outside_a_session_finds_none_of_it() {
    let lease = Lease::new();
    let code = "return [typeof store, typeof load, typeof yield_control]";
    let live = start_with(&lease, code, quick_limits(), Features::default());
    assert_eq!(
        live.drive().result(),
        r#"["undefined","undefined","undefined"]"#
    );
}

#[test]
fn the_host_can_end_a_run_for_its_calls_with_a_message_of_its_own() {
    let lease = Lease::new();
    let code = "try { await tools.never({}) } catch {} return 'caught'";
    let live = start(&lease, code, &[], 100);
    let Ok(Event::Calls(calls)) = live.events.recv_timeout(Duration::from_secs(10)) else {
        panic!("a call");
    };
    live.handle
        .stop(StopReason::ToolCalls, Some("enough in this session".into()));
    let id = calls.first().map_or(0, |call| call.id);
    live.handle.settle(vec![Reply {
        id,
        outcome: Ok("1".into()),
    }]);
    let Ok(Event::End(end)) = live.events.recv_timeout(Duration::from_secs(10)) else {
        panic!("the end");
    };
    let failure = end.outcome.expect_err("a failure");
    assert_eq!(failure.code, FailureCode::ToolCallLimit);
    assert_eq!(failure.message, "enough in this session");
}
