//! Why a catalogue cannot be made. Schemas are never a reason: a bad one only loses its type.

use std::fmt;

use crate::text::quote;

/// What is wrong with a list of tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CatalogError {
    /// A tool has an empty name. Holds its index in the list.
    EmptyName(usize),
    /// Two tools have the same name.
    DuplicateName {
        /// The name both have.
        name: String,
        /// Index of the earlier tool.
        first: usize,
        /// Index of the later tool.
        second: usize,
    },
    /// Two tools would be called by the same function.
    SameFunction {
        /// Name of the function.
        function: String,
        /// Name of the earlier tool.
        first: String,
        /// Name of the later tool.
        second: String,
    },
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyName(index) => write!(f, "tool {index} of the list has an empty name"),
            Self::DuplicateName {
                name,
                first,
                second,
            } => write!(
                f,
                "tools {first} and {second} of the list are both named {}; names must differ",
                quote(name)
            ),
            Self::SameFunction {
                function,
                first,
                second,
            } => write!(
                f,
                "tools {} and {} would both be called as {function}(); rename one",
                quote(first),
                quote(second)
            ),
        }
    }
}

impl std::error::Error for CatalogError {}
