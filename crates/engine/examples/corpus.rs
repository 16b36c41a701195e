//! Runs programs from a file, one JSON object a line (`{ "id", "code", "timeoutMs"?, "memoryLimitBytes"?, "features"? }`), in
//! this process, and prints how each ended. With `--inject N` each is run again up to N times, each time with another
//! allocation failing. Built with AddressSanitizer by `scripts/asan.mjs`; a crash is a finding.
//!
//! `corpus FILE [--inject N] [--from ID] [--skip ID:AT,...]`
#![allow(missing_docs, reason = "a program")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::panic,
    reason = "a broken input ends the program"
)]

use codemode_engine::{
    Ambient, Event, Features, Lease, Limits, Program, Reply, RunSpec, Sink, ToolCall, Tools, faults,
};
use std::io::Write;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const NAMES: [&str; 12] = [
    "echo",
    "get_price",
    "fail",
    "slow",
    "never",
    "big",
    "deep",
    "proto",
    "undef",
    "jsonish",
    "leak",
    "gate",
];

struct FixtureTools;

impl Tools for FixtureTools {
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
        format!("tools has no {name:?}")
    }

    fn called(&self, name: &str) -> Option<u32> {
        self.find(name)
    }

    fn all(&self) -> Result<String, String> {
        let all = NAMES.map(|name| format!(r#"{{"name":"{name}","description":""}}"#));
        Ok(format!("[{}]", all.join(",")))
    }

    fn search(&self, _query: &str, _limit: u32) -> Result<String, String> {
        Ok("[]".into())
    }

    fn describe(&self, name: &str) -> Result<String, String> {
        let found = self.find(name).ok_or_else(|| self.unknown(name))?;
        Ok(format!(r#"{{"name":"{}"}}"#, NAMES[found as usize]))
    }
}

struct Channel(Mutex<Sender<Event>>);

impl Sink for Channel {
    fn deliver(&self, events: Vec<Event>) {
        for event in events {
            let _ = self.0.lock().unwrap().send(event);
        }
    }
}

/// Reads a number out of flat JSON arguments.
fn number(input: &str, default: usize) -> usize {
    let digits: String = input.chars().filter(char::is_ascii_digit).take(7).collect();
    digits.parse().unwrap_or(default)
}

fn answer(call: &ToolCall) -> Option<Result<String, String>> {
    let input = &call.input;
    Some(match NAMES[call.tool as usize] {
        "never" | "gate" => return None,
        "fail" | "leak" => Err("\"failed on purpose\"".into()),
        "slow" => Ok("{\"done\":true}".into()),
        "big" => Ok(format!(
            "\"{}\"",
            "z".repeat(number(input, 1000).min(1 << 21))
        )),
        "deep" => {
            let depth = number(input, 100).min(200_000);
            Ok(format!("{}{}", "[".repeat(depth), "]".repeat(depth)))
        }
        "proto" => Ok(r#"{"__proto__":{"polluted":true},"constructor":{"x":1},"ok":1}"#.into()),
        "undef" => Ok(String::new()),
        "jsonish" => Ok(r#"{"toJSON":"x","then":"y","length":3,"valueOf":1}"#.into()),
        "get_price" => Ok(r#"{"item":"apple","usd":1.2}"#.into()),
        _ => Ok(input.clone()),
    })
}

struct Case {
    id: String,
    code: String,
    limits: Limits,
    features: Features,
}

fn run(lease: &Lease, case: &Case) -> String {
    let (sender, events) = channel();
    let code = case.code.clone();
    let spec = RunSpec {
        limits: case.limits.clone(),
        features: case.features,
        tools: Arc::new(FixtureTools),
        prepare: Box::new(move || {
            Ok(Program {
                text: format!("(async () => {{{code}\n}})"),
                first_line: 1,
                original: Box::new(|line, column| (line, column)),
                notes: Vec::new(),
            })
        }),
        key: None,
        sink: Arc::new(Channel(Mutex::new(sender))),
        ambient: Ambient::new(),
    };
    let handle = lease.start(spec);
    loop {
        match events.recv_timeout(Duration::from_secs(120)) {
            Ok(Event::Calls(calls)) => {
                let replies = calls.iter().filter_map(|call| {
                    answer(call).map(|outcome| Reply {
                        id: call.id,
                        outcome,
                    })
                });
                handle.settle(replies.collect());
            }
            Ok(Event::End(end)) => {
                return match end.outcome {
                    Ok(result) => format!("completed {}", result.len()),
                    Err(failure) => format!("{:?}", failure.code),
                };
            }
            Ok(_) => {}
            Err(_) => panic!("{}: no end", case.id),
        }
    }
}

fn read(path: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(path).expect("the file of programs");
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).expect("a JSON line");
            let number = |key: &str, default: u64| value[key].as_u64().unwrap_or(default);
            let has = |name: &str| {
                value["features"]
                    .as_array()
                    .is_some_and(|list| list.iter().any(|one| one == name))
            };
            Case {
                id: value["id"].as_str().expect("an id").into(),
                code: value["code"].as_str().expect("a code").into(),
                limits: Limits {
                    timeout_ms: number("timeoutMs", 300),
                    memory_limit_bytes: number("memoryLimitBytes", 64 << 20),
                    max_tool_calls: 50,
                    ..Limits::default()
                },
                features: Features {
                    typed_arrays: has("typedArrays"),
                    weak_refs: has("weakRefs"),
                },
            }
        })
        .collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|one| one == name)?;
        arguments.get(at + 1).cloned()
    };
    let cases = read(arguments.get(1).expect("a file"));
    let inject: u64 = option("--inject").map_or(0, |text| text.parse().expect("a number"));
    let from = option("--from");
    let skip: Vec<String> = option("--skip")
        .unwrap_or_default()
        .split(',')
        .map(String::from)
        .collect();
    let lease = Lease::new();
    let mut started = from.is_none();
    let (mut runs, mut injected) = (0, 0);
    for case in &cases {
        started = started || from.as_deref() == Some(&case.id);
        if !started {
            continue;
        }
        println!("BEGIN {} 0", case.id);
        std::io::stdout().flush().unwrap();
        faults::fail_at(0);
        let outcome = run(&lease, case);
        runs += 1;
        let total = faults::count();
        println!("END {} {outcome} allocations={total}", case.id);
        let points = inject.min(total);
        for point in 0..points {
            // Dense at the start, where the program is set up, then spread over the whole.
            let at = if point < points / 3 {
                point + 1
            } else {
                1 + point * total / points
            };
            if skip.contains(&format!("{}:{at}", case.id)) {
                continue;
            }
            println!("BEGIN {} {at}", case.id);
            std::io::stdout().flush().unwrap();
            faults::fail_at(at);
            run(&lease, case);
            injected += 1;
        }
    }
    println!("DONE programs={runs} injected={injected}");
}
