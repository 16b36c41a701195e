//! Why a run was stopped: one atomic cell on the host's side, first writer wins.
//!
//! It is never read back from an exception: a guest can throw a look-alike of every error the engine has.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};

/// The reasons that end a run before its own end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum StopReason {
    /// The wall clock of the run.
    Timeout = 1,
    /// The CPU time of the guest.
    CpuTimeout,
    /// The bytes of the guest's heap.
    Memory,
    /// A call more than `max_tool_calls`.
    ToolCalls,
    /// More characters than `max_output_chars`.
    Output,
    /// The caller's abort signal.
    Aborted,
    /// `stop()` or `close()` of the host.
    Stopped,
    /// A guardrail of the host.
    Guardrail,
    /// A panic in our own code.
    Internal,
}

impl StopReason {
    /// The reason with this number.
    pub fn from_code(code: u8) -> Option<Self> {
        use StopReason::{
            Aborted, CpuTimeout, Guardrail, Internal, Memory, Output, Stopped, Timeout, ToolCalls,
        };
        let all = [
            Timeout, CpuTimeout, Memory, ToolCalls, Output, Aborted, Stopped, Guardrail, Internal,
        ];
        all.into_iter().find(|reason| *reason as u8 == code)
    }
}

/// Empty, or the first reason that was given.
#[derive(Debug, Default)]
pub(crate) struct StopCell {
    code: AtomicU8,
    message: Mutex<Option<String>>,
}

impl StopCell {
    /// True for the first reason; a later one changes nothing.
    pub(crate) fn set(&self, reason: StopReason, message: Option<String>) -> bool {
        // Held across the exchange, so that a reader of the reason finds its message.
        let mut slot = crate::sync::lock(&self.message);
        let first = self
            .code
            .compare_exchange(0, reason as u8, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok();
        if first {
            *slot = message;
        }
        first
    }

    pub(crate) fn reason(&self) -> Option<StopReason> {
        StopReason::from_code(self.code.load(Ordering::SeqCst))
    }

    pub(crate) fn message(&self) -> Option<String> {
        crate::sync::lock(&self.message).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_wins() {
        let cell = StopCell::default();
        assert_eq!(cell.reason(), None);
        assert!(cell.set(StopReason::Guardrail, Some("no".into())));
        assert!(!cell.set(StopReason::Timeout, None));
        assert_eq!(cell.reason(), Some(StopReason::Guardrail));
        assert_eq!(cell.message().as_deref(), Some("no"));
    }
}
