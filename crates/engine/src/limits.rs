//! The limits of one run, with the names the host's API uses.

use std::fmt;

/// Times in milliseconds, sizes in bytes, lengths in UTF-16 code units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Wall time of the run from the call that started it, pauses of the clock not counted.
    pub timeout_ms: u64,
    /// CPU time of the guest.
    pub cpu_timeout_ms: u64,
    /// Bytes the guest's heap may hold, counted from the fresh realm.
    pub memory_limit_bytes: u64,
    /// Native stack of the guest.
    pub stack_limit_bytes: u64,
    /// Tool calls of the run; the call after that stops it.
    pub max_tool_calls: u32,
    /// Result as JSON plus each log line and one for its end.
    pub max_output_chars: u64,
    /// Length of the source.
    pub max_source_chars: u64,
    /// Arguments of one call as JSON.
    pub max_tool_arg_chars: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout_ms: 30_000,
            cpu_timeout_ms: 30_000,
            memory_limit_bytes: 64 << 20,
            stack_limit_bytes: 1 << 20,
            max_tool_calls: 50,
            max_output_chars: 20_000,
            max_source_chars: 131_072,
            max_tool_arg_chars: 1_000_000,
        }
    }
}

/// Below this the engine cannot work.
pub const MIN_MEMORY_BYTES: u64 = 1 << 20;
/// Below this not even the engine's own functions fit.
pub const MIN_STACK_BYTES: u64 = 128 << 10;
/// Worker threads have this and a reserve.
pub const MAX_STACK_BYTES: u64 = 8 << 20;

/// A limit outside its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitError {
    /// Name as in the host's API.
    pub limit: &'static str,
    /// What was given.
    pub value: u64,
    /// The smallest and the largest value.
    pub range: (u64, u64),
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.range;
        write!(
            f,
            "Expected `limits.{}` from {low} to {high}, got `{}`",
            self.limit, self.value
        )
    }
}

impl std::error::Error for LimitError {}

impl Limits {
    /// Refuses what the engine cannot enforce.
    pub fn validate(&self) -> Result<(), LimitError> {
        let ranges = [
            ("timeoutMs", self.timeout_ms, (1, i32::MAX as u64)),
            ("cpuTimeoutMs", self.cpu_timeout_ms, (1, i32::MAX as u64)),
            (
                "memoryLimitBytes",
                self.memory_limit_bytes,
                (MIN_MEMORY_BYTES, 1 << 40),
            ),
            (
                "stackLimitBytes",
                self.stack_limit_bytes,
                (MIN_STACK_BYTES, MAX_STACK_BYTES),
            ),
        ];
        match ranges
            .into_iter()
            .find(|(_, value, (low, high))| value < low || value > high)
        {
            Some((limit, value, range)) => Err(LimitError {
                limit,
                value,
                range,
            }),
            None => Ok(()),
        }
    }
}
