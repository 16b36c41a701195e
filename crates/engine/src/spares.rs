//! Realms made ahead of their runs, by workers that have nothing else to do. Each is used once.

use crate::Features;
use crate::realm::Realm;
use crate::sync::lock;
use std::sync::Mutex;

pub(crate) struct Spares {
    target: usize,
    realms: Mutex<Vec<(Features, Realm)>>,
}

impl Spares {
    /// `target` realms of the kind last asked for.
    pub(crate) fn new(target: usize) -> Self {
        Self {
            target,
            realms: Mutex::default(),
        }
    }

    pub(crate) fn take(&self, features: Features) -> Option<Realm> {
        let mut realms = lock(&self.realms);
        let index = realms.iter().position(|(kind, _)| *kind == features)?;
        Some(realms.swap_remove(index).1)
    }

    pub(crate) fn wants(&self, features: Features) -> bool {
        let realms = lock(&self.realms);
        realms.iter().filter(|(kind, _)| *kind == features).count() < self.target
    }

    /// Keeps a realm; one of another kind gives way where there is no room.
    pub(crate) fn put(&self, features: Features, realm: Realm) {
        let mut realms = lock(&self.realms);
        let evicted = if realms.len() < self.target {
            None
        } else {
            match realms.iter().position(|(kind, _)| *kind != features) {
                Some(index) => Some(realms.swap_remove(index)),
                // As many of this kind as are wanted: the new one is dropped.
                None => return,
            }
        };
        realms.push((features, realm));
        drop(realms);
        drop(evicted);
    }

    pub(crate) fn clear(&self) {
        let realms = std::mem::take(&mut *lock(&self.realms));
        drop(realms);
    }
}
