//! The catalogue of an instance, as the guest of a run finds it.

use codemode_catalog::{Catalog, Form};
use codemode_engine::{Functions, Tools};
use std::ffi::CStr;
use std::sync::Arc;

/// The guest's view of a catalogue.
pub(crate) struct GuestTools {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) dialect: Dialect,
}

/// Names that programs find: what a model was trained on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `tools.x(args)`.
    Native,
    /// The same; `ALL_TOOLS` names each tool by an identifier.
    Codex,
    /// `codemode.x(args)`.
    Cloudflare,
    /// `external_x(args)`.
    External,
}

/// Where the dialect has another name for the object `tools`.
const OBJECT: &CStr = c"codemode";
const PREFIX: &str = "external_";
/// An object with this member is taken for a promise; such a tool is reached by its alias alone.
const THENABLE: &str = "then";

impl Dialect {
    /// The names of the option.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "native" => Some(Self::Native),
            "codex" => Some(Self::Codex),
            "cloudflare" => Some(Self::Cloudflare),
            "tanstack" | "mastra" => Some(Self::External),
            _ => None,
        }
    }

    pub(crate) fn form(self) -> Form {
        match self {
            Self::Native | Self::Codex => Form::default(),
            Self::Cloudflare => Form::Members(OBJECT.to_string_lossy().into_owned()),
            Self::External => Form::Functions(PREFIX.to_owned()),
        }
    }
}

fn number(index: usize) -> Option<u32> {
    u32::try_from(index).ok()
}

impl GuestTools {
    /// A sentence about a name that is no tool, with the nearest that are.
    fn with_nearest(&self, mut sentence: String, name: &str) -> String {
        let nearest = self.catalog.nearest(name);
        if !nearest.is_empty() {
            sentence.push_str("; the nearest: ");
            sentence.push_str(&nearest.join(", "));
        }
        sentence
    }
}

impl Tools for GuestTools {
    fn find(&self, name: &str) -> Option<u32> {
        if name == THENABLE {
            return None;
        }
        self.catalog.lookup(name).and_then(number)
    }

    fn names(&self) -> Vec<String> {
        let names = self.catalog.names().iter();
        names.map(|name| name.declared().to_owned()).collect()
    }

    fn unknown(&self, name: &str) -> String {
        self.with_nearest(format!("tools has no {name:?}"), name)
    }

    fn called(&self, name: &str) -> Option<u32> {
        let catalog = &self.catalog;
        let found = catalog
            .lookup(name)
            .or_else(|| catalog.lookup_function(name));
        found.and_then(number)
    }

    fn all(&self) -> String {
        self.catalog.all_json(self.dialect == Dialect::Codex)
    }

    fn search(&self, query: &str, limit: u32) -> String {
        self.catalog.search_json(query, limit as usize)
    }

    fn describe(&self, name: &str) -> Option<String> {
        let found = self.called(name)?;
        Some(self.catalog.describe_json(found as usize))
    }

    fn object(&self) -> Option<&'static CStr> {
        (self.dialect == Dialect::Cloudflare).then_some(OBJECT)
    }

    fn functions(&self) -> Option<&dyn Functions> {
        (self.dialect == Dialect::External).then_some(self)
    }
}

impl Functions for GuestTools {
    fn find(&self, name: &str) -> Option<u32> {
        self.catalog.lookup_function(name).and_then(number)
    }

    fn names(&self) -> Vec<String> {
        self.catalog.function_names()
    }

    fn unknown(&self, name: &str) -> Option<String> {
        let tool = name.strip_prefix(PREFIX)?;
        let sentence = format!("{name} is not defined: there is no such tool");
        Some(self.with_nearest(sentence, tool))
    }
}
