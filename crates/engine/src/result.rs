//! The guest's return value: to JSON text, or why not.

use crate::failure;
use crate::guest::{Guest, chars};
use crate::js::{Ctx, Value};
use crate::message::{Failure, FailureCode, Program};
use crate::run::Run;
use crate::stop::StopReason;

/// Nodes looked at when a value is searched for what JSON cannot hold.
const MAX_NODES: usize = 10_000;
const MAX_DEPTH: usize = 200;
/// Nodes looked at for the note about a Map or Set; a hint is not worth more.
const MAX_HINT_NODES: usize = 200;

/// The result as JSON text with notes about what was lost, or the failure.
pub(crate) fn serialise(
    ctx: Ctx,
    guest: &Guest,
    run: &Run,
    value: &Value,
    program: Option<&Program>,
) -> Result<(String, Vec<String>), Failure> {
    if value.is_undefined() {
        return Ok(("null".into(), Vec::new()));
    }
    if value.is_function() || value.is_symbol() || value.is_big_int() {
        return Err(not_serializable(kind(value), "the return value"));
    }
    let json = match ctx.stringify(value) {
        Ok(json) if json.is_undefined() => {
            let message = "the return value is not JSON: its toJSON() gave nothing";
            return Err(Failure::new(
                FailureCode::NotSerializable,
                "NotSerializableError",
                message,
            ));
        }
        Ok(json) => json,
        Err(_) => return Err(unserialised(ctx, value, program)),
    };
    let length = json.string_length().unwrap_or(usize::MAX) as u64;
    if !guest.output.admits_result(length) {
        run.stop_from_inside(StopReason::Output);
        let total = guest.output.used().saturating_add(length);
        return Err(failure::stopped(run, StopReason::Output, total));
    }
    match json.text() {
        Ok(text) => Ok((text, hints(value))),
        Err(_) => Err(unserialised(ctx, value, program)),
    }
}

/// The result of a program that ended itself, against what it said since.
pub(crate) fn admit(
    guest: &Guest,
    run: &Run,
    outcome: Result<(String, Vec<String>), Failure>,
) -> Result<(String, Vec<String>), Failure> {
    let length = outcome.as_ref().map_or(0, |(json, _)| chars(json));
    if guest.output.admits_result(length) {
        return outcome;
    }
    run.stop_from_inside(StopReason::Output);
    let total = guest.output.used().saturating_add(length);
    Err(failure::stopped(run, StopReason::Output, total))
}

/// `JSON.stringify` threw: for a reason of JSON's, or because the guest's own code threw.
fn unserialised(ctx: Ctx, value: &Value, program: Option<&Program>) -> Failure {
    let error = ctx.take_exception();
    let mut search = Search {
        path: Vec::new(),
        ancestors: Vec::new(),
        nodes: 0,
    };
    match search.find(value) {
        Some((what, path)) => not_serializable(what, &path),
        None => failure::thrown(ctx, &error, program),
    }
}

fn not_serializable(what: &str, path: &str) -> Failure {
    Failure::new(
        FailureCode::NotSerializable,
        "NotSerializableError",
        format!("{path} is {what}, which JSON cannot hold; return plain data"),
    )
}

fn kind(value: &Value) -> &'static str {
    if value.is_function() {
        "a function"
    } else if value.is_symbol() {
        "a symbol"
    } else {
        "a BigInt"
    }
}

/// Looks for a cycle or a `BigInt` without running any script.
struct Search {
    path: Vec<String>,
    ancestors: Vec<usize>,
    nodes: usize,
}

impl Search {
    fn find(&mut self, value: &Value) -> Option<(&'static str, String)> {
        self.nodes += 1;
        if self.nodes > MAX_NODES || self.ancestors.len() > MAX_DEPTH {
            return None;
        }
        if value.is_big_int() {
            return Some(("a BigInt", self.place()));
        }
        if !value.is_object() {
            return None;
        }
        if self.ancestors.contains(&value.address()) {
            return Some((
                "a reference to an object that holds it (a cycle)",
                self.place(),
            ));
        }
        self.ancestors.push(value.address());
        let list = value.is_array();
        for (key, item) in value.own_data(MAX_NODES).unwrap_or_default() {
            let Some(item) = item else { continue };
            self.path.push(if list {
                format!("[{key}]")
            } else {
                member(&key)
            });
            let found = self.find(&item);
            self.path.pop();
            if found.is_some() {
                return found;
            }
        }
        self.ancestors.pop();
        None
    }

    fn place(&self) -> String {
        if self.path.is_empty() {
            "the return value".into()
        } else {
            format!("result{}", self.path.concat())
        }
    }
}

fn member(key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let starts_well = key
        .chars()
        .next()
        .is_some_and(|c| plain(c) && !c.is_ascii_digit());
    if starts_well && key.chars().all(plain) {
        format!(".{key}")
    } else {
        format!("[{key:?}]")
    }
}

/// Notes about values that JSON empties silently.
fn hints(value: &Value) -> Vec<String> {
    let mut nodes = 0;
    lossy(value, "result", &mut nodes).into_iter().collect()
}

fn lossy(value: &Value, path: &str, nodes: &mut usize) -> Option<String> {
    *nodes += 1;
    if *nodes > MAX_HINT_NODES || !value.is_object() || path.len() > 200 {
        return None;
    }
    let advice = if value.is_map() {
        "a Map became {}; use Object.fromEntries(map)"
    } else if value.is_set() {
        "a Set became {}; use [...set]"
    } else if value.is_error() {
        "an Error became {}; use error.message"
    } else if value.is_regexp() {
        "a RegExp became {}; use String(regexp)"
    } else if value.promise_state() != crate::js::PromiseState::NotAPromise {
        "a Promise became {}; await it"
    } else {
        let list = value.is_array();
        return value
            .own_data(MAX_HINT_NODES)
            .ok()?
            .into_iter()
            .find_map(|(key, item)| {
                let step = if list {
                    format!("[{key}]")
                } else {
                    member(&key)
                };
                item.and_then(|item| lossy(&item, &format!("{path}{step}"), nodes))
            });
    };
    Some(format!("{path}: {advice}"))
}
