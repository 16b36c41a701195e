//! A host for tests: runs one program and answers its calls on the test's thread.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "each test file uses its part"
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a broken expectation ends the test"
)]

use codemode_engine::{
    Ambient, End, Event, Failure, FailureCode, Features, Lease, Limits, Program, Reply, RunHandle,
    RunSpec, Sink, StopReason, ToolCall, Tools,
};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub struct Channel(Mutex<Sender<Event>>);

impl Channel {
    pub fn new(sender: Sender<Event>) -> Self {
        Self(Mutex::new(sender))
    }
}

impl Sink for Channel {
    fn deliver(&self, events: Vec<Event>) {
        let sender = self.0.lock().unwrap();
        for event in events {
            let _ = sender.send(event);
        }
    }
}

/// Tools `echo`, `fail`, `never` and `slow`.
pub struct TestTools;

pub const NAMES: [&str; 4] = ["echo", "fail", "never", "slow"];

impl Tools for TestTools {
    fn find(&self, name: &str) -> Option<u32> {
        NAMES
            .iter()
            .position(|one| *one == name)
            .map(|index| index as u32)
    }

    fn names(&self) -> Vec<String> {
        NAMES.map(String::from).to_vec()
    }

    fn unknown(&self, name: &str) -> String {
        format!("tools has no \"{name}\"")
    }

    fn called(&self, name: &str) -> Option<u32> {
        self.find(name)
    }

    fn all(&self) -> Result<String, String> {
        let all = NAMES.map(|name| format!(r#"{{"name":"{name}","description":"Does {name}"}}"#));
        Ok(format!("[{}]", all.join(",")))
    }

    fn search(&self, query: &str, limit: u32) -> Result<String, String> {
        let found = NAMES.iter().filter(|name| name.contains(query));
        let found: Vec<String> = found
            .take(limit as usize)
            .map(|name| format!(r#"{{"name":"{name}"}}"#))
            .collect();
        Ok(format!("[{}]", found.join(",")))
    }

    fn describe(&self, name: &str) -> Result<String, String> {
        let found = self.find(name).ok_or_else(|| self.unknown(name))?;
        Ok(format!(r#"{{"name":"{}"}}"#, NAMES[found as usize]))
    }
}

pub struct Live {
    pub handle: RunHandle,
    pub events: Receiver<Event>,
}

/// All that a run did.
#[derive(Debug)]
pub struct Seen {
    pub end: End,
    pub logs: Vec<String>,
    pub text: Vec<String>,
    pub calls: Vec<ToolCall>,
}

impl Seen {
    pub fn result(&self) -> &str {
        self.end
            .outcome
            .as_deref()
            .unwrap_or_else(|failure| panic!("{failure:?}"))
    }

    pub fn failure(&self) -> &Failure {
        match &self.end.outcome {
            Err(failure) => failure,
            Ok(result) => panic!("completed with {result}"),
        }
    }

    pub fn code(&self) -> FailureCode {
        self.failure().code
    }
}

pub fn quick_limits() -> Limits {
    Limits {
        timeout_ms: 2_000,
        cpu_timeout_ms: 2_000,
        ..Limits::default()
    }
}

pub fn start_with(lease: &Lease, code: &str, limits: Limits, features: Features) -> Live {
    start_recorded(lease, code, limits, features, Ambient::new())
}

pub fn start_recorded(
    lease: &Lease,
    code: &str,
    limits: Limits,
    features: Features,
    ambient: Ambient,
) -> Live {
    let (spec, events) = spec_of(code, limits, features, ambient);
    Live {
        handle: lease.start(spec),
        events,
    }
}

/// What a run of this body is started with, and where its events arrive.
pub fn spec_of(
    code: &str,
    limits: Limits,
    features: Features,
    ambient: Ambient,
) -> (RunSpec, Receiver<Event>) {
    let (sender, events) = channel();
    let body = code.to_owned();
    let prepare = Box::new(move || {
        Ok(Program {
            text: format!("(async () => {{{body}\n}})"),
            first_line: 1,
            original: Box::new(|line, column| (line, column)),
            notes: Vec::new(),
        })
    });
    let spec = RunSpec {
        limits,
        features,
        tools: Arc::new(TestTools),
        prepare,
        key: None,
        sink: Arc::new(Channel::new(sender)),
        ambient,
    };
    (spec, events)
}

impl Live {
    /// Answers calls until the end.
    pub fn drive(self) -> Seen {
        self.drive_with(|call| match NAMES[call.tool as usize] {
            "echo" => Some(Ok(call.input.clone())),
            "fail" => Some(Err(call.input.clone())),
            "slow" => {
                std::thread::sleep(Duration::from_millis(20));
                Some(Ok("1".into()))
            }
            _ => None,
        })
    }

    pub fn drive_with(
        self,
        mut answer: impl FnMut(&ToolCall) -> Option<Result<String, String>>,
    ) -> Seen {
        let (mut logs, mut text, mut calls) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            match self
                .events
                .recv_timeout(Duration::from_secs(60))
                .expect("an event")
            {
                Event::Logs(lines) => logs.extend(lines),
                Event::Text(lines) => text.extend(lines),
                Event::Stored(_) | Event::Yielded => {}
                Event::Calls(batch) => {
                    let replies = batch.iter().filter_map(|call| {
                        answer(call).map(|outcome| Reply {
                            id: call.id,
                            outcome,
                        })
                    });
                    self.handle.settle(replies.collect());
                    calls.extend(batch);
                }
                Event::End(end) => {
                    return Seen {
                        end: *end,
                        logs,
                        text,
                        calls,
                    };
                }
            }
        }
    }

    pub fn stop(&self) -> bool {
        self.handle.stop(StopReason::Stopped, None)
    }
}

pub fn run_with(code: &str, limits: Limits) -> Seen {
    start_with(&Lease::new(), code, limits, Features::default()).drive()
}

pub fn start(lease: &Lease, code: &str) -> Live {
    start_with(lease, code, quick_limits(), Features::default())
}

pub fn run(code: &str) -> Seen {
    run_with(code, quick_limits())
}
