//! A run without pool and watchdog: the same turns, on the caller's thread.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a broken expectation ends the test"
)]

mod common;

use codemode_engine::{
    Ambient, FailureCode, Features, Limits, Program, Reply, RunSpec, Solo, SoloRun, StopReason,
};
use common::{Channel, TestTools};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard};

/// Alarms reach the one guest of the process: these tests take turns.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn begin(
    body: &str,
    limits: Limits,
    seed: u64,
    stop: Option<StopReason>,
) -> (SoloRun, Receiver<codemode_engine::Event>) {
    let (sender, events) = channel();
    let body = body.to_owned();
    let spec = RunSpec {
        limits,
        features: Features::default(),
        tools: Arc::new(TestTools),
        prepare: Box::new(move || {
            Ok(Program {
                text: format!("(async () => {{{body}\n}})"),
                first_line: 1,
                original: Box::new(|line, column| (line, column)),
                notes: Vec::new(),
            })
        }),
        key: None,
        sink: Arc::new(Channel::new(sender)),
        ambient: Ambient::seeded(seed),
    };
    let run = Solo::new(Features::default()).unwrap().begin(
        spec,
        Box::new(move || stop.map(|reason| (reason, Some("told".into())))),
    );
    (run, events)
}

fn outcome(events: &Receiver<codemode_engine::Event>) -> Result<String, codemode_engine::Failure> {
    for event in events.try_iter() {
        if let codemode_engine::Event::End(end) = event {
            return end.outcome;
        }
    }
    panic!("no end");
}

#[test]
fn calls_wait_for_replies_and_the_end_comes_once() {
    let _alone = alone();
    let (mut run, events) = begin(
        "return (await tools.echo({ a: 1 })).b",
        Limits::default(),
        1,
        None,
    );
    assert!(run.is_waiting());
    run.resume(vec![Reply {
        id: 1,
        outcome: Ok("{\"b\":7}".into()),
    }]);
    assert!(!run.is_waiting());
    assert_eq!(outcome(&events).unwrap(), "7");
}

#[test]
fn a_waiting_run_is_stopped() {
    let _alone = alone();
    let (mut run, events) = begin("await tools.never()", Limits::default(), 1, None);
    run.stop(StopReason::Aborted, Some("why".into()));
    let failure = outcome(&events).unwrap_err();
    assert_eq!(
        (failure.code, failure.message.as_str()),
        (FailureCode::Aborted, "why")
    );
}

#[test]
fn an_alarm_makes_a_computing_guest_look() {
    let _alone = alone();
    codemode_engine::raise_alarm();
    let (_, events) = begin("for (;;);", Limits::default(), 1, Some(StopReason::Timeout));
    let failure = outcome(&events).unwrap_err();
    assert_eq!(
        (failure.code, failure.message.as_str()),
        (FailureCode::Timeout, "told")
    );
}

#[test]
fn an_alarm_without_a_reason_changes_nothing() {
    let _alone = alone();
    let body = "await tools.echo(); let x = 0; for (let i = 0; i < 1e5; i++) x++; return x";
    let (mut run, events) = begin(body, Limits::default(), 1, None);
    codemode_engine::raise_alarm();
    run.resume(vec![Reply {
        id: 1,
        outcome: Ok("1".into()),
    }]);
    assert_eq!(outcome(&events).unwrap(), "100000");
}

#[test]
fn the_cpu_limit_holds_without_a_watchdog() {
    let _alone = alone();
    let limits = Limits {
        cpu_timeout_ms: 50,
        ..Limits::default()
    };
    let (_, events) = begin("for (;;);", limits, 1, None);
    assert_eq!(outcome(&events).unwrap_err().code, FailureCode::CpuTimeout);
}

#[test]
fn the_seed_decides_what_random_gives() {
    let _alone = alone();
    let random =
        |seed| outcome(&begin("return Math.random()", Limits::default(), seed, None).1).unwrap();
    assert_eq!(random(5), random(5));
    assert_ne!(random(5), random(6));
}
