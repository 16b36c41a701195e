//! What the guest says: console lines and `text()`, counted against one budget while it says them.

use std::cell::{Cell, RefCell};

/// Lines not sent yet, and what is left of `maxOutputChars`.
#[derive(Default)]
pub(crate) struct Output {
    budget: Cell<u64>,
    used: Cell<u64>,
    logs: RefCell<Vec<String>>,
    text: RefCell<Vec<String>>,
}

/// Length in UTF-16 code units, as the host counts characters.
pub(crate) fn chars(text: &str) -> u64 {
    if text.is_ascii() {
        text.len() as u64
    } else {
        text.encode_utf16().count() as u64
    }
}

impl Output {
    pub(super) fn set_budget(&self, chars: u64) {
        self.budget.set(chars);
    }

    /// Counts a line and its end; false where the budget does not hold it.
    fn admit(&self, line: &str) -> bool {
        let used = self.used.get().saturating_add(chars(line) + 1);
        self.used.set(used);
        used <= self.budget.get()
    }

    pub(super) fn log(&self, line: String) -> bool {
        let admitted = self.admit(&line);
        if admitted {
            self.logs.borrow_mut().push(line);
        }
        admitted
    }

    pub(super) fn say(&self, text: String) -> bool {
        let admitted = self.admit(&text);
        if admitted {
            self.text.borrow_mut().push(text);
        }
        admitted
    }

    /// Whether a result of this length fits beside what was said.
    pub(crate) fn admits_result(&self, chars: u64) -> bool {
        self.used.get().saturating_add(chars) <= self.budget.get()
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.get()
    }

    pub(crate) fn take_logs(&self) -> Vec<String> {
        self.logs.take()
    }

    pub(crate) fn take_text(&self) -> Vec<String> {
        self.text.take()
    }
}
