//! A host for tests.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "each test file uses its part; a broken expectation ends the test"
)]

use codemode_catalog::{Catalog, ToolSpec};
use codemode_engine::{End, Event, FailureCode, Features, Limits, Reply, Sink, ToolCall};
use codemode_process::{Lease, RunHandle, Spec, ToolSet};
use codemode_program::Dialect;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub const WORKER: &str = env!("CARGO_BIN_EXE_codemode-worker");

pub const NAMES: [&str; 3] = ["echo", "fail", "never"];

/// Tests of one file share the pool of their process, so the last lease is seldom the last.
pub fn lease() -> Lease {
    Lease::new(Path::new(WORKER)).unwrap()
}

pub fn limits() -> Limits {
    Limits {
        timeout_ms: 10_000,
        cpu_timeout_ms: 10_000,
        ..Limits::default()
    }
}

struct Channel(Mutex<Sender<Event>>);

impl Sink for Channel {
    fn deliver(&self, events: Vec<Event>) {
        let sender = self.0.lock().unwrap();
        for event in events {
            let _ = sender.send(event);
        }
    }
}

pub struct Live {
    pub handle: RunHandle,
    pub events: Receiver<Event>,
    held: Mutex<Vec<Event>>,
    pub before: Vec<i32>,
}

#[derive(Debug)]
pub struct Seen {
    pub end: End,
    pub logs: Vec<String>,
    pub text: Vec<String>,
    pub calls: Vec<ToolCall>,
    /// What came after the end.
    pub late: Vec<Event>,
}

pub fn start(lease: &Lease, code: &str, limits: Limits) -> Live {
    let (sender, events) = channel();
    let tool = |name: &str| ToolSpec {
        name: name.into(),
        ..ToolSpec::default()
    };
    let catalog = Catalog::new(NAMES.map(tool).to_vec()).unwrap();
    let handle = lease.start(Spec {
        limits,
        features: Features::default(),
        tools: Arc::new(ToolSet::new(Arc::new(catalog), Dialect::Native)),
        session: None,
        code: code.into(),
        sink: Arc::new(Channel(Mutex::new(sender))),
    });
    Live {
        handle,
        events,
        held: Mutex::default(),
        before: Vec::new(),
    }
}

pub fn run(lease: &Lease, code: &str, limits: Limits) -> Seen {
    start(lease, code, limits).finish()
}

impl Live {
    pub fn reply(&self, calls: &[ToolCall]) {
        for call in calls {
            let outcome = match NAMES[call.tool as usize] {
                "echo" => Ok(call.input.clone()),
                "fail" => Err("\"no\"".into()),
                _ => continue,
            };
            self.handle.settle(&[Reply {
                id: call.id,
                outcome,
            }]);
        }
    }

    /// Waits for one batch of calls and keeps it unanswered.
    pub fn wait_for_call(&self) {
        loop {
            let event = self.events.recv_timeout(Duration::from_secs(10)).unwrap();
            let call = matches!(event, Event::Calls(_));
            self.held.lock().unwrap().push(event);
            if call {
                return;
            }
        }
    }

    /// Waits for calls and answers them.
    pub fn answer(&self) {
        self.wait_for_call();
        for event in self.held.lock().unwrap().iter() {
            if let Event::Calls(calls) = event {
                self.reply(calls);
            }
        }
    }

    pub fn process(&self) -> i32 {
        self.handle.process_id().unwrap()
    }

    pub fn finish(self) -> Seen {
        let mut seen = (Vec::new(), Vec::new(), Vec::new());
        let answered = self.held.lock().unwrap().len();
        let held: Vec<Event> = self.held.lock().unwrap().drain(..).collect();
        let mut count = 0;
        let mut held = held.into_iter();
        loop {
            let event = match held.next() {
                Some(event) => event,
                None => self.events.recv_timeout(Duration::from_secs(20)).unwrap(),
            };
            count += 1;
            match event {
                Event::Logs(lines) => seen.0.extend(lines),
                Event::Stored(_) | Event::Yielded => panic!("no session"),
                Event::Text(lines) => seen.1.extend(lines),
                Event::Calls(calls) => {
                    if count > answered {
                        self.reply(&calls);
                    }
                    seen.2.extend(calls);
                }
                Event::End(end) => {
                    let late: Vec<Event> = std::iter::from_fn(|| {
                        self.events.recv_timeout(Duration::from_millis(1)).ok()
                    })
                    .collect();
                    return Seen {
                        end: *end,
                        logs: seen.0,
                        text: seen.1,
                        calls: seen.2,
                        late,
                    };
                }
            }
        }
    }
}

pub fn result_of(seen: &Seen) -> String {
    match &seen.end.outcome {
        Ok(json) => json.clone(),
        Err(failure) => panic!("{failure:?}"),
    }
}

pub fn code_of(seen: &Seen) -> FailureCode {
    match &seen.end.outcome {
        Ok(json) => panic!("completed with {json}"),
        Err(failure) => failure.code,
    }
}

/// Processes whose file is the worker's and whose group leader is a child of this process.
pub fn processes_of_ours() -> Vec<i32> {
    let own = std::process::id().to_string();
    let mut parents = std::collections::HashMap::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<i32>() else {
            continue;
        };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        let Some((head, fields)) = stat.rsplit_once(')') else {
            continue;
        };
        if head.contains("codemode-worke") {
            parents.insert(
                pid,
                fields.split_ascii_whitespace().nth(1).unwrap().to_owned(),
            );
        }
    }
    let leaders: Vec<i32> = parents
        .iter()
        .filter(|(_, parent)| **parent == own)
        .map(|(pid, _)| *pid)
        .collect();
    let ours = |parent: &String| leaders.iter().any(|leader| leader.to_string() == *parent);
    parents
        .iter()
        .filter(|(pid, parent)| leaders.contains(pid) || ours(parent))
        .map(|(pid, _)| *pid)
        .collect()
}

pub fn kill(pid: i32, signal: i32) {
    let status = std::process::Command::new("/bin/kill")
        .args([format!("-{signal}"), pid.to_string()])
        .status();
    assert!(status.unwrap().success());
}

/// Waits up to five seconds for something.
pub fn settle(what: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(5);
    while !what() {
        assert!(Instant::now() < until, "did not settle");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// As `settle`, while other tests of this process may use the pool.
pub fn settle_alone(what: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !what() {
        assert!(Instant::now() < until, "did not settle");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Ends a process, if it is still there.
#[allow(unsafe_code, reason = "a signal to a process of ours")]
pub fn kill_process(pid: i32, signal: i32) {
    // SAFETY: sends a signal.
    unsafe { libc::kill(pid, signal) };
}
