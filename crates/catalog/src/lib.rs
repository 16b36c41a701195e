//! What a model sees of an agent's tools: TypeScript declarations with result types, names that can
//! be called as they are printed, checks of arguments, and a search over large catalogues.
//!
//! Declared types are narrower than the schema in one way: keys an object does not list, and items a
//! tuple does not list, are left out unless the schema speaks of them. They are wider where
//! TypeScript has no words (ranges, patterns, other keys beside listed ones); comments say those.

mod budget;
mod catalog;
mod declaration;
mod directory;
mod error;
mod form;
pub mod limits;
mod listing;
mod names;
mod review;
mod schema;
mod search;
mod text;
mod types;
mod validate;

pub use budget::{Budgeted, Omitted, estimate_tokens};
pub use catalog::{Catalog, ToolSpec};
pub use directory::Directory;
pub use error::CatalogError;
pub use form::Form;
pub use names::ToolName;
pub use review::{Finding, Known, Partial};
pub use search::Hit;
