//! What the process of a run sends to its host.

use crate::cursor::{Cursor, WireError, Writer};
use codemode_engine::{End, Event, Failure, FailureCode, ToolCall};

const READY: u8 = 1;
const CALLS: u8 = 2;
const LOGS: u8 = 3;
const TEXT: u8 = 4;
const END: u8 = 5;
const STORED: u8 = 6;
const YIELDED: u8 = 7;
const QUERY: u8 = 8;

const ALL: u8 = 1;
const SEARCH: u8 = 2;
const DESCRIBE: u8 = 3;

/// A list is split into frames of about this many bytes, so that a frame's limit is that of its longest item.
pub const CHUNK: usize = 256 << 10;

/// Questions that a run may ask.
pub const MAX_QUERIES: u32 = 10_000;

/// The codes a guest's process can give; the number is the index.
const CODES: [FailureCode; 14] = [
    FailureCode::ScriptError,
    FailureCode::SyntaxError,
    FailureCode::Timeout,
    FailureCode::CpuTimeout,
    FailureCode::MemoryLimit,
    FailureCode::ToolCallLimit,
    FailureCode::OutputLimit,
    FailureCode::SourceLimit,
    FailureCode::NotSerializable,
    FailureCode::Aborted,
    FailureCode::Stopped,
    FailureCode::Guardrail,
    FailureCode::Overloaded,
    FailureCode::Internal,
];

/// One frame of a guest's process. Its wall time and journal are not sent: the host has a clock of its own.
#[derive(Debug)]
pub enum FromGuest {
    /// Locked down, and waiting for a program. The first frame, once.
    Ready,
    /// Something happened.
    Event(Event),
    /// The guest stands still until there is an `Answer`, or a stop.
    Query(Query),
}

/// What a guest's process asks about the tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// All, in short.
    All,
    /// Those that match.
    Search {
        /// Of the program.
        text: String,
        /// Most tools in the answer.
        limit: u32,
    },
    /// One, in full.
    Describe {
        /// Its index.
        tool: u32,
    },
}

/// A question.
pub fn encode_query(out: &mut Vec<u8>, query: &Query) {
    let mut writer = Writer::new(out, QUERY);
    match query {
        Query::All => writer.u8(ALL),
        Query::Search { text, limit } => {
            writer.u8(SEARCH);
            writer.text(text);
            writer.u32(*limit);
        }
        Query::Describe { tool } => {
            writer.u8(DESCRIBE);
            writer.u32(*tool);
        }
    }
    writer.finish();
}

/// `Ready`.
pub fn encode_ready(out: &mut Vec<u8>) {
    Writer::new(out, READY).finish();
}

/// The frames of these events.
pub fn encode_events(out: &mut Vec<u8>, events: &[Event]) {
    for event in events {
        match event {
            Event::Calls(calls) => chunked(
                out,
                CALLS,
                calls,
                |call| call.input.len(),
                |writer, call| {
                    writer.u32(call.id);
                    writer.u32(call.tool);
                    writer.text(&call.input);
                },
            ),
            Event::Logs(lines) => lines_frames(out, LOGS, lines),
            Event::Text(lines) => lines_frames(out, TEXT, lines),
            Event::Stored(changes) => chunked(
                out,
                STORED,
                changes,
                |(key, json)| key.len() + json.as_ref().map_or(0, String::len),
                |writer, (key, json)| {
                    writer.text(key);
                    writer.option(json.as_deref(), Writer::text);
                },
            ),
            Event::Yielded => Writer::new(out, YIELDED).finish(),
            Event::End(end) => encode_end(out, end),
        }
    }
}

fn lines_frames(out: &mut Vec<u8>, kind: u8, lines: &[String]) {
    chunked(out, kind, lines, String::len, |writer, line| {
        writer.text(line);
    });
}

