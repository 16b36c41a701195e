//! The catalogue itself: tools with their names, types and validators.

use std::sync::OnceLock;

use crate::budget::{Budgeted, fit};
use crate::declaration::Declaration;
use crate::directory::Directory;
use crate::error::CatalogError;
use crate::form::Form;
use crate::names::{ToolName, assign};
use crate::review::{Finding, Partial, Reviewer};
use crate::schema::{Broken, Schema};
use crate::search::{Document, Hit, Index};
use crate::types::{Registry, Side};
use crate::validate::Checker;

/// One tool as it is registered.
#[derive(Debug, Clone, Default)]
pub struct ToolSpec {
    /// The name, unique and not empty.
    pub name: String,
    /// What the tool does, for the model.
    pub description: Option<String>,
    /// JSON Schema of the argument as JSON text, draft 4 to 2020-12. Without one any JSON is taken.
    pub input_schema: Option<String>,
    /// JSON Schema of the result as JSON text. Without one the result is `unknown`.
    pub output_schema: Option<String>,
    /// Whether [`Catalog::validate`] checks arguments against the schema.
    pub validate_input: bool,
}

/// Tools in the form a model and a script see. Immutable; share it in an `Arc`.
#[derive(Debug)]
pub struct Catalog {
    pub(crate) tools: Vec<ToolSpec>,
    pub(crate) directory: Directory,
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) registry: Registry,
    checkers: Vec<OnceLock<Checker>>,
    index: Index,
}

impl Catalog {
    /// Reads all schemas. A schema that cannot be used never fails the catalogue: the tool's type is
    /// `unknown` with a comment that says why, and its arguments are not checked.
    pub fn new(tools: Vec<ToolSpec>) -> Result<Self, CatalogError> {
        Self::with_form(tools, Form::default())
    }

    /// The same, with calls written in another form.
    pub fn with_form(tools: Vec<ToolSpec>, form: Form) -> Result<Self, CatalogError> {
        let names = assign(tools.iter().map(|tool| tool.name.clone()).collect())?;
        form.functions(&names)?;
        let mut registry = Registry::default();
        let mut declarations = Vec::with_capacity(tools.len());
        let mut index = Index::builder(tools.len());
        for (tool, name) in tools.iter().zip(&names) {
            let input = tool.input_schema.as_deref().map(Schema::parse);
            let output = tool.output_schema.as_deref().map(Schema::parse);
            index.add(&Document {
                name: &tool.name,
                description: tool.description.as_deref().unwrap_or(""),
                schema: input.as_ref().and_then(|s| s.as_ref().ok()),
            });
            let input = input.map(|s| s.and_then(|s| registry.print(&s, &tool.name, Side::Input)));
            let output =
                output.map(|s| s.and_then(|s| registry.print(&s, &tool.name, Side::Output)));
            declarations.push(Declaration::new(tool, name, &form, input, output));
        }
        let checkers = tools.iter().map(|_| OnceLock::new()).collect();
        Ok(Self {
            tools,
            directory: Directory::new(names, form),
            declarations,
            registry,
            checkers,
            index: index.finish(),
        })
    }

    /// The names of the tools and what they mean.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// The names of all tools, in the order of the list; a tool's index here is its number.
    pub fn names(&self) -> &[ToolName] {
        self.directory.names()
    }

    /// The number of the tool that is called by this name or alias.
    pub fn lookup(&self, name: &str) -> Option<usize> {
        self.directory.lookup(name)
    }

    /// How programs write a call.
    pub fn form(&self) -> &Form {
        self.directory.form()
    }

    /// Declarations of all tools: types that have a name, then the tools in their form.
    pub fn signatures(&self) -> String {
        let types: Vec<&str> = self
            .registry
            .declarations
            .iter()
            .map(String::as_str)
            .collect();
        let tools: Vec<String> = self.declarations.iter().map(|d| d.text(false)).collect();
        self.form().block(&types, tools.iter().map(String::as_str))
    }

