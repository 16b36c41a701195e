//! What a host sends to the process of a run.

use crate::cursor::{Cursor, WireError, Writer};
use codemode_catalog::ToolName;
use codemode_engine::{Limits, Reply, SessionValues, StopReason};
use codemode_program::Dialect;

const START: u8 = 1;
const REPLIES: u8 = 2;
const STOP: u8 = 3;
const ANSWER: u8 = 4;

/// The program and all it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// See `Limits`; the wall clock is the host's.
    pub limits: Limits,
    /// Of `Math.random()`.
    pub seed: u64,
    /// What the tools are called.
    pub dialect: Dialect,
    /// In the order of the tools' indexes.
    pub names: Vec<ToolName>,
    /// Of a program of a session.
    pub session: Option<Session>,
    /// The model's text.
    pub code: String,
}

/// See `SessionValues`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// JSON text by key.
    pub values: Vec<(String, String)>,
    /// Of all keys and values, in UTF-16 code units.
    pub max_chars: u64,
}

impl From<Session> for SessionValues {
    fn from(session: Session) -> Self {
        Self::new(session.values.into_iter().collect(), session.max_chars)
    }
}

/// One frame of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToGuest {
    /// The first frame, once.
    Start(Box<Start>),
    /// Settles calls, in this order.
    Replies(Vec<Reply>),
    /// Ends the run.
    Stop(StopReason, Option<String>),
    /// To a `Query`.
    Answer(String),
}

/// The tools of an instance as a part of `Start`: made once, sent with every run.
pub fn encode_tools(dialect: Dialect, names: &[ToolName]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, 0);
    let code = Dialect::ALL.iter().position(|one| *one == dialect);
    writer.u8(code.unwrap_or_default() as u8);
    writer.list(names, |writer, ToolName { name, alias }| {
        writer.text(name);
        writer.option(alias.as_deref(), Writer::text);
    });
    // Without header and kind: only the fields.
    out.drain(..5);
    out
}

/// `Start` with tools from `encode_tools`.
pub fn encode_start(
    out: &mut Vec<u8>,
    limits: &Limits,
    seed: u64,
    tools: &[u8],
    session: Option<&SessionValues>,
    code: &str,
) {
    let mut writer = Writer::new(out, START);
    for value in [
        limits.timeout_ms,
        limits.cpu_timeout_ms,
        limits.memory_limit_bytes,
        limits.stack_limit_bytes,
        u64::from(limits.max_tool_calls),
        limits.max_output_chars,
        limits.max_source_chars,
        limits.max_tool_arg_chars,
        seed,
    ] {
        writer.u64(value);
    }
    writer.raw(tools);
    writer.option(session, |writer, session| {
        let values: Vec<_> = session.iter().collect();
        writer.list(&values, |writer, (key, json)| {
            writer.text(key);
            writer.text(json);
        });
        writer.u64(session.max_chars());
    });
    writer.text(code);
    writer.finish();
}

/// `Answer`.
pub fn encode_answer(out: &mut Vec<u8>, json: &str) {
    let mut writer = Writer::new(out, ANSWER);
    writer.text(json);
    writer.finish();
}

/// `Replies`.
pub fn encode_replies(out: &mut Vec<u8>, replies: &[Reply]) {
    let mut writer = Writer::new(out, REPLIES);
    writer.list(replies, |writer, reply| {
        writer.u32(reply.id);
        writer.flag(reply.outcome.is_ok());
        match &reply.outcome {
            Ok(json) | Err(json) => writer.text(json),
        }
    });
    writer.finish();
}

/// `Stop`.
pub fn encode_stop(out: &mut Vec<u8>, reason: StopReason, message: Option<&str>) {
    let mut writer = Writer::new(out, STOP);
    writer.u8(reason as u8);
    writer.option(message, Writer::text);
    writer.finish();
}

impl ToGuest {
    /// Reads one frame, kind first.
    pub fn decode(frame: &[u8]) -> Result<Self, WireError> {
        let mut cursor = Cursor::new(frame);
        let message = match cursor.u8().map_err(|_| WireError::Empty)? {
            START => Self::Start(Box::new(start(&mut cursor)?)),
            REPLIES => Self::Replies(cursor.list(9, reply)?),
            STOP => {
                let reason = StopReason::from_code(cursor.u8()?).ok_or(WireError::Value)?;
                Self::Stop(reason, cursor.option(Cursor::string)?)
            }
            ANSWER => Self::Answer(cursor.string()?),
            other => return Err(WireError::Kind(other)),
        };
        cursor.end()?;
        Ok(message)
    }
}

fn start(cursor: &mut Cursor<'_>) -> Result<Start, WireError> {
    let limits = Limits {
        timeout_ms: cursor.u64()?,
        cpu_timeout_ms: cursor.u64()?,
        memory_limit_bytes: cursor.u64()?,
        stack_limit_bytes: cursor.u64()?,
        max_tool_calls: u32::try_from(cursor.u64()?).map_err(|_| WireError::Value)?,
        max_output_chars: cursor.u64()?,
        max_source_chars: cursor.u64()?,
        max_tool_arg_chars: cursor.u64()?,
    };
    limits.validate().map_err(|_| WireError::Value)?;
    Ok(Start {
        limits,
        seed: cursor.u64()?,
        dialect: *Dialect::ALL
            .get(cursor.u8()? as usize)
            .ok_or(WireError::Value)?,
        names: cursor.list(5, |cursor| {
            Ok(ToolName {
                name: cursor.string()?,
                alias: cursor.option(Cursor::string)?,
            })
        })?,
        session: cursor.option(session)?,
        code: cursor.string()?,
    })
}

fn session(cursor: &mut Cursor<'_>) -> Result<Session, WireError> {
    Ok(Session {
        values: cursor.list(8, |cursor| Ok((cursor.string()?, cursor.string()?)))?,
        max_chars: cursor.u64()?,
    })
}

fn reply(cursor: &mut Cursor<'_>) -> Result<Reply, WireError> {
    let id = cursor.u32()?;
    let ok = cursor.flag()?;
    let text = cursor.string()?;
    let outcome = if ok { Ok(text) } else { Err(text) };
    Ok(Reply { id, outcome })
}
