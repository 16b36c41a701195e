//! A program run before the lock-down: what the C library and the engine read or make once is there afterwards (the
//! time zone, the helpers' bytecode, lazily made tables), and every forked process has it.

use codemode_catalog::{Catalog, ToolSpec};
use codemode_engine::{Ambient, Event, Features, Limits, Reply, RunSpec, Sink, Solo};
use codemode_program::{Dialect, GuestTools, prepare};
use std::sync::Arc;

const PROGRAM: &str = "
const first = await tools.warm({ list: [1, 2.5, 'x'] });
console.log({ first, map: new Map([[1, 2]]) }, [new Error('none')]);
const date = new Date(1e12);
const text = JSON.stringify({ date, zone: date.getTimezoneOffset(), local: String(date) });
const found = /(\\d+)-(?<name>\\p{Lu})/u.exec('12-A' + text.normalize('NFC').toUpperCase());
try { await tools.warm(1) } catch (error) { console.warn(error) }
const copy = structuredClone({ sum: 10n ** 30n > 1n, sorted: [3, 1, 2].sort(), random: Math.random() });
return { copy: String(copy.sorted), found: found.groups.name, base: btoa(atob('eA==')) }";

struct Nowhere;

impl Sink for Nowhere {
    fn deliver(&self, _events: Vec<Event>) {}
}

pub(crate) fn run() {
    let Some(solo) = Solo::new(Features::default()) else {
        return;
    };
    let limits = Limits::default();
    let max_chars = limits.max_source_chars;
    let tool = ToolSpec {
        name: "warm".into(),
        ..ToolSpec::default()
    };
    let Ok(catalog) = Catalog::new(vec![tool]) else {
        return;
    };
    let spec = RunSpec {
        limits,
        features: Features::default(),
        tools: Arc::new(GuestTools {
            listing: Arc::new(catalog),
            dialect: Dialect::Native,
        }),
        prepare: Box::new(move || prepare(PROGRAM, max_chars)),
        key: None,
        sink: Arc::new(Nowhere),
        ambient: Ambient::new(),
    };
    let mut run = solo.begin(spec, Box::new(|| None));
    for (id, outcome) in [
        (1, Ok("{\"a\":[1,null]}".to_owned())),
        (2, Err("\"no\"".to_owned())),
    ] {
        run.resume(vec![Reply { id, outcome }]);
    }
}
