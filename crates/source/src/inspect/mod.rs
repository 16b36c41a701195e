//! A second walk over a program that can run: the tools it names, the arguments it writes out, and what is hardly meant.
//!
//! Only `check` pays for it. Names are followed without scopes: one that is bound twice is not followed at all.

mod floating;
mod names;
mod walk;

use std::collections::HashMap;

use oxc_ast::ast::FunctionBody;
use oxc_ast_visit::Visit;
use oxc_span::Span;

use crate::literal::{Literal, Reader};

/// Most remarks about one program.
const MAX_REMARKS: usize = 100;

/// A place where a program names a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolUse {
    /// The name after `tools`.
    pub name: String,
    /// Where: an offset for [`Inspection::locate`](crate::Inspection::locate).
    pub at: u32,
    /// How it is called; none where it is only named.
    pub call: Option<Arguments>,
}

/// The arguments of a call, as far as the text tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments {
    /// The arguments in order; one that JSON leaves out is none.
    pub list: Vec<Option<Literal>>,
    /// False where a spread hides how many there are.
    pub whole: bool,
}

pub(crate) struct Tool {
    name: String,
    at: u32,
}

/// What was found; offsets of uses count in the model's text, those of remarks in the parsed one.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) uses: Vec<ToolUse>,
    pub(crate) remarks: Vec<(u32, String)>,
    /// The program has a variable of its own that is called `tools`.
    pub(crate) redeclares_tools: bool,
}

/// A name that holds the promise of a tool call, or a list of promises.
struct Held {
    name: String,
    /// None for a list.
    tool: Option<String>,
    at: u32,
}

struct Declared {
    name: String,
    span: Span,
    is_async: bool,
}

struct Inspector<'i> {
    reader: Reader<'i>,
    uses: Vec<ToolUse>,
    remarks: Vec<(u32, String)>,
    /// How often each name is bound.
    bound: HashMap<String, u32>,
    /// Names taken from `tools`, with the tool each stands for.
    aliases: HashMap<String, String>,
    held: Vec<Held>,
    functions: Vec<Declared>,
    references: HashMap<String, Vec<u32>>,
    /// References to names that may hold a promise, where its result was meant.
    misused: Vec<(String, u32)>,
    /// Calls of functions whose value a statement drops.
    dropped_calls: Vec<(String, u32)>,
    /// The callee of a tool call: its use is known.
    callee: Option<u32>,
    /// Expressions whose value becomes the result.
    returned: &'i [Span],
    function_depth: u32,
    in_parameters: bool,
    redeclares_tools: bool,
}

/// Looks at a program. `called`: the function whose value the program gives.
pub(crate) fn look(
    body: &FunctionBody<'_>,
    returned: &[Span],
    called: Option<&str>,
    origin: &dyn Fn(u32) -> u32,
) -> Found {
    let mut inspector = Inspector {
        reader: Reader::new(origin),
        uses: Vec::new(),
        remarks: Vec::new(),
        bound: HashMap::new(),
        aliases: HashMap::new(),
        held: Vec::new(),
        functions: Vec::new(),
        references: HashMap::new(),
        misused: Vec::new(),
        dropped_calls: Vec::new(),
        callee: None,
        returned,
        function_depth: 0,
        in_parameters: false,
        redeclares_tools: false,
    };
    inspector.visit_function_body(body);
    inspector.judge_names(called);
    Found {
        uses: inspector.uses,
        remarks: inspector.remarks,
        redeclares_tools: inspector.redeclares_tools,
    }
}

impl Inspector<'_> {
    fn remark(&mut self, at: u32, message: impl Into<String>) {
        let known = self.remarks.iter().any(|(place, _)| *place == at);
        if !known && self.remarks.len() < MAX_REMARKS {
            self.remarks.push((at, message.into()));
        }
    }
}
