//! Threads and counters: given back, counted, capped.
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
    Ambient, Event, FailureCode, Features, Lease, MAX_STUCK_THREADS, Program, RunSpec, StopReason,
};
use common::{Channel, TestTools, quick_limits, start};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The pool is one for the process, and these tests look at its counters.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    ALONE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn threads_of_process() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(10), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn threads_end_with_the_last_lease() {
    let _alone = alone();
    let before = threads_of_process();
    let first = Lease::new();
    let second = Lease::new();
    assert_eq!(start(&first, "return 1").drive().result(), "1");
    drop(first);
    assert_eq!(start(&second, "return 2").drive().result(), "2");
    assert!(second.threads() >= 1);
    drop(second);
    eventually("the threads end", || threads_of_process() <= before);
}

#[test]
fn every_run_ends_when_its_host_leaves() {
    let _alone = alone();
    let lease = Lease::new();
    let lives: Vec<_> = ["for (;;);", "await tools.never()", "for (;;) await null"]
        .map(|code| start(&lease, code))
        .into();
    std::thread::sleep(Duration::from_millis(50));
    for live in &lives {
        live.handle.stop(StopReason::Stopped, Some("bye".into()));
    }
    drop(lease);
    for live in lives {
        let seen = live.drive();
        assert_eq!(
            (seen.code(), seen.failure().message.as_str()),
            (FailureCode::Stopped, "bye")
        );
    }
}

/// A program whose preparation does not come back before `until` is set: no script can do this any more.
fn block(
    lease: &Lease,
    until: &Arc<Mutex<bool>>,
) -> (codemode_engine::RunHandle, std::sync::mpsc::Receiver<Event>) {
    let (sender, events) = channel();
    let until = until.clone();
    let mut limits = quick_limits();
    limits.timeout_ms = 50;
    let prepare = Box::new(move || {
        while !*until.lock().unwrap() {
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(Program {
            text: "(async () => 1)".into(),
            first_line: 1,
            original: Box::new(|l, c| (l, c)),
            notes: vec![],
        })
    });
    let spec = RunSpec {
        limits,
        features: Features::default(),
        tools: Arc::new(TestTools),
        prepare,
        key: None,
        sink: Arc::new(Channel::new(sender)),
        ambient: Ambient::new(),
    };
    (lease.start(spec), events)
}

#[test]
fn a_stuck_thread_is_counted_and_too_many_refuse_new_runs() {
    let _alone = alone();
    let lease = Lease::new();
    let until = Arc::new(Mutex::new(false));
    let blocked: Vec<_> = (0..MAX_STUCK_THREADS)
        .map(|_| block(&lease, &until))
        .collect();
    for (_, events) in &blocked {
        let Ok(Event::End(end)) = events.recv_timeout(Duration::from_secs(20)) else {
            panic!("no end")
        };
        assert_eq!(end.outcome.unwrap_err().code, FailureCode::Timeout);
    }
    eventually("all are counted", || {
        lease.stuck_threads() == MAX_STUCK_THREADS
    });
    assert_eq!(
        start(&lease, "return 1").drive().code(),
        FailureCode::Overloaded
    );
    *until.lock().unwrap() = true;
    eventually("all come back", || lease.stuck_threads() == 0);
    assert_eq!(start(&lease, "return 1").drive().result(), "1");
    for (_, events) in &blocked {
        assert!(events.try_recv().is_err(), "an end came twice");
    }
}

#[test]
fn a_panic_of_ours_is_a_fault_and_the_pool_goes_on() {
    let _alone = alone();
    let lease = Lease::new();
    let (sender, events) = channel();
    let spec = RunSpec {
        limits: quick_limits(),
        features: Features::default(),
        tools: Arc::new(TestTools),
        prepare: Box::new(|| panic!("a test of the panic boundary")),
        key: None,
        sink: Arc::new(Channel::new(sender)),
        ambient: Ambient::new(),
    };
    let _run = lease.start(spec);
    let Ok(Event::End(end)) = events.recv_timeout(Duration::from_secs(10)) else {
        panic!("no end")
    };
    let failure = end.outcome.unwrap_err();
    assert_eq!(failure.code, FailureCode::Internal);
    assert!(!failure.message.contains("boundary"), "{failure:?}");
    assert_eq!(start(&lease, "return 1").drive().result(), "1");
}

#[test]
fn many_runs_leave_nothing() {
    let _alone = alone();
    let lease = Lease::new();
    for round in 0..300 {
        let (code, ok) = match round % 5 {
            0 => ("return await tools.echo(1)", true),
            1 => ("throw new Error('x')", false),
            2 => ("tools.never(); return 1", true),
            3 => ("return (", false),
            _ => ("await tools.fail('no')", false),
        };
        assert_eq!(
            start(&lease, code).drive().end.outcome.is_ok(),
            ok,
            "{code}"
        );
    }
    assert_eq!(lease.stuck_threads(), 0);
    assert!(lease.threads() <= 8);
}
