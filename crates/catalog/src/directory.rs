//! The names of a catalogue without its schemas: what a program needs to call a tool.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::form::Form;
use crate::names::ToolName;
use crate::search::nearest::nearest;

/// Names, and which tool each means. Small enough to be sent to another process.
#[derive(Debug)]
pub struct Directory {
    names: Vec<ToolName>,
    form: Form,
    /// Made at the first look-up: many programs call no tool.
    numbers: OnceLock<HashMap<String, usize>>,
    /// By the rest of their function's name; see [`Form::Functions`].
    functions: OnceLock<HashMap<String, usize>>,
}

impl Directory {
    /// Names as a catalogue has given them, in its order, called in this form.
    pub fn new(names: Vec<ToolName>, form: Form) -> Self {
        Self {
            names,
            form,
            numbers: OnceLock::new(),
            functions: OnceLock::new(),
        }
    }

    /// The names of all tools, in the order of the list; a tool's index here is its number.
    pub fn names(&self) -> &[ToolName] {
        &self.names
    }

    /// How programs write a call.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// The number of the tool that is called by this name or alias.
    pub fn lookup(&self, name: &str) -> Option<usize> {
        let numbers = self.numbers.get_or_init(|| {
            let tools = || self.names.iter().enumerate();
            // names after aliases: a name always means its own tool
            let aliases = tools().filter_map(|(i, tool)| Some((tool.alias.clone()?, i)));
            aliases
                .chain(tools().map(|(i, tool)| (tool.name.clone(), i)))
                .collect()
        });
        numbers.get(name).copied()
    }

    /// The number of the tool that a global function of this name calls; see [`Form::Functions`].
    pub fn lookup_function(&self, name: &str) -> Option<usize> {
        let Form::Functions(prefix) = &self.form else {
            return None;
        };
        let rest = name.strip_prefix(prefix)?;
        // the catalogue refused names that would be one function
        let functions = || self.form.functions(&self.names).unwrap_or_default();
        self.functions.get_or_init(functions).get(rest).copied()
    }

    /// The global functions that call the tools, in the order of the list; see [`Form::Functions`].
    pub fn function_names(&self) -> Vec<String> {
        self.form.function_names(&self.names)
    }

    /// Up to three tools whose names are closest to one that does not exist.
    pub fn nearest(&self, name: &str) -> Vec<&str> {
        nearest(&self.names, name)
    }
}