fn chunked<T>(
    out: &mut Vec<u8>,
    kind: u8,
    mut items: &[T],
    size: impl Fn(&T) -> usize,
    write: impl Fn(&mut Writer<'_>, &T),
) {
    while !items.is_empty() {
        let mut bytes = 0;
        let fits = |item: &&T| {
            let first = bytes == 0;
            bytes += size(item) + 16;
            first || bytes <= CHUNK
        };
        let count = items.iter().take_while(fits).count();
        let (chunk, rest) = items.split_at(count.max(1).min(items.len()));
        let mut writer = Writer::new(out, kind);
        writer.list(chunk, |writer, item| write(writer, item));
        writer.finish();
        items = rest;
    }
}

fn encode_end(out: &mut Vec<u8>, end: &End) {
    let mut writer = Writer::new(out, END);
    writer.u32(end.tool_calls);
    writer.amount(end.cpu_ms);
    writer.u64(end.peak_memory_bytes);
    writer.list(&end.unhandled, |writer, id| writer.u32(*id));
    writer.list(&end.notes, |writer, note| writer.text(note));
    writer.flag(end.outcome.is_ok());
    match &end.outcome {
        Ok(json) => writer.text(json),
        Err(failure) => {
            let code = CODES.iter().position(|code| *code == failure.code);
            // A code that is not a guest's to give is a fault of ours.
            writer.u8(code.unwrap_or(CODES.len() - 1) as u8);
            writer.text(&failure.name);
            writer.text(&failure.message);
            writer.option(failure.line, Writer::u32);
            writer.option(failure.column, Writer::u32);
        }
    }
    writer.finish();
}

impl FromGuest {
    /// Reads one frame, kind first. What it says is still the guest's word.
    pub fn decode(frame: &[u8]) -> Result<Self, WireError> {
        let mut cursor = Cursor::new(frame);
        let message = match cursor.u8().map_err(|_| WireError::Empty)? {
            READY => Self::Ready,
            CALLS => Self::Event(Event::Calls(cursor.list(12, call)?)),
            LOGS => Self::Event(Event::Logs(cursor.list(4, Cursor::string)?)),
            TEXT => Self::Event(Event::Text(cursor.list(4, Cursor::string)?)),
            END => Self::Event(Event::End(Box::new(end(&mut cursor)?))),
            STORED => Self::Event(Event::Stored(cursor.list(5, |cursor| {
                Ok((cursor.string()?, cursor.option(Cursor::string)?))
            })?)),
            YIELDED => Self::Event(Event::Yielded),
            QUERY => Self::Query(query(&mut cursor)?),
            other => return Err(WireError::Kind(other)),
        };
        cursor.end()?;
        Ok(message)
    }
}

fn query(cursor: &mut Cursor<'_>) -> Result<Query, WireError> {
    Ok(match cursor.u8()? {
        ALL => Query::All,
        SEARCH => Query::Search {
            text: cursor.string()?,
            limit: cursor.u32()?,
        },
        DESCRIBE => Query::Describe {
            tool: cursor.u32()?,
        },
        _ => return Err(WireError::Value),
    })
}

fn call(cursor: &mut Cursor<'_>) -> Result<ToolCall, WireError> {
    Ok(ToolCall {
        id: cursor.u32()?,
        tool: cursor.u32()?,
        input: cursor.string()?,
    })
}

fn end(cursor: &mut Cursor<'_>) -> Result<End, WireError> {
    let tool_calls = cursor.u32()?;
    let cpu_ms = cursor.amount()?;
    let peak_memory_bytes = cursor.u64()?;
    let unhandled = cursor.list(4, Cursor::u32)?;
    let notes = cursor.list(4, Cursor::string)?;
    let outcome = if cursor.flag()? {
        Ok(cursor.string()?)
    } else {
        Err(failure(cursor)?)
    };
    Ok(End {
        outcome,
        tool_calls,
        cpu_ms,
        wall_ms: 0.0,
        peak_memory_bytes,
        unhandled,
        notes,
        journal: Vec::new(),
    })
}

fn failure(cursor: &mut Cursor<'_>) -> Result<Failure, WireError> {
    let code = CODES.get(cursor.u8()? as usize).ok_or(WireError::Value)?;
    Ok(Failure {
        code: *code,
        name: cursor.string()?,
        message: cursor.string()?,
        line: cursor.option(Cursor::u32)?,
        column: cursor.option(Cursor::u32)?,
    })
}
