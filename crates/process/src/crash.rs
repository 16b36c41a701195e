//! How a process ended that should not have, in words.

use codemode_engine::{Failure, FailureCode, Limits, StopReason, stop_failure};

/// As `codemode-worker` exits where the system refuses memory.
const EXIT_OUT_OF_MEMORY: i32 = 65;

fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGABRT => "SIGABRT",
        libc::SIGKILL => "SIGKILL",
        libc::SIGBUS => "SIGBUS",
        libc::SIGILL => "SIGILL",
        libc::SIGFPE => "SIGFPE",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGTERM => "SIGTERM",
        libc::SIGSYS => "SIGSYS, a forbidden system call",
        other => return format!("signal {other}"),
    };
    name.into()
}

pub(crate) fn crashed(message: String) -> Failure {
    Failure::new(FailureCode::Crashed, "CrashedError", message)
}

/// The failure of a run whose process ended with this status of wait(2); `None` where nobody knows it.
pub(crate) fn died(limits: &Limits, status: Option<i32>) -> Failure {
    match status {
        Some(status) if libc::WIFSIGNALED(status) => {
            let signal = signal_name(libc::WTERMSIG(status));
            crashed(format!("the process of the program was ended by {signal}"))
        }
        Some(status) if libc::WIFEXITED(status) => match libc::WEXITSTATUS(status) {
            EXIT_OUT_OF_MEMORY => stop_failure(limits, StopReason::Memory, None, 0),
            code => crashed(format!(
                "the process of the program ended with exit code {code}"
            )),
        },
        _ => crashed("the process of the program is gone".into()),
    }
}

/// Whether a status is that of a crash, after which the worker's layout of memory may be known to somebody.
pub(crate) fn is_crash(status: i32) -> bool {
    libc::WIFSIGNALED(status)
}
