use codemode_engine::{Failure, FailureCode, Program, chars};

/// The sentence about a text that is too long, in UTF-16 code units.
pub fn within(code: &str, max_chars: u64) -> Result<(), String> {
    if code.len() as u64 <= max_chars {
        return Ok(());
    }
    let chars = chars(code);
    if chars <= max_chars {
        return Ok(());
    }
    Err(format!(
        "the source has {chars} characters, more than maxSourceChars ({max_chars})"
    ))
}

/// The model's text as a program for the engine, or why it is none.
pub fn prepare(code: &str, max_chars: u64) -> Result<Program, Failure> {
    within(code, max_chars)
        .map_err(|message| Failure::new(FailureCode::SourceLimit, "SourceLimitError", message))?;
    match codemode_source::prepare(code) {
        Ok(prepared) => Ok(program(prepared)),
        Err(error) => {
            let message = match &error.hint {
                Some(hint) => format!("{}. {hint}", error.message),
                None => error.message,
            };
            let mut failure = Failure::new(FailureCode::SyntaxError, "SyntaxError", message);
            (failure.line, failure.column) = (Some(error.line), Some(error.column));
            Err(failure)
        }
    }
}

fn program(prepared: codemode_source::Prepared) -> Program {
    let text = prepared.program.clone();
    let (first_line, notes) = (prepared.first_line, prepared.notes.clone());
    let original = Box::new(move |line, column| prepared.original(line, column));
    Program {
        text,
        first_line,
        original,
        notes,
    }
}
