//! The catalogue of an instance, as the guest of a run finds it.

use codemode_catalog::Catalog;
use codemode_engine::Tools;
use std::sync::Arc;

/// The guest's view of a catalogue.
pub(crate) struct GuestTools(pub(crate) Arc<Catalog>);

/// An object with this member is taken for a promise; such a tool is reached by its alias alone.
const THENABLE: &str = "then";

impl Tools for GuestTools {
    fn find(&self, name: &str) -> Option<u32> {
        if name == THENABLE {
            return None;
        }
        self.0
            .lookup(name)
            .and_then(|index| u32::try_from(index).ok())
    }

    fn names(&self) -> Vec<String> {
        self.0
            .names()
            .iter()
            .map(|name| name.declared().to_owned())
            .collect()
    }

    fn unknown(&self, name: &str) -> String {
        let nearest = self.0.nearest(name);
        if nearest.is_empty() {
            return format!("tools has no {name:?}");
        }
        format!("tools has no {name:?}; the nearest: {}", nearest.join(", "))
    }
}
