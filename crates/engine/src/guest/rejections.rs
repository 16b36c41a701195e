//! Promises that were rejected and that nobody looked at, so that the model hears of them.

use crate::js::{Ctx, Held, Value};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// More than this many are counted, not kept.
const MAX_TRACKED: usize = 50;

#[derive(Default)]
pub(crate) struct Rejections {
    /// Promise → its reason. Both are held, so that their addresses stay theirs.
    open: RefCell<Vec<(Held, Held)>>,
    dropped: Cell<u32>,
    /// Error object of a failed call → the call. The errors are held by `errors`.
    calls: RefCell<HashMap<usize, u32>>,
    errors: RefCell<Vec<Held>>,
}

/// What is known of one open rejection.
pub(crate) struct Open {
    pub(crate) reason: Value,
    /// The call whose error it is.
    pub(crate) call: Option<u32>,
}

impl Rejections {
    pub(super) fn track(&self, promise: &Value, reason: &Value, handled: bool) {
        let mut open = self.open.borrow_mut();
        if handled {
            open.retain(|(held, _)| held.address() != promise.address());
        } else if open.len() < MAX_TRACKED {
            open.push((Held::new(promise.clone()), Held::new(reason.clone())));
        } else {
            self.dropped.set(self.dropped.get() + 1);
        }
    }

    /// Remembers which call an error came from.
    pub(super) fn name_error(&self, error: &Value, call: u32) {
        let mut errors = self.errors.borrow_mut();
        if errors.len() < MAX_TRACKED {
            errors.push(Held::new(error.clone()));
            self.calls.borrow_mut().insert(error.address(), call);
        }
    }

    /// The call whose error this object is.
    pub(crate) fn call_of(&self, error: &Value) -> Option<u32> {
        if !error.is_object() {
            return None;
        }
        self.calls.borrow().get(&error.address()).copied()
    }

    /// All that are open now, but the rejection of `main`.
    pub(crate) fn open(&self, ctx: Ctx, main: usize) -> Vec<Open> {
        let open = self.open.borrow();
        let others = open.iter().filter(|(promise, _)| promise.address() != main);
        others
            .map(|(_, reason)| {
                let reason = reason.value(ctx);
                let call = self.call_of(&reason);
                Open { reason, call }
            })
            .collect()
    }

    pub(crate) fn dropped(&self) -> u32 {
        self.dropped.get()
    }
}
