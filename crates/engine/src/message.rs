//! What crosses between a run and its host. JSON stays text; ids are small integers.

use serde::Serialize;
use std::ffi::CStr;
use std::sync::Arc;

/// A call the guest made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// From 1, in the order in which the guest made its calls.
    pub id: u32,
    /// Index of the tool in the host's list.
    pub tool: u32,
    /// Arguments as JSON text.
    pub input: String,
}

/// The host's answer to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// `ToolCall::id`.
    pub id: u32,
    /// The result as JSON text (empty for undefined), or the message of the error as a JSON string.
    pub outcome: Result<String, String>,
}

/// What a run tells its host, in the order in which it happened.
#[derive(Debug)]
pub enum Event {
    /// Calls of one turn of the guest.
    Calls(Vec<ToolCall>),
    /// Console lines.
    Logs(Vec<String>),
    /// What the guest gave to `text()`.
    Text(Vec<String>),
    /// Keys of the session's store with their new JSON text; `None` where the key was removed.
    Stored(Vec<(String, Option<String>)>),
    /// The guest asked whoever watches it to look now.
    Yielded,
    /// The end; nothing follows.
    End(Box<End>),
}

/// How a run ended.
#[derive(Debug)]
pub struct End {
    /// The result as JSON text.
    pub outcome: Result<String, Failure>,
    /// Calls the guest made, as `maxToolCalls` counts them.
    pub tool_calls: u32,
    /// CPU time of the guest.
    pub cpu_ms: f64,
    /// From the start to the end, pauses included.
    pub wall_ms: f64,
    /// The most bytes the guest held above a fresh realm.
    pub peak_memory_bytes: u64,
    /// Calls that failed and whose error nobody looked at.
    pub unhandled: Vec<u32>,
    /// Sentences for the model about what would otherwise go unnoticed.
    pub notes: Vec<String>,
    /// What the run took from outside, where its `Ambient` records.
    pub journal: Vec<crate::Reading>,
}

/// The failure codes of the host's API that the engine can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "the names are the documentation; see FailureCode of the host's API"
)]
pub enum FailureCode {
    ScriptError,
    SyntaxError,
    Timeout,
    CpuTimeout,
    MemoryLimit,
    ToolCallLimit,
    OutputLimit,
    SourceLimit,
    NotSerializable,
    Aborted,
    Stopped,
    Guardrail,
    Overloaded,
    /// The isolated process died; given by its host, never by a guest.
    Crashed,
    Internal,
}

/// Why a run gave no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The kind.
    pub code: FailureCode,
    /// Name of what the guest threw, else the failure's own.
    pub name: String,
    /// One or more sentences.
    pub message: String,
    /// 1-based, in the model's own source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// 1-based, in the model's own source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

impl Failure {
    /// A failure without a place.
    pub fn new(code: FailureCode, name: &str, message: impl Into<String>) -> Self {
        Self {
            code,
            name: name.into(),
            message: message.into(),
            line: None,
            column: None,
        }
    }
}

/// Where a run's events go. Called on worker threads and on the watchdog's; must not block and must not panic.
pub trait Sink: Send + Sync {
    /// Events of one run, in order.
    fn deliver(&self, events: Vec<Event>);
}

/// The tools of a run, as the guest finds them.
pub trait Tools: Send + Sync {
    /// Index of the tool behind a property of `tools`.
    fn find(&self, name: &str) -> Option<u32>;
    /// The enumerable properties of `tools`.
    fn names(&self) -> Vec<String>;
    /// The message of the `TypeError` for a call of a property that is no tool.
    fn unknown(&self, name: &str) -> String;
    /// Index of the tool that `tools.call(name)` means; unlike `find` also where the name cannot be a property.
    fn called(&self, name: &str) -> Option<u32>;
    /// What `ALL_TOOLS` holds, as JSON text. This and the next two: else the message of a `TypeError`.
    fn all(&self) -> Result<String, String>;
    /// What `tools.search(query)` resolves with, as JSON text: at most `limit` tools, best first.
    fn search(&self, query: &str, limit: u32) -> Result<String, String>;
    /// What `tools.describe(name)` resolves with, as JSON text.
    fn describe(&self, name: &str) -> Result<String, String>;
    /// Another global name of the object `tools`.
    fn object(&self) -> Option<&'static CStr> {
        None
    }
    /// The tools as global functions, where programs call them so.
    fn functions(&self) -> Option<&dyn Functions> {
        None
    }
}

/// Tools as global functions, beside the object `tools`.
pub trait Functions {
    /// Index of the tool behind a global name.
    fn find(&self, name: &str) -> Option<u32>;
    /// The global names.
    fn names(&self) -> Vec<String>;
    /// The message of the `ReferenceError` for a name that looks like such a function and is none.
    fn unknown(&self, name: &str) -> Option<String>;
}

/// Text ready for the compiler.
pub struct Program {
    /// One expression: an async function without parameters.
    pub text: String,
    /// Line number of the first line of `text`.
    pub first_line: i32,
    /// From a place in `text` to the place in the model's source, both 1-based.
    pub original: Box<dyn Fn(u32, u32) -> (u32, u32) + Send + Sync>,
    /// For `End::notes` where the run completes.
    pub notes: Vec<String>,
}

/// Makes the program on the worker thread, under the run's deadline.
pub type Prepare = Box<dyn FnOnce() -> Result<Program, Failure> + Send>;

/// Everything a run needs.
pub struct RunSpec {
    /// See `Limits`.
    pub limits: crate::Limits,
    /// Groups of globals that are off by default.
    pub features: crate::Features,
    /// See `Tools`.
    pub tools: Arc<dyn Tools>,
    /// See `Prepare`.
    pub prepare: Prepare,
    /// What `prepare` depends on. Runs with an equal key may share what was prepared and compiled for one of them; without
    /// a key nothing is kept.
    pub key: Option<Box<str>>,
    /// See `Sink`.
    pub sink: Arc<dyn Sink>,
    /// Where what the guest cannot compute itself comes from.
    pub ambient: crate::Ambient,
}
