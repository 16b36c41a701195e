//! A program that was compiled for an earlier run is the same program in every way.

mod common;

use codemode_engine::{Ambient, Features, Lease, Limits, RunSpec};
use common::{Live, Seen, spec_of};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const PROGRAM: &str = "globalThis.seen = (globalThis.seen ?? 0) + 1
Array.prototype.mark = 1
const echoed = await tools.echo({ n: 1 })
console.log('said')
if (echoed.n > 1) return 'more'
return [seen, echoed, new Error('here').stack.includes(':6:')]";

fn keyed(code: &str, key: &str, prepared: &Arc<AtomicU32>) -> Seen {
    let lease = Lease::new();
    let (spec, events) = spec_of(code, Limits::default(), Features::default(), Ambient::new());
    let (prepare, counted) = (spec.prepare, prepared.clone());
    let handle = lease.start(RunSpec {
        prepare: Box::new(move || {
            counted.fetch_add(1, Ordering::SeqCst);
            prepare()
        }),
        key: Some(key.into()),
        ..spec
    });
    Live { handle, events }.drive()
}

#[test]
fn the_second_run_prepares_nothing_and_shares_nothing() {
    let _kept = Lease::new();
    let prepared = Arc::new(AtomicU32::new(0));
    for _ in 0..5 {
        let seen = keyed(PROGRAM, "shares nothing", &prepared);
        assert_eq!(seen.result(), r#"[1,{"n":1},true]"#);
        assert_eq!(seen.logs, ["said"]);
        assert_eq!(seen.end.tool_calls, 1);
    }
    assert_eq!(prepared.load(Ordering::SeqCst), 1);
}

#[test]
fn errors_have_their_places_every_time() {
    let _kept = Lease::new();
    let prepared = Arc::new(AtomicU32::new(0));
    for _ in 0..3 {
        let seen = keyed("const a = 1\nnull.x", "places", &prepared);
        let failure = seen.failure();
        assert_eq!(
            (failure.line, failure.name.as_str()),
            (Some(2), "TypeError")
        );
    }
    assert_eq!(prepared.load(Ordering::SeqCst), 1);
}

#[test]
fn a_text_that_is_no_program_is_refused_every_time() {
    let _kept = Lease::new();
    let prepared = Arc::new(AtomicU32::new(0));
    for _ in 0..3 {
        let seen = keyed("return (", "no program", &prepared);
        assert_eq!(seen.failure().name, "SyntaxError");
    }
    assert_eq!(prepared.load(Ordering::SeqCst), 3);
}
