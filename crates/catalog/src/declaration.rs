//! One tool as a member of `tools`.

use crate::catalog::{ToolSpec, reparse};
use crate::form::Form;
use crate::limits::{
    MAX_DESCRIPTION_CHARS, MAX_FULL_DESCRIPTION_CHARS, MAX_SHORT_DESCRIPTION_CHARS,
};
use crate::names::ToolName;
use crate::schema::Broken;
use crate::text::{comment, comment_lines, short_comment};
use crate::types::{Names, Printed, in_full};

#[derive(Debug)]
pub(crate) struct Declaration {
    /// The comment in front of it with its line end, or nothing.
    comment: String,
    /// The comment where room is short.
    short_comment: String,
    /// The declaration itself, a member indented by one level; no line end.
    signature: String,
    /// Indices of the declared types it needs.
    pub(crate) needs: Vec<usize>,
    pub(crate) has_input_type: bool,
    pub(crate) is_object: bool,
    pub(crate) warnings: Vec<String>,
    optional: bool,
    input_names: Option<Names>,
    output_names: Option<Names>,
}

type Read = Option<Result<Printed, Broken>>;

impl Declaration {
    pub(crate) fn new(
        tool: &ToolSpec,
        name: &ToolName,
        form: &Form,
        input: Read,
        output: Read,
    ) -> Self {
        let mut warnings = Vec::new();
        let mut open = |read: Read, what: &str| match read {
            Some(Ok(printed)) => Ok(printed),
            Some(Err(Broken(why))) => {
                let note = format!("{what} schema not usable: {why}");
                let text = format!("/* {} */ unknown", comment(&note, MAX_DESCRIPTION_CHARS));
                warnings.push(note);
                Err(text)
            }
            None => Err("unknown".to_owned()),
        };
        let input = open(input, "input");
        let output = open(output, "output");
        let text_of = |read: &Result<Printed, String>| match read {
            Ok(printed) => printed.text.clone(),
            Err(text) => text.clone(),
        };
        let optional = input.as_ref().map_or(true, |printed| printed.takes_empty);
        let doc = tool.description.as_deref().unwrap_or("");
        let line = |doc: String| {
            if doc.is_empty() {
                doc
            } else {
                format!("{}/** {doc} */\n", form.indent())
            }
        };
        let signature = signature(form, name, optional, &text_of(&input), &text_of(&output));
        let (input, output) = (input.ok(), output.ok());
        let mut needs: Vec<usize> = input
            .iter()
            .chain(&output)
            .flat_map(|p| p.needs.iter().copied())
            .collect();
        needs.sort_unstable();
        needs.dedup();
        Self {
            comment: line(comment(doc, MAX_DESCRIPTION_CHARS)),
            short_comment: line(short_comment(doc, MAX_SHORT_DESCRIPTION_CHARS)),
            signature,
            needs,
            has_input_type: input.is_some(),
            is_object: input.as_ref().is_some_and(|printed| printed.is_object),
            warnings,
            optional,
            input_names: input.map(|printed| printed.names),
            output_names: output.map(|printed| printed.names),
        }
    }

    /// The declaration without its comment.
    pub(crate) fn signature(&self) -> &str {
        self.signature.trim_start()
    }

    /// The declaration with its comment; no line end.
    pub(crate) fn text(&self, short: bool) -> String {
        let comment = if short {
            &self.short_comment
        } else {
            &self.comment
        };
        format!("{comment}{}", self.signature)
    }

    /// The tool alone, with the descriptions of its parameters in full and the given one of its own.
    pub(crate) fn in_full(
        &self,
        tool: &ToolSpec,
        description: Option<&str>,
        name: &ToolName,
        form: &Form,
    ) -> String {
        let max = MAX_FULL_DESCRIPTION_CHARS;
        let mut types: Vec<String> = Vec::new();
        let mut side = |text: Option<&str>, names: Option<&Names>| match (reparse(text), names) {
            (Some(Ok(schema)), Some(names)) => {
                let (text, declared) = in_full(&schema, names, max);
                types.extend(declared);
                text
            }
            _ => "unknown".to_owned(),
        };
        let input = side(tool.input_schema.as_deref(), self.input_names.as_ref());
        let output = side(tool.output_schema.as_deref(), self.output_names.as_ref());
        let mut lines = comment_lines(description.unwrap_or(""), max);
        lines.extend(
            self.warnings
                .iter()
                .map(|w| comment(w, MAX_DESCRIPTION_CHARS)),
        );
        let indent = form.indent();
        let mut text = match lines.as_slice() {
            [] => String::new(),
            [line] => format!("{indent}/** {line} */\n"),
            lines => {
                let lines: Vec<String> = lines
                    .iter()
                    .map(|l| {
                        if l.is_empty() {
                            format!("{indent} *\n")
                        } else {
                            format!("{indent} * {l}\n")
                        }
                    })
                    .collect();
                format!("{indent}/**\n{}{indent} */\n", lines.concat())
            }
        };
        text.push_str(&signature(form, name, self.optional, &input, &output));
        let mut seen = std::collections::HashSet::new();
        let types: Vec<&str> = types
            .iter()
            .map(String::as_str)
            .filter(|text| seen.insert(*text))
            .collect();
        form.block(&types, std::iter::once(text.as_str()))
    }
}

fn signature(form: &Form, name: &ToolName, optional: bool, input: &str, output: &str) -> String {
    let callee = form.callee(name);
    let mark = if optional { "?" } else { "" };
    let gap = if input.starts_with('\n') { "" } else { " " };
    format!(
        "{}(input{mark}:{gap}{input}): Promise<{output}>{}",
        callee.head, callee.tail
    )
}
