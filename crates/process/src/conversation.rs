//! What a run's process may say, by what was agreed on. Everything else is a violation, whoever's fault it is.

use crate::store::Store;
use codemode_catalog::limits::MAX_QUERY_CHARS;
use codemode_engine::{End, Event, FailureCode, Limits, MAX_SEARCH_RESULTS, ToolCall, chars};
use codemode_wire::{CHUNK, MAX_QUERIES, Query};
use serde::de::IgnoredAny;
use std::time::Instant;

/// Calls named as unhandled, notes, and bytes of a failure's texts: more than the engine ever gives.
const MAX_UNHANDLED: usize = 64;
const MAX_NOTES: usize = 256;
const MAX_NOTE_BYTES: usize = 16 << 10;
const MAX_NAME_BYTES: usize = 1 << 10;
const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// Times that news of a session may come, beyond once a millisecond and once a call.
const FREE_TIMES: u64 = 100;

/// What was wrong, for the host's eyes.
pub(crate) type Violation = &'static str;

/// One run's messages so far.
#[derive(Debug)]
pub(crate) struct Conversation {
    max_tool_calls: u32,
    max_arg_chars: u64,
    /// What is left of `maxOutputChars`.
    output_left: u64,
    tools: u32,
    calls: u32,
    queries: u32,
    /// All tools were told.
    listed_all: bool,
    /// Frames of changes and yields.
    session_frames: u64,
    began: Instant,
    /// Of a program of a session.
    store: Option<Store>,
}

/// The text becomes a part of JSON of ours: it must be one value and nothing else.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

impl Conversation {
    pub(crate) fn new(limits: &Limits, tools: u32, store: Option<Store>) -> Self {
        Self {
            max_tool_calls: limits.max_tool_calls,
            max_arg_chars: limits.max_tool_arg_chars,
            output_left: limits.max_output_chars,
            tools,
            calls: 0,
            queries: 0,
            listed_all: false,
            session_frames: 0,
            began: Instant::now(),
            store,
        }
    }

    /// Calls made so far.
    pub(crate) fn calls(&self) -> u32 {
        self.calls
    }

    /// Whether the event may be passed on. `stopped`: this side has stopped the run.
    pub(crate) fn admit(&mut self, event: &Event, stopped: bool) -> Result<(), Violation> {
        match event {
            Event::Calls(calls) if calls.is_empty() => Err("an empty list of calls"),
            Event::Calls(calls) => calls.iter().try_for_each(|call| self.admit_call(call)),
            Event::Logs(lines) | Event::Text(lines) if lines.is_empty() => {
                Err("an empty list of lines")
            }
            Event::Logs(lines) | Event::Text(lines) => {
                lines.iter().try_for_each(|line| self.admit_line(line))
            }
            Event::Stored(changes) if changes.is_empty() => Err("an empty list of changes"),
            Event::Stored(changes) => {
                self.admit_of_session(self.frames_of_store())?;
                changes
                    .iter()
                    .try_for_each(|(key, json)| self.admit_stored(key, json.as_deref()))
            }
            Event::Yielded => self.admit_of_session(1),
            Event::End(end) => self.admit_end(end, stopped),
        }
    }

    fn admit_call(&mut self, call: &ToolCall) -> Result<(), Violation> {
        if call.id != self.calls.wrapping_add(1) {
            return Err("a call out of order");
        }
        if self.calls >= self.max_tool_calls {
            return Err("a call over maxToolCalls");
        }
        if call.tool >= self.tools {
            return Err("a call of no tool");
        }
        if chars(&call.input) > self.max_arg_chars {
            return Err("arguments over maxToolArgChars");
        }
        if !is_json(&call.input) {
            return Err("arguments that are not JSON");
        }
        self.calls += 1;
        Ok(())
    }

    fn admit_line(&mut self, line: &str) -> Result<(), Violation> {
        let left = self.output_left.checked_sub(chars(line).saturating_add(1));
        self.output_left = left.ok_or("lines over maxOutputChars")?;
        Ok(())
    }

    fn admit_stored(&mut self, key: &str, json: Option<&str>) -> Result<(), Violation> {
        let store = self.store.as_mut();
        let store = store.ok_or("news of a session without a session")?;
        if !store.change(key, json) {
            return Err("something stored over maxStoreChars");
        }
        if json.is_some_and(|json| !is_json(json)) {
            return Err("something stored that is not JSON");
        }
        Ok(())
    }

    /// Frames that what a session may keep can take, old and new.
    fn frames_of_store(&self) -> u64 {
        let chars = self.store.as_ref().map_or(0, Store::max_chars);
        2 + chars.saturating_mul(6) / CHUNK as u64
    }

    /// Counts what only programs of sessions send: as often as they yield, and after each of their turns, `each` frames.
    fn admit_of_session(&mut self, each: u64) -> Result<(), Violation> {
        if self.store.is_none() {
            return Err("news of a session without a session");
        }
        self.session_frames += 1;
        let times = FREE_TIMES + self.began.elapsed().as_millis() as u64 + u64::from(self.calls);
        if self.session_frames > times.saturating_mul(each + 1) {
            return Err("too much news of a session");
        }
        Ok(())
    }

    /// Whether the question may be answered.
    pub(crate) fn admit_query(&mut self, query: &Query) -> Result<(), Violation> {
        self.queries += 1;
        if self.queries > MAX_QUERIES {
            return Err("too many questions");
        }
        match query {
            Query::Search { text, .. } if text.chars().count() > MAX_QUERY_CHARS => {
                Err("a long question")
            }
            Query::Search { limit, .. } if *limit > MAX_SEARCH_RESULTS => {
                Err("a question for too many tools")
            }
            // A guest keeps the list.
            Query::All if std::mem::replace(&mut self.listed_all, true) => {
                Err("the same question again")
            }
            Query::Describe { tool } if *tool >= self.tools => Err("a question about no tool"),
            _ => Ok(()),
        }
    }

    fn admit_end(&self, end: &End, stopped: bool) -> Result<(), Violation> {
        if end.tool_calls != self.calls {
            return Err("a wrong number of calls at the end");
        }
        let known = |id: &u32| (1..=self.calls).contains(id);
        if end.unhandled.len() > MAX_UNHANDLED || !end.unhandled.iter().all(known) {
            return Err("unhandled calls that were not made");
        }
        if end.notes.len() > MAX_NOTES || end.notes.iter().any(|note| note.len() > MAX_NOTE_BYTES) {
            return Err("too many notes");
        }
        match &end.outcome {
            Ok(_) if stopped => Ok(()),
            Ok(json) if chars(json) > self.output_left => Err("a result over maxOutputChars"),
            Ok(json) if !is_json(json) => Err("a result that is not JSON"),
            Ok(_) => Ok(()),
            Err(failure) => {
                if failure.name.len() > MAX_NAME_BYTES || failure.message.len() > MAX_MESSAGE_BYTES
                {
                    return Err("a failure with too long a text");
                }
                let ours = matches!(
                    failure.code,
                    FailureCode::Timeout
                        | FailureCode::Aborted
                        | FailureCode::Stopped
                        | FailureCode::Guardrail
                        | FailureCode::Crashed
                );
                if ours && !stopped {
                    return Err("a stop that nobody asked for");
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests;
