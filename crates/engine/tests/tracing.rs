//! The engine's spans, seen by a subscriber.
#![allow(missing_docs, reason = "tests")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a broken expectation ends the test"
)]

mod common;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

static SEEN: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

struct Names(AtomicU64);

impl Subscriber for Names {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        SEEN.lock().unwrap().push(span.metadata().name());
        Id::from_u64(self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        SEEN.lock().unwrap().push("event");
    }

    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn a_run_has_a_span_for_its_begin_and_for_each_turn() {
    tracing::subscriber::set_global_default(Names(AtomicU64::new(0))).unwrap();
    assert_eq!(
        common::run("await tools.echo(1); return await tools.echo(2)").result(),
        "2"
    );
    let seen = SEEN.lock().unwrap().clone();
    assert_eq!(seen, ["begin", "turn", "turn", "event"]);
}
