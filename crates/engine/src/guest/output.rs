//! What the guest says: console lines and `text()`, counted against one budget while it says them.

use crate::message::Event;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// How long a program that is watched may compute before what it says is sent in the middle of a turn.
const FLUSH_AFTER: Duration = Duration::from_millis(20);

/// What was said and not sent yet, in order, and what is left of `maxOutputChars`.
#[derive(Default)]
pub(crate) struct Output {
    budget: Cell<u64>,
    used: Cell<u64>,
    events: RefCell<Vec<Event>>,
    /// When somebody watches: the last time that something was sent in the middle of a turn.
    flushed: Cell<Option<Instant>>,
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
            let mut events = self.events.borrow_mut();
            match events.last_mut() {
                Some(Event::Logs(lines)) => lines.push(line),
                _ => events.push(Event::Logs(vec![line])),
            }
        }
        admitted
    }

    pub(super) fn say(&self, text: String) -> bool {
        let admitted = self.admit(&text);
        if admitted {
            let mut events = self.events.borrow_mut();
            match events.last_mut() {
                Some(Event::Text(lines)) => lines.push(text),
                _ => events.push(Event::Text(vec![text])),
            }
        }
        admitted
    }

    /// Keeps the place of something else among what was said.
    pub(super) fn happened(&self, event: Event) {
        self.events.borrow_mut().push(event);
    }

    /// Somebody watches the program while it runs.
    pub(super) fn watch(&self) {
        self.flushed.set(Some(Instant::now()));
    }

    /// True from time to time, where somebody watches.
    pub(super) fn is_due(&self) -> bool {
        let due = self
            .flushed
            .get()
            .is_some_and(|flushed| flushed.elapsed() >= FLUSH_AFTER);
        if due {
            self.watch();
        }
        due
    }

    /// Whether a result of this length fits beside what was said.
    pub(crate) fn admits_result(&self, chars: u64) -> bool {
        self.used.get().saturating_add(chars) <= self.budget.get()
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.get()
    }

    pub(crate) fn take_events(&self) -> Vec<Event> {
        self.events.take()
    }
}
