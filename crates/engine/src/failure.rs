//! What ended a run, in words: limits by name and value, and what the guest threw, bounded and with its place.

use crate::Limits;
use crate::guest::Guest;
use crate::js::compiler::{FILE_NAME, SyntaxError};
use crate::js::{Ctx, Value};
use crate::message::{Failure, FailureCode, Program};
use crate::run::Run;
use crate::stop::StopReason;

/// Bytes of a name and of a message that a guest may choose.
const MAX_NAME: usize = 256;
const MAX_MESSAGE: usize = 8192;

/// The failure of a run that was stopped.
pub(crate) fn stopped(run: &Run, reason: StopReason, used_chars: u64) -> Failure {
    stop_failure(&run.limits, reason, run.stop.message(), used_chars)
}

/// The failure of a run that was stopped for `reason`; `message` takes the place of the reason's own words.
/// `used_chars` is what the output came to, for `StopReason::Output`.
pub fn stop_failure(
    limits: &Limits,
    reason: StopReason,
    message: Option<String>,
    used_chars: u64,
) -> Failure {
    let (code, name) = kind(reason);
    let message = message.unwrap_or_else(|| words(limits, reason, used_chars));
    Failure::new(code, name, message)
}

fn kind(reason: StopReason) -> (FailureCode, &'static str) {
    match reason {
        StopReason::Timeout => (FailureCode::Timeout, "TimeoutError"),
        StopReason::CpuTimeout => (FailureCode::CpuTimeout, "CpuTimeoutError"),
        StopReason::Memory => (FailureCode::MemoryLimit, "MemoryLimitError"),
        StopReason::ToolCalls => (FailureCode::ToolCallLimit, "ToolCallLimitError"),
        StopReason::Output => (FailureCode::OutputLimit, "OutputLimitError"),
        StopReason::Aborted => (FailureCode::Aborted, "AbortError"),
        StopReason::Stopped => (FailureCode::Stopped, "StoppedError"),
        StopReason::Guardrail => (FailureCode::Guardrail, "GuardrailError"),
        StopReason::Internal => (FailureCode::Internal, "InternalError"),
    }
}

fn words(limits: &Limits, reason: StopReason, used_chars: u64) -> String {
    match reason {
        StopReason::Timeout => format!(
            "the program did not end within timeoutMs ({} ms)",
            limits.timeout_ms
        ),
        StopReason::CpuTimeout => format!(
            "the program computed for more than cpuTimeoutMs ({} ms)",
            limits.cpu_timeout_ms
        ),
        StopReason::Memory => format!(
            "the program needs more memory than memoryLimitBytes ({} bytes)",
            limits.memory_limit_bytes
        ),
        StopReason::ToolCalls => format!(
            "the program made more tool calls than maxToolCalls ({})",
            limits.max_tool_calls
        ),
        StopReason::Output => format!(
            "the output has {used_chars} characters or more, over maxOutputChars ({})",
            limits.max_output_chars
        ),
        StopReason::Aborted => "the caller aborted the run".into(),
        StopReason::Stopped => "the host stopped the run".into(),
        StopReason::Guardrail => "a guardrail blocked a tool call".into(),
        StopReason::Internal => INTERNAL.into(),
    }
}

const INTERNAL: &str = "an internal fault of the host ended the run";

/// A fault of ours, in the same fixed words whatever it was.
pub(crate) fn fault() -> Failure {
    let (code, name) = kind(StopReason::Internal);
    Failure::new(code, name, INTERNAL)
}

