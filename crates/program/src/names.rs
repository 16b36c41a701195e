use codemode_catalog::{ToolName, nearest_names};
use codemode_engine::Tools;
use std::collections::HashMap;
use std::sync::OnceLock;

/// An object with this member is taken for a promise; such a tool is reached by its alias alone.
const THENABLE: &str = "then";

/// The names of a catalogue without the catalogue: what a guest in another process needs.
pub struct GuestNames {
    names: Vec<ToolName>,
    /// Made at the first look-up: many programs call no tool.
    numbers: OnceLock<HashMap<String, u32>>,
}

impl GuestNames {
    /// In the order that gives each tool its index.
    pub fn new(names: Vec<ToolName>) -> Self {
        Self {
            names,
            numbers: OnceLock::new(),
        }
    }

    fn numbers(&self) -> &HashMap<String, u32> {
        self.numbers.get_or_init(|| {
            let mut numbers = HashMap::with_capacity(self.names.len());
            for (index, ToolName { name, alias }) in (0..).zip(&self.names) {
                numbers.insert(name.clone(), index);
                if let Some(alias) = alias {
                    numbers.insert(alias.clone(), index);
                }
            }
            numbers
        })
    }
}

/// A name that is an identifier.
pub fn name(name: &str) -> ToolName {
    ToolName {
        name: name.to_owned(),
        alias: None,
    }
}

impl Tools for GuestNames {
    fn find(&self, name: &str) -> Option<u32> {
        if name == THENABLE {
            return None;
        }
        self.numbers().get(name).copied()
    }

    fn names(&self) -> Vec<String> {
        let declared = self.names.iter().map(ToolName::declared);
        declared.map(str::to_owned).collect()
    }

    fn unknown(&self, name: &str) -> String {
        let nearest = nearest_names(&self.names, name);
        if nearest.is_empty() {
            return format!("tools has no {name:?}");
        }
        format!("tools has no {name:?}; the nearest: {}", nearest.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> GuestNames {
        let name = |name: &str, alias: Option<&str>| ToolName {
            name: name.into(),
            alias: alias.map(Into::into),
        };
        GuestNames::new(vec![
            name("get_price", None),
            name("a-b", Some("a_b")),
            name("then", Some("then_")),
        ])
    }

    #[test]
    fn a_tool_is_found_by_name_and_by_alias_but_then_by_its_alias_alone() {
        let names = names();
        assert_eq!(names.find("get_price"), Some(0));
        assert_eq!(names.find("a-b"), Some(1));
        assert_eq!(names.find("a_b"), Some(1));
        assert_eq!(names.find("then"), None);
        assert_eq!(names.find("then_"), Some(2));
        assert_eq!(names.find("nope"), None);
        assert_eq!(names.names(), ["get_price", "a-b", "then_"]);
    }

    #[test]
    fn an_unknown_tool_names_the_nearest() {
        let names = names();
        assert_eq!(
            names.unknown("getPrice"),
            "tools has no \"getPrice\"; the nearest: get_price"
        );
        assert_eq!(names.unknown("zzz"), "tools has no \"zzz\"");
    }
}
