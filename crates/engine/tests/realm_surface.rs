//! The exact list of globals and their own properties, compared with a reviewed file.
#![allow(missing_docs, reason = "tests")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a broken expectation ends the test"
)]

mod common;
use codemode_engine::{Features, Lease, Limits};
use common::{quick_limits, start_with};

const WALK: &str = r"
const lines = []
const seen = new Map()
const show = (key) => (typeof key === 'symbol' ? `[${String(key)}]` : key)
const walk = (path, target, depth) => {
  if (seen.has(target)) return
  seen.set(target, path)
  for (const key of Reflect.ownKeys(target).sort((a, b) => (String(a) < String(b) ? -1 : 1))) {
    const found = Reflect.getOwnPropertyDescriptor(target, key)
    const at = `${path}.${show(key)}`
    const kind = 'value' in found ? typeof found.value : 'accessor'
    lines.push(`${at} ${kind}${found.writable ? ' w' : ''}${found.enumerable ? ' e' : ''}${found.configurable ? ' c' : ''}`)
    const value = found.value
    if (depth > 0 && value !== null && (typeof value === 'object' || typeof value === 'function')) walk(at, value, depth - 1)
  }
}
walk('globalThis', globalThis, 3)
return lines.join('\n')
";

fn surface(features: Features) -> String {
    let limits = Limits {
        max_output_chars: 1 << 20,
        ..quick_limits()
    };
    let seen = start_with(&Lease::new(), WALK, limits, features).drive();
    let text: String = serde_json::from_str(seen.result()).unwrap();
    text + "\n"
}

/// To review a change: `UPDATE_SURFACE=1 cargo test -p codemode-engine --test realm_surface`, then read the diff.
fn compare(file: &str, features: Features) {
    let path = format!("{}/tests/surface/{file}", env!("CARGO_MANIFEST_DIR"));
    let found = surface(features);
    if std::env::var_os("UPDATE_SURFACE").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let reviewed = std::fs::read_to_string(&path).unwrap();
    let new: Vec<&str> = found
        .lines()
        .filter(|line| !reviewed.lines().any(|old| old == *line))
        .collect();
    let gone: Vec<&str> = reviewed
        .lines()
        .filter(|line| !found.lines().any(|now| now == *line))
        .collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "new: {new:#?}\ngone: {gone:#?}"
    );
}

#[test]
fn default_realm() {
    compare("default.txt", Features::default());
}

#[test]
fn realm_with_all_features() {
    let all = Features {
        typed_arrays: true,
        weak_refs: true,
    };
    compare("all-features.txt", all);
    let found = surface(all);
    for never in [
        "SharedArrayBuffer",
        "Atomics",
        "globalThis.eval",
        "DisposableStack",
    ] {
        assert!(!found.contains(never), "{never} is there");
    }
}