/// What the guest threw. Accessors run under the run's limits; whoever calls looks at the stop cell afterwards.
pub(crate) fn thrown(ctx: Ctx, value: &Value, program: Option<&Program>) -> Failure {
    let read = |name| {
        let text = value.get(name).and_then(|field| {
            if field.is_undefined() {
                Ok(None)
            } else {
                field.text().map(Some)
            }
        });
        if text.is_err() {
            drop(ctx.take_exception());
        }
        text.ok().flatten()
    };
    let (name, message) = if value.is_object() {
        let message = read(c"message");
        let name = read(c"name");
        (
            name.unwrap_or_else(|| "Error".into()),
            message.unwrap_or_else(|| object_text(ctx, value)),
        )
    } else {
        (
            "Error".into(),
            format!("the program threw {}", primitive_text(ctx, value)),
        )
    };
    let mut failure = Failure::new(
        FailureCode::ScriptError,
        &cut(name, MAX_NAME),
        cut(message, MAX_MESSAGE),
    );
    if value.is_error()
        && let Some(program) = program
        && let Some(place) = read(c"stack").as_deref().and_then(first_place)
    {
        let (line, column) = (program.original)(place.0, place.1);
        (failure.line, failure.column) = (Some(line), Some(column));
    }
    failure
}

/// What the compiler refused, although the parser in front of it did not.
pub(crate) fn syntax(error: SyntaxError, program: &Program) -> Failure {
    let mut failure = Failure::new(
        FailureCode::SyntaxError,
        "SyntaxError",
        cut(error.message, MAX_MESSAGE),
    );
    if let Some(place) = first_place(&error.stack) {
        let (line, column) = (program.original)(place.0, place.1);
        (failure.line, failure.column) = (Some(line), Some(column));
    }
    failure
}

fn primitive_text(ctx: Ctx, value: &Value) -> String {
    if value.is_symbol() {
        return "a symbol".into();
    }
    let text = value.text().unwrap_or_else(|_| {
        drop(ctx.take_exception());
        "a value".into()
    });
    if value.is_string() {
        format!("{text:?}")
    } else {
        text
    }
}

fn object_text(ctx: Ctx, value: &Value) -> String {
    if value.is_function() {
        return "the program threw a function".into();
    }
    let json = ctx.stringify(value).and_then(|json| json.text());
    match json {
        Ok(json) => format!("the program threw {json}"),
        Err(_) => {
            drop(ctx.take_exception());
            "the program threw an object".into()
        }
    }
}

/// The first frame of the guest in an engine stack: `    at f (run_code.js:3:11)`.
fn first_place(stack: &str) -> Option<(u32, u32)> {
    let (_, rest) = stack.split_once(FILE_NAME)?;
    let mut numbers = rest.strip_prefix(':')?.splitn(2, ':');
    let line = leading_number(numbers.next()?)?;
    let column = numbers.next().and_then(leading_number).unwrap_or(1);
    Some((line, column))
}

fn leading_number(text: &str) -> Option<u32> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text.get(..end)?.parse().ok()
}

fn cut(mut text: String, limit: usize) -> String {
    const MARK: char = '…';
    if text.len() <= limit {
        return text;
    }
    let mut end = limit - MARK.len_utf8();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push(MARK);
    text
}

/// The notes about rejections that nobody handled, and the calls behind them.
pub(crate) fn unhandled(ctx: Ctx, guest: &Guest, main: usize) -> (Vec<u32>, Vec<String>) {
    let (mut calls, mut notes) = (Vec::new(), Vec::new());
    for open in guest.rejections.open(ctx, main) {
        match open.call {
            Some(call) if !calls.contains(&call) => calls.push(call),
            Some(_) => {}
            None => {
                let failure = thrown(ctx, &open.reason, None);
                notes.push(format!(
                    "a promise that nothing awaited was rejected: {}: {}",
                    failure.name,
                    cut(failure.message, 200)
                ));
            }
        }
    }
    if guest.rejections.dropped() > 0 {
        notes.push(format!(
            "{} more promises were rejected",
            guest.rejections.dropped()
        ));
    }
    (calls, notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_frame_of_the_guest() {
        let stack = "    at f (native)\n    at g (run_code.js:12:3)\n    at run_code.js:1:1\n";
        assert_eq!(first_place(stack), Some((12, 3)));
        assert_eq!(first_place("run_code.js"), None);
        assert_eq!(first_place("at x (run_code.js:7)"), Some((7, 1)));
        assert_eq!(first_place(""), None);
    }

    #[test]
    fn cuts_at_a_character() {
        assert_eq!(cut("ab".into(), 4), "ab");
        assert_eq!(cut("äöüäöü".into(), 8), "äö…");
    }
}
