use crate::dialect::{Dialect, OBJECT, PREFIX};
use codemode_catalog::{Catalog, Directory};
use codemode_engine::{Functions, Tools};
use std::ffi::CStr;
use std::sync::Arc;

/// An object with this member is taken for a promise; such a tool is reached by its alias alone.
const THENABLE: &str = "then";

/// What is known of an instance's tools, here or in another process.
pub trait Listing: Send + Sync {
    /// Their names.
    fn directory(&self) -> &Directory;
    /// See `Catalog::all_json`.
    fn all(&self, identifiers: bool) -> Result<String, String>;
    /// See `Catalog::search_json`.
    fn search(&self, query: &str, limit: u32) -> Result<String, String>;
    /// See `Catalog::describe_json`.
    fn describe(&self, tool: u32) -> Result<String, String>;
}

impl Listing for Arc<Catalog> {
    fn directory(&self) -> &Directory {
        Catalog::directory(self)
    }

    fn all(&self, identifiers: bool) -> Result<String, String> {
        Ok(self.all_json(identifiers))
    }

    fn search(&self, query: &str, limit: u32) -> Result<String, String> {
        Ok(self.search_json(query, limit as usize))
    }

    fn describe(&self, tool: u32) -> Result<String, String> {
        Ok(self.describe_json(tool as usize))
    }
}

/// The tools of an instance as the guest of a run finds them.
pub struct GuestTools<L> {
    /// Where they are looked up.
    pub listing: L,
    /// What they are called.
    pub dialect: Dialect,
}

fn number(index: usize) -> Option<u32> {
    u32::try_from(index).ok()
}

impl<L: Listing> GuestTools<L> {
    /// A sentence about a name that is no tool, with the nearest that are.
    fn with_nearest(&self, mut sentence: String, name: &str) -> String {
        let nearest = self.listing.directory().nearest(name);
        if !nearest.is_empty() {
            sentence.push_str("; the nearest: ");
            sentence.push_str(&nearest.join(", "));
        }
        sentence
    }
}

impl<L: Listing> Tools for GuestTools<L> {
    fn find(&self, name: &str) -> Option<u32> {
        if name == THENABLE {
            return None;
        }
        self.listing.directory().lookup(name).and_then(number)
    }

    fn names(&self) -> Vec<String> {
        let names = self.listing.directory().names().iter();
        names.map(|name| name.declared().to_owned()).collect()
    }

    fn unknown(&self, name: &str) -> String {
        self.with_nearest(format!("tools has no {name:?}"), name)
    }

    fn called(&self, name: &str) -> Option<u32> {
        let directory = self.listing.directory();
        let found = directory
            .lookup(name)
            .or_else(|| directory.lookup_function(name));
        found.and_then(number)
    }

    fn all(&self) -> Result<String, String> {
        self.listing.all(self.dialect == Dialect::Codex)
    }

    fn search(&self, query: &str, limit: u32) -> Result<String, String> {
        self.listing.search(query, limit)
    }

    fn describe(&self, name: &str) -> Result<String, String> {
        match self.called(name) {
            Some(tool) => self.listing.describe(tool),
            None => Err(Tools::unknown(self, name)),
        }
    }

    fn object(&self) -> Option<&'static CStr> {
        (self.dialect == Dialect::Cloudflare).then_some(OBJECT)
    }

    fn functions(&self) -> Option<&dyn Functions> {
        (self.dialect == Dialect::External).then_some(self)
    }
}

impl<L: Listing> Functions for GuestTools<L> {
    fn find(&self, name: &str) -> Option<u32> {
        self.listing
            .directory()
            .lookup_function(name)
            .and_then(number)
    }

    fn names(&self) -> Vec<String> {
        self.listing.directory().function_names()
    }

    fn unknown(&self, name: &str) -> Option<String> {
        let tool = name.strip_prefix(PREFIX)?;
        let sentence = format!("{name} is not defined: there is no such tool");
        Some(self.with_nearest(sentence, tool))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use codemode_catalog::ToolSpec;

    fn tools(dialect: Dialect) -> GuestTools<Arc<Catalog>> {
        let tool = |name: &str| ToolSpec {
            name: name.into(),
            ..ToolSpec::default()
        };
        let specs = ["get_price", "a-b", "then"].map(tool).to_vec();
        GuestTools {
            listing: Arc::new(
                Catalog::with_form(specs, dialect.form()).unwrap_or_else(|_| {
                    unreachable!("three names that differ");
                }),
            ),
            dialect,
        }
    }

    #[test]
    fn a_tool_is_found_by_name_and_by_alias_but_then_by_its_alias_alone() {
        let tools = tools(Dialect::Native);
        let find = |name| Tools::find(&tools, name);
        assert_eq!(find("get_price"), Some(0));
        assert_eq!(find("a-b"), Some(1));
        assert_eq!(find("a_b"), Some(1));
        assert_eq!(find("then"), None);
        assert_eq!(find("then_"), Some(2));
        assert_eq!(find("nope"), None);
        assert_eq!(Tools::names(&tools), ["get_price", "a-b", "then_"]);
        assert_eq!(tools.called("then"), Some(2));
        assert_eq!(tools.called("external_a_b"), None);
    }

    #[test]
    fn an_unknown_tool_names_the_nearest() {
        let tools = tools(Dialect::Native);
        assert_eq!(
            Tools::unknown(&tools, "getPrice"),
            "tools has no \"getPrice\"; the nearest: get_price"
        );
        assert_eq!(Tools::unknown(&tools, "zzz"), "tools has no \"zzz\"");
        assert_eq!(tools.describe("zzz"), Err("tools has no \"zzz\"".into()));
    }

    #[test]
    fn functions_are_called_by_their_own_names() {
        let tools = tools(Dialect::External);
        assert_eq!(tools.called("external_a_b"), Some(1));
        assert_eq!(Functions::find(&tools, "external_then"), Some(2));
        assert!(tools.functions().is_some());
        assert!(
            super::GuestTools {
                listing: tools.listing,
                dialect: Dialect::Native
            }
            .functions()
            .is_none()
        );
    }
}
