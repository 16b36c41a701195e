//! When to collect garbage and when a run has used too much memory.
//!
//! Automatic collection is off: the allocator raises the attention flag at a trigger, and the interrupt handler
//! decides here. Growth by half of what survived the last collection is the engine's own rule.

use crate::js::host::Memory;

/// Below this much growth a collection is not worth its time.
const MIN_GROWTH: usize = 1 << 20;
/// The room between the soft limit, where a run is stopped, and the hard one, where a request is refused.
const HARD_ROOM: usize = 16 << 20;

#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryPolicy {
    /// Bytes of the fresh realm.
    base: usize,
    /// Bytes at which the run is stopped.
    soft: usize,
    /// Bytes at which the next collection is due.
    next_collection: usize,
}

impl MemoryPolicy {
    pub(crate) fn new(base: usize, limit: usize) -> Self {
        let soft = base.saturating_add(limit);
        Self {
            base,
            soft,
            next_collection: base.saturating_add(MIN_GROWTH).min(soft),
        }
    }

    pub(crate) fn trigger(&self) -> usize {
        self.next_collection
    }

    pub(crate) fn hard(&self) -> usize {
        self.soft.saturating_add(HARD_ROOM)
    }

    pub(crate) fn base(&self) -> usize {
        self.base
    }

    /// Collects where it is due; false where the run is over its limit.
    pub(crate) fn admits(&mut self, memory: &mut Memory) -> bool {
        if memory.refused() {
            return false;
        }
        if memory.used() <= self.next_collection {
            return true;
        }
        memory.collect();
        let used = memory.used();
        if used > self.soft {
            return false;
        }
        self.next_collection = (used + (used / 2).max(MIN_GROWTH)).min(self.soft);
        memory.set_trigger(self.next_collection);
        true
    }
}
