//! Times the preparation of a short and of a fifty-line program: `cargo run --release --example time`.
#![allow(clippy::print_stdout, reason = "prints its measurements")]

use std::{hint::black_box, time::Instant};

use codemode_source::{check, prepare};

const FIFTY_LINES: &str = include_str!("../../../benchmark/lib/fifty-lines.ts.txt");

/// The shortest of many short means, in microseconds: what the work takes where nothing else runs.
fn time(work: impl Fn() -> bool) -> f64 {
    const TIMES: u32 = 20;
    let mean = |_| {
        let start = Instant::now();
        for _ in 0..TIMES {
            black_box(work());
        }
        start.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES)
    };
    (0..1_000).map(mean).fold(f64::MAX, f64::min)
}

fn main() {
    let first = Instant::now();
    let answer = prepare(FIFTY_LINES);
    println!("first   {:>7.1} us", first.elapsed().as_secs_f64() * 1e6);
    if let Err(error) = answer {
        println!("failed: {error}");
        return;
    }
    let plain = FIFTY_LINES.lines().skip(50).collect::<Vec<_>>().join("\n");
    let deep = format!("return {}1{}", "[".repeat(200), "]".repeat(200));
    for (name, text) in [
        ("1 + 1", "return 1 + 1"),
        ("50 lines", FIFTY_LINES),
        ("1 line", &plain),
        ("deep", &deep),
    ] {
        let us = time(|| prepare(black_box(text)).is_ok());
        println!("{name:<8}{us:>7.1} us");
    }
    let us = time(|| check(black_box(FIFTY_LINES)).diagnostics.is_empty());
    println!("check   {us:>7.1} us");
}
