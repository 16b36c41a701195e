//! How programs write a call: as a member of an object, or as a function of its own.

use std::collections::HashMap;

use crate::error::CatalogError;
use crate::names::ToolName;
use crate::text::{is_identifier_part, member, quote, say_once};

/// How programs write the call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// `object.name(input)`: the tools are members of an object of this name.
    Members(String),
    /// `prefix_name(input)`: each tool is a global function, its name behind this prefix.
    Functions(String),
}

impl Default for Form {
    fn default() -> Self {
        Self::Members("tools".to_owned())
    }
}

/// What stands in front of the parameter list of a declaration, and what follows its end.
pub(crate) struct Callee {
    pub(crate) head: String,
    pub(crate) tail: String,
}

impl Form {
    pub(crate) fn callee(&self, name: &ToolName) -> Callee {
        let object = match self {
            Self::Members(object) => object,
            Self::Functions(prefix) => {
                return Callee {
                    head: format!("declare function {prefix}{}", function_name(&name.name)),
                    tail: String::new(),
                };
            }
        };
        let declared = name.declared();
        // `new(…)` would declare a constructor
        let key = if declared == "new" {
            quote(declared)
        } else {
            member(declared).into_owned()
        };
        let alias = name.alias.as_deref().filter(|alias| *alias != declared);
        Callee {
            tail: alias.map_or_else(String::new, |alias| {
                format!("\n {}: typeof {object}[{key}]", member(alias))
            }),
            head: format!(" {key}"),
        }
    }

    /// What a declaration's comment is indented by.
    pub(crate) fn indent(&self) -> &'static str {
        match self {
            Self::Members(_) => " ",
            Self::Functions(_) => "",
        }
    }

    /// A block of declarations that is a valid `.d.ts` file. What it says of a property twice it says once.
    pub(crate) fn block<'a>(&self, types: &[&str], tools: impl Iterator<Item = &'a str>) -> String {
        say_once(&self.lines(types, tools))
    }

    fn lines<'a>(&self, types: &[&str], tools: impl Iterator<Item = &'a str>) -> String {
        let mut out = String::new();
        for text in types {
            out.push_str(text);
            out.push('\n');
        }
        let Self::Members(object) = self else {
            for text in tools {
                out.push_str(text);
                out.push('\n');
            }
            return out;
        };
        out.push_str("declare const ");
        out.push_str(object);
        out.push_str(": {");
        let mut any = false;
        for text in tools {
            out.push('\n');
            out.push_str(text);
            any = true;
        }
        out.push_str(if any { "\n}\n" } else { "}\n" });
        out
    }

    pub(crate) fn function_names(&self, names: &[ToolName]) -> Vec<String> {
        let Self::Functions(prefix) = self else {
            return Vec::new();
        };
        let names = names.iter();
        names
            .map(|name| format!("{prefix}{}", function_name(&name.name)))
            .collect()
    }

    /// The numbers of the tools by the part of their function's name behind the prefix. Two tools that
    /// would be one function are an error; members have none.
    pub(crate) fn functions(
        &self,
        names: &[ToolName],
    ) -> Result<HashMap<String, usize>, CatalogError> {
        let mut found: HashMap<String, usize> = HashMap::new();
        let Self::Functions(prefix) = self else {
            return Ok(found);
        };
        for (number, name) in names.iter().enumerate() {
            let function = function_name(&name.name);
            if let Some(other) = found.insert(function.clone(), number) {
                return Err(CatalogError::SameFunction {
                    function: format!("{prefix}{function}"),
                    first: names
                        .get(other)
                        .map_or_else(String::new, |n| n.name.clone()),
                    second: name.name.clone(),
                });
            }
        }
        Ok(found)
    }
}

/// The name as the rest of an identifier.
fn function_name(name: &str) -> String {
    let part = |c| if is_identifier_part(c) { c } else { '_' };
    name.chars().map(part).collect()
}
