//! Events of one run to messages: JSON text made on the worker's thread, arguments checked there too.

use crate::hub::{Hub, Kind, Message};
use codemode_catalog::Catalog;
use codemode_engine::{End, Event, Failure, Sink, ToolCall};
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;

pub(crate) struct RunSink {
    pub(crate) run: u32,
    pub(crate) hub: Arc<Hub>,
    pub(crate) catalog: Arc<Catalog>,
}

impl Sink for RunSink {
    fn deliver(&self, events: Vec<Event>) {
        let messages = events.into_iter().map(|event| {
            let (kind, json) = match event {
                Event::Calls(calls) => (Kind::Calls, calls_json(&self.catalog, &calls)),
                Event::Logs(lines) => (Kind::Logs, json(&lines)),
                Event::Text(lines) => (Kind::Text, json(&lines)),
                Event::End(end) => (Kind::End, end_json(&end)),
                Event::Stored(changes) => (Kind::Stored, json(&changes)),
                Event::Yielded => (Kind::Yielded, "null".into()),
            };
            Message {
                run: self.run,
                kind,
                json,
            }
        });
        let messages: Vec<Message> = messages.collect();
        self.hub.push(messages.into_iter());
    }
}

/// `[[id, tool, input, problem], ...]`; the input is JSON text already.
fn calls_json(catalog: &Catalog, calls: &[ToolCall]) -> String {
    let size = calls.iter().map(|call| call.input.len() + 32).sum();
    let mut text = String::with_capacity(size);
    for call in calls {
        text.push(if text.is_empty() { '[' } else { ',' });
        let problem = catalog.validate(call.tool as usize, &call.input).err();
        let problem = problem.map_or_else(|| "null".into(), |problem| json(&problem));
        // Writing to a `String` cannot fail.
        let _ = write!(text, "[{},{},{},{problem}]", call.id, call.tool, call.input);
    }
    text.push(']');
    text
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EndMessage<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'a Failure>,
    tool_calls: u32,
    cpu_ms: f64,
    wall_ms: f64,
    peak_memory_bytes: u64,
    unhandled: &'a [u32],
    notes: &'a [String],
}

/// `NativeEnd`; the result is JSON text already.
fn end_json(end: &End) -> String {
    let (result, failure) = match &end.outcome {
        Ok(result) => (Some(result), None),
        Err(failure) => (None, Some(failure)),
    };
    let message = EndMessage {
        failure,
        tool_calls: end.tool_calls,
        cpu_ms: end.cpu_ms,
        wall_ms: end.wall_ms,
        peak_memory_bytes: end.peak_memory_bytes,
        unhandled: &end.unhandled,
        notes: &end.notes,
    };
    let mut text = json(&message);
    if let Some(result) = result {
        // The object is never empty: its first member follows the result.
        text.insert_str(1, &format!("\"result\":{result},"));
    }
    text
}

fn json(value: &impl Serialize) -> String {
    // Strings and numbers of ours always serialise.
    serde_json::to_string(value).unwrap_or_else(|_| "null".into())
}
