//! What `check` says about a program: the source's own findings, and its tool calls against the catalogue.

use crate::isolation::InstanceTools;
use codemode_catalog::{Catalog, Finding, Known, Partial};
use codemode_engine::Tools;
use codemode_source::{Arguments, Inspection, Literal, Severity, Shape, ToolUse};
use napi_derive::napi;
use serde_json::Value;
use std::sync::Arc;

/// Most findings that are told; the first ones in the text.
const MAX_DIAGNOSTICS: usize = 100;

/// One finding.
#[napi(object)]
#[derive(Clone)]
pub struct NativeDiagnostic {
    /// False for a warning.
    pub error: bool,
    /// One sentence.
    pub message: String,
    /// 1-based, in the model's text.
    pub line: u32,
    /// 1-based, in UTF-16 code units.
    pub column: u32,
    /// The tool it is about: for an unknown one the nearest.
    pub tool: Option<u32>,
}

/// What was found.
#[napi(object)]
pub struct NativeCheck {
    /// In order of their places.
    pub diagnostics: Vec<NativeDiagnostic>,
    /// Tools that exist and are named, each once, in order of first appearance.
    pub planned_tools: Vec<String>,
}

/// Looks at a program without running it.
pub(crate) fn check(tools: &Arc<InstanceTools>, code: &str, max_chars: u64) -> NativeCheck {
    if let Err(message) = codemode_program::within(code, max_chars) {
        let too_long = NativeDiagnostic {
            error: true,
            message,
            line: 1,
            column: 1,
            tool: None,
        };
        return NativeCheck {
            diagnostics: vec![too_long],
            planned_tools: Vec::new(),
        };
    }
    let inspection = codemode_source::check(code);
    let mut report = Report {
        catalog: &tools.listing,
        tools,
        inspection: &inspection,
        diagnostics: Vec::new(),
        planned: Vec::new(),
    };
    for it in &inspection.uses {
        report.tool_use(it);
    }
    report.finish()
}

struct Report<'r> {
    catalog: &'r Catalog,
    tools: &'r InstanceTools,
    inspection: &'r Inspection,
    diagnostics: Vec<NativeDiagnostic>,
    planned: Vec<String>,
}

impl Report<'_> {
    fn add(&mut self, at: u32, error: bool, message: String, tool: Option<u32>) {
        // Who declares a `tools` of its own may mean that one.
        let error = error && !self.inspection.redeclares_tools;
        let (line, column) = self.inspection.locate(at);
        self.diagnostics.push(NativeDiagnostic {
            error,
            message,
            line,
            column,
            tool,
        });
    }

    fn tool_use(&mut self, it: &ToolUse) {
        let Some(tool) = self.tools.find(&it.name) else {
            if !codemode_engine::is_helper(&it.name) {
                self.unknown(it);
            }
            return;
        };
        let name = self.catalog.names().get(tool as usize);
        let name = name.map_or(it.name.as_str(), |name| &name.name);
        if !self.planned.iter().any(|known| known == name) {
            self.planned.push(name.to_owned());
        }
        if let Some(call) = &it.call {
            self.arguments(it, call, tool);
        }
    }

    fn unknown(&mut self, it: &ToolUse) {
        let nearest = self.catalog.directory().nearest(&it.name);
        let tool = nearest.first().and_then(|name| self.tools.find(name));
        let meant = if nearest.is_empty() {
            String::new()
        } else {
            let names: Vec<String> = nearest.iter().map(|name| format!("`{name}`")).collect();
            format!("; did you mean {}?", names.join(" or "))
        };
        let message = format!("there is no tool `{}`{meant}", it.name);
        self.add(it.at, it.call.is_some(), message, tool);
    }

    fn arguments(&mut self, it: &ToolUse, call: &Arguments, tool: u32) {
        if call.list.len() > 1 {
            let message = format!(
                "`{}` takes one object, but is called with {} arguments",
                it.name,
                call.list.len()
            );
            self.add(it.at, false, message, Some(tool));
        }
        let argument = match call.list.first() {
            Some(Some(literal)) => partial(literal),
            // A call without an argument gives an empty object.
            Some(None) | None if call.whole || !call.list.is_empty() => Partial {
                at: it.at,
                known: Known::Object {
                    fields: Vec::new(),
                    whole: true,
                },
            },
            _ => return,
        };
        for Finding {
            at,
            message,
            certain,
        } in self.catalog.review(tool as usize, &argument)
        {
            let message = format!("`{}`: {message}", it.name);
            self.add(at, certain, message, Some(tool));
        }
    }

    fn finish(mut self) -> NativeCheck {
        let own = self
            .inspection
            .diagnostics
            .iter()
            .map(|one| NativeDiagnostic {
                error: one.severity == Severity::Error,
                message: one.message.clone(),
                line: one.line,
                column: one.column,
                tool: None,
            });
        self.diagnostics.extend(own);
        self.diagnostics
            .sort_by_key(|one| (one.line, one.column, !one.error));
        self.diagnostics.truncate(MAX_DIAGNOSTICS);
        NativeCheck {
            diagnostics: self.diagnostics,
            planned_tools: self.planned,
        }
    }
}

fn partial(literal: &Literal) -> Partial {
    let at = literal.at;
    let known = match &literal.shape {
        Shape::Unknown => Known::Nothing,
        Shape::Text => Known::Text,
        Shape::Null => Known::Value(Value::Null),
        Shape::Boolean(value) => Known::Value(Value::Bool(*value)),
        Shape::Number(value) => return Partial::number(at, *value),
        Shape::String(value) => Known::Value(Value::String(value.clone())),
        Shape::Array { items, whole } => Known::Array {
            items: items.iter().map(partial).collect(),
            whole: *whole,
        },
        Shape::Object { fields, whole } => Known::Object {
            fields: fields
                .iter()
                .map(|field| (field.name.clone(), field.at, partial(&field.value)))
                .collect(),
            whole: *whole,
        },
    };
    Partial { at, known }
}
