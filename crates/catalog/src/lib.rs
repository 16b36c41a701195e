//! What a model sees of an agent's tools: TypeScript declarations with result types, names that can
//! be called as they are printed, checks of arguments, and a search over large catalogues.
//!
//! Declared types are narrower than the schema in one way: keys an object does not list, and items a
//! tuple does not list, are left out unless the schema speaks of them. They are wider where
//! TypeScript has no words (ranges, patterns, other keys beside listed ones); comments say those.

mod budget;
mod catalog;
mod declaration;
mod error;
pub mod limits;
mod names;
mod schema;
mod search;
mod text;
mod types;
mod validate;

pub use budget::{Budgeted, Omitted, estimate_tokens};
pub use catalog::{Catalog, ToolSpec};
pub use error::CatalogError;
pub use names::ToolName;
pub use search::Hit;
pub use search::nearest::nearest as nearest_names;
