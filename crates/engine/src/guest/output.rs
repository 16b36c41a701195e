//! What the guest says: console lines and `text()`, counted against one budget while it says them.

use crate::message::Event;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::{Duration, Instant};

/// How long a program that is watched may compute before what it says is sent in the middle of a turn.
const FLUSH_AFTER: Duration = Duration::from_millis(20);

/// A program that yields more often than this yields once.
const YIELD_EVERY: Duration = Duration::from_millis(1);

/// What was said and not sent yet, in order, and what is left of `maxOutputChars`.
#[derive(Default)]
pub(crate) struct Output {
    budget: Cell<u64>,
    used: Cell<u64>,
    events: RefCell<Vec<Event>>,
    /// What was stored since, the last value of each key.
    stored: RefCell<BTreeMap<String, Change>>,
    yielded: Cell<Option<Instant>>,
    /// When somebody watches: the last time that something was sent in the middle of a turn.
    flushed: Cell<Option<Instant>>,
}

/// A key of the session's store that changed.
#[derive(Debug)]
struct Change {
    json: Option<String>,
    /// Whoever watches knows the key.
    told: bool,
}

/// Length in UTF-16 code units, as the host counts characters.
pub fn chars(text: &str) -> u64 {
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

    /// The last value of each key is sent, and nothing of a key that came and went: what waits here is never more than
    /// twice what the session may keep.
    pub(super) fn stored(&self, key: String, json: Option<String>, was_there: bool) {
        match self.stored.borrow_mut().entry(key) {
            Entry::Occupied(change) if json.is_none() && !change.get().told => {
                change.remove();
            }
            Entry::Occupied(mut change) => change.get_mut().json = json,
            Entry::Vacant(place) if json.is_some() || was_there => {
                place.insert(Change {
                    json,
                    told: was_there,
                });
            }
            Entry::Vacant(_) => {}
        }
    }

    /// Asks whoever watches to look, in the place among what was said; false where it was just asked.
    pub(super) fn yielded(&self) -> bool {
        let last = self.yielded.replace(Some(Instant::now()));
        if last.is_some_and(|last| last.elapsed() < YIELD_EVERY) {
            self.yielded.set(last);
            return false;
        }
        self.events.borrow_mut().push(Event::Yielded);
        true
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
        let mut events = self.events.take();
        let stored = self.stored.take();
        if !stored.is_empty() {
            let changes = stored.into_iter().map(|(key, change)| (key, change.json));
            events.insert(0, Event::Stored(changes.collect()));
        }
        events
    }
}
