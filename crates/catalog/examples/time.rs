//! Times what a code mode asks of its catalogue: `cargo run --release -p codemode-catalog --example time`.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a measurement that cannot go on should stop"
)]

use codemode_catalog::{Catalog, ToolSpec};
use serde_json::Value;
use std::time::{Duration, Instant};

/// `count` tools of real servers; beyond the recorded ones the same again under other names.
fn tools(count: usize) -> Vec<ToolSpec> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benchmark/tools.json");
    let lists: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let lists = lists.as_array().unwrap().iter();
    let recorded: Vec<ToolSpec> = lists
        .flat_map(|list| list["tools"].as_array().unwrap())
        .map(|tool| ToolSpec {
            name: tool["name"].as_str().unwrap().to_owned(),
            description: tool["description"].as_str().map(str::to_owned),
            input_schema: Some(tool["inputSchema"].to_string()),
            output_schema: tool.get("outputSchema").map(Value::to_string),
            validate_input: true,
        })
        .collect();
    let again = (0..count).map(|i| {
        let mut tool = recorded[i % recorded.len()].clone();
        tool.name = format!("s{}__{}_{i}", i / recorded.len(), tool.name);
        tool
    });
    again.collect()
}

fn best(mut body: impl FnMut()) -> Duration {
    let times = (0..7).map(|_| {
        let start = Instant::now();
        body();
        start.elapsed()
    });
    times.min().unwrap()
}

fn main() {
    let specs = tools(500);
    let made = best(|| drop(Catalog::new(specs.clone()).unwrap()));
    let catalog = Catalog::new(specs).unwrap();
    let listed = best(|| drop(catalog.budgeted(6_000)));
    println!("500 tools: made in {made:?}, listed in {listed:?}");

    let catalog = Catalog::new(tools(10_000)).unwrap();
    let queries = [
        "create an issue",
        "read text file",
        "click on a page element",
        "pods",
    ];
    for query in queries {
        let found = best(|| drop(catalog.search_json(query, 10)));
        println!("10,000 tools: {query:?} in {found:?}");
    }
}
