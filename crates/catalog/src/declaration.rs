//! One tool as a member of `tools`.

use std::fmt::Write;

use crate::catalog::{ToolSpec, reparse};
use crate::limits::{MAX_DESCRIPTION_CHARS, MAX_FULL_DESCRIPTION_CHARS};
use crate::names::ToolName;
use crate::schema::Broken;
use crate::text::{comment, comment_lines, member, quote};
use crate::types::{Names, Printed, in_full};

#[derive(Debug)]
pub(crate) struct Declaration {
    /// The member with its comment, indented by one level; no line end.
    pub(crate) text: String,
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
    pub(crate) fn new(tool: &ToolSpec, name: &ToolName, input: Read, output: Read) -> Self {
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
        let mut text = String::new();
        if let Some(doc) = tool.description.as_deref() {
            let doc = comment(doc, MAX_DESCRIPTION_CHARS);
            if !doc.is_empty() {
                let _ = writeln!(text, " /** {doc} */");
            }
        }
        text.push_str(&signature(
            name,
            optional,
            &text_of(&input),
            &text_of(&output),
        ));
        let (input, output) = (input.ok(), output.ok());
        let mut needs: Vec<usize> = input
            .iter()
            .chain(&output)
            .flat_map(|p| p.needs.iter().copied())
            .collect();
        needs.sort_unstable();
        needs.dedup();
        Self {
            text,
            needs,
            has_input_type: input.is_some(),
            is_object: input.as_ref().is_some_and(|printed| printed.is_object),
            warnings,
            optional,
            input_names: input.map(|printed| printed.names),
            output_names: output.map(|printed| printed.names),
        }
    }

    /// The tool alone, with descriptions in full.
    pub(crate) fn in_full(&self, tool: &ToolSpec, name: &ToolName) -> String {
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
        let mut lines = comment_lines(tool.description.as_deref().unwrap_or(""), max);
        lines.extend(
            self.warnings
                .iter()
                .map(|w| comment(w, MAX_DESCRIPTION_CHARS)),
        );
        let mut text = match lines.as_slice() {
            [] => String::new(),
            [line] => format!(" /** {line} */\n"),
            lines => {
                let lines: Vec<String> = lines
                    .iter()
                    .map(|l| {
                        if l.is_empty() {
                            "  *\n".to_owned()
                        } else {
                            format!("  * {l}\n")
                        }
                    })
                    .collect();
                format!(" /**\n{}  */\n", lines.concat())
            }
        };
        text.push_str(&signature(name, self.optional, &input, &output));
        let mut seen = std::collections::HashSet::new();
        let types: Vec<&str> = types
            .iter()
            .map(String::as_str)
            .filter(|text| seen.insert(*text))
            .collect();
        block(&types, std::iter::once(text.as_str()))
    }
}

fn signature(name: &ToolName, optional: bool, input: &str, output: &str) -> String {
    let declared = name.declared();
    // `new(…)` would declare a constructor
    let key = if declared == "new" {
        quote(declared)
    } else {
        member(declared).into_owned()
    };
    let mark = if optional { "?" } else { "" };
    let gap = if input.starts_with('\n') { "" } else { " " };
    let mut text = format!(" {key}(input{mark}:{gap}{input}): Promise<{output}>");
    if let Some(alias) = name.alias.as_deref().filter(|alias| *alias != declared) {
        let _ = write!(text, "\n {}: (typeof tools)[{key}]", member(alias));
    }
    text
}

/// A block of declarations that is a valid `.d.ts` file.
pub(crate) fn block<'a>(types: &[&str], members: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for text in types {
        out.push_str(text);
        out.push('\n');
    }
    out.push_str("declare const tools: {");
    let mut any = false;
    for text in members {
        out.push('\n');
        out.push_str(text);
        any = true;
    }
    out.push_str(if any { "\n}\n" } else { "}\n" });
    out
}