    /// Why a schema of the tool is not used, for each schema that is not.
    pub fn warnings(&self, tool: usize) -> impl Iterator<Item = &str> {
        self.declarations
            .get(tool)
            .into_iter()
            .flat_map(|d| d.warnings.iter().map(String::as_str))
    }

    /// Checks the argument of a call. The error names the field and what was expected, for the model.
    /// Anything passes for a tool without a usable schema, and for an unknown number.
    pub fn validate(&self, tool: usize, input_json: &str) -> Result<(), String> {
        let (Some(spec), Some(cell), Some(declaration)) = (
            self.tools.get(tool),
            self.checkers.get(tool),
            self.declarations.get(tool),
        ) else {
            return Ok(());
        };
        if !spec.validate_input || !declaration.has_input_type {
            return Ok(());
        }
        checker(cell, spec, declaration).check(input_json)
    }

    /// Looks at an argument of which only a part is known, before it is given. `Finding::certain` holds where
    /// [`Self::validate`] refuses whatever the rest is; nothing is certain where it does not check at all.
    pub fn review(&self, tool: usize, argument: &Partial) -> Vec<Finding> {
        let (Some(spec), Some(cell), Some(declaration)) = (
            self.tools.get(tool),
            self.checkers.get(tool),
            self.declarations.get(tool),
        ) else {
            return Vec::new();
        };
        if !declaration.has_input_type {
            return Vec::new();
        }
        let checker = checker(cell, spec, declaration);
        let mut found = Reviewer::new(checker.document()).review(argument);
        if let Some(json) = argument
            .json()
            .filter(|_| found.iter().all(|one| !one.certain))
            && let Err(message) = checker.check(&json.to_string())
        {
            found.push(Finding {
                at: argument.at,
                message,
                certain: true,
            });
        }
        for one in found.iter_mut().filter(|_| !spec.validate_input) {
            one.certain = false;
        }
        found
    }

    /// A tool's declaration, without its comment, behind the types it needs. Empty for an unknown number.
    pub fn signature(&self, tool: usize) -> String {
        let Some(declaration) = self.declarations.get(tool) else {
            return String::new();
        };
        let types = declaration.needs.iter();
        let mut text = String::new();
        for declared in types.filter_map(|index| self.registry.declarations.get(*index)) {
            text.push_str(declared);
            text.push('\n');
        }
        text.push_str(declaration.signature());
        text
    }

    /// The tools that match best, best first.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.index.search(query, limit)
    }

    /// One tool as a block of declarations with its descriptions in full. Empty for an unknown
    /// number.
    pub fn describe(&self, tool: usize) -> String {
        let description = self.tools.get(tool).and_then(|t| t.description.as_deref());
        self.describe_with(tool, description)
    }

    pub(crate) fn describe_with(&self, tool: usize, description: Option<&str>) -> String {
        match (
            self.tools.get(tool),
            self.names().get(tool),
            self.declarations.get(tool),
        ) {
            (Some(spec), Some(name), Some(declaration)) => {
                declaration.in_full(spec, description, name, self.form())
            }
            _ => String::new(),
        }
    }

    /// The declarations that fit into a number of tokens, as
    /// [`estimate_tokens`](crate::estimate_tokens) counts them. Namespaces take turns. Descriptions are
    /// cut at [`MAX_SHORT_DESCRIPTION_CHARS`](crate::limits::MAX_SHORT_DESCRIPTION_CHARS) where all
    /// declarations together would take more than half of the budget.
    pub fn budgeted(&self, budget_tokens: usize) -> Budgeted {
        fit(
            self.form(),
            self.names(),
            &self.declarations,
            &self.registry.declarations,
            budget_tokens,
        )
    }
}

fn checker<'c>(
    cell: &'c OnceLock<Checker>,
    spec: &ToolSpec,
    declaration: &Declaration,
) -> &'c Checker {
    cell.get_or_init(|| {
        let text = spec.input_schema.as_deref().unwrap_or("true");
        Checker::new(Schema::parse(text).ok(), declaration.is_object)
    })
}

/// A usable schema again, for text that has been read before.
pub(crate) fn reparse(text: Option<&str>) -> Option<Result<Schema, Broken>> {
    text.map(Schema::parse)
}
