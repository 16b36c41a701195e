//! Options as they cross: flat, validated by TypeScript, checked again where the engine's safety depends on it.

use crate::fault;
use codemode_catalog::ToolSpec;
use codemode_engine::{Features, Limits, SessionValues};
use napi::Result;
use napi_derive::napi;

/// One tool of an instance.
#[napi(object)]
pub struct NativeTool {
    /// The registered name.
    pub name: String,
    /// For the model.
    pub description: Option<String>,
    /// JSON Schema of the argument as JSON text.
    pub input_schema: Option<String>,
    /// JSON Schema of the result as JSON text.
    pub output_schema: Option<String>,
    /// True where TypeScript validates the arguments itself.
    pub skip_validation: Option<bool>,
}

/// Milliseconds, bytes and UTF-16 code units.
#[napi(object)]
#[derive(Clone)]
pub struct NativeLimits {
    /// Wall time of a run.
    pub timeout_ms: f64,
    /// CPU time of the guest.
    pub cpu_timeout_ms: f64,
    /// Heap of the guest.
    pub memory_limit_bytes: f64,
    /// Native stack of the guest.
    pub stack_limit_bytes: f64,
    /// Calls of a run.
    pub max_tool_calls: f64,
    /// Result and logs.
    pub max_output_chars: f64,
    /// Source.
    pub max_source_chars: f64,
    /// Arguments of a call as JSON.
    pub max_tool_arg_chars: f64,
}

/// What a program of a session finds.
#[napi(object)]
pub struct NativeSession {
    /// Pairs of a key and its value's JSON text, as JSON text.
    pub values: String,
    /// Characters of all keys and values.
    pub max_store_chars: f64,
}

impl NativeSession {
    pub(crate) fn to_values(&self) -> Result<SessionValues> {
        let pairs: Vec<(String, String)> =
            serde_json::from_str(&self.values).map_err(fault::misuse)?;
        let values = pairs.into_iter().collect();
        Ok(SessionValues::new(values, self.max_store_chars as u64))
    }
}

/// What an instance is made of.
#[napi(object)]
pub struct NativeOptions {
    /// In the order that gives each its index.
    pub tools: Vec<NativeTool>,
    /// Defaults of the runs.
    pub limits: NativeLimits,
    /// See `Features`.
    pub typed_arrays: bool,
    /// See `Features`.
    pub weak_refs: bool,
    /// Tokens of declarations that `signatures` may have.
    pub budget_tokens: u32,
    /// Names that programs find: `native`, `codex`, `cloudflare`, `tanstack` or `mastra`.
    pub dialect: String,
    /// The file of the worker, in process isolation.
    pub worker: Option<String>,
}

impl NativeLimits {
    pub(crate) fn to_limits(&self) -> Result<Limits> {
        // A float becomes the nearest integer in range; `validate` refuses what is out of the engine's.
        let limits = Limits {
            timeout_ms: self.timeout_ms as u64,
            cpu_timeout_ms: self.cpu_timeout_ms as u64,
            memory_limit_bytes: self.memory_limit_bytes as u64,
            stack_limit_bytes: self.stack_limit_bytes as u64,
            max_tool_calls: self.max_tool_calls as u32,
            max_output_chars: self.max_output_chars as u64,
            max_source_chars: self.max_source_chars as u64,
            max_tool_arg_chars: self.max_tool_arg_chars as u64,
        };
        limits.validate().map_err(fault::misuse)?;
        Ok(limits)
    }
}

impl NativeOptions {
    pub(crate) fn features(&self) -> Features {
        Features {
            typed_arrays: self.typed_arrays,
            weak_refs: self.weak_refs,
        }
    }
}

impl From<NativeTool> for ToolSpec {
    fn from(tool: NativeTool) -> Self {
        Self {
            name: tool.name,
            description: tool.description,
            input_schema: tool.input_schema,
            output_schema: tool.output_schema,
            validate_input: !tool.skip_validation.unwrap_or(false),
        }
    }
}
