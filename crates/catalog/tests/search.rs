//! Search: the right tool among many, quickly.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that cannot go on should stop"
)]

mod common;

use std::time::{Duration, Instant};

use codemode_catalog::{Catalog, ToolSpec};
use common::{Random, tool};

fn names<'a>(catalog: &'a Catalog, query: &str, limit: usize) -> Vec<&'a str> {
    let hits = catalog.search(query, limit);
    assert!(
        hits.windows(2).all(|w| w[0].score >= w[1].score),
        "best first"
    );
    hits.iter()
        .map(|hit| catalog.names()[hit.tool].name.as_str())
        .collect()
}

fn small() -> Catalog {
    let weather = r#"{"type":"object","properties":{"city":{"type":"string","description":"Name of the town"}}}"#;
    Catalog::new(vec![
        tool("github-list-issues", "List the issues of a repository", ""),
        tool("github-create-issue", "Opens a new issue", ""),
        tool("sendEmail", "Sends a message to one or more recipients", ""),
        tool("get_forecast", "Weather for the next days", weather),
        tool("HTMLToMarkdown", "Converts a page", ""),
        tool("日本語検索", "日本語の文書を検索する", ""),
        tool("drive.files.delete", "Removes a file for good", ""),
    ])
    .unwrap()
}

#[test]
fn words_of_names_descriptions_and_parameters_are_found() {
    let catalog = small();
    for (query, first) in [
        ("list issues", "github-list-issues"),
        ("githubListIssues", "github-list-issues"),
        ("create an issue", "github-create-issue"),
        ("creating issues", "github-create-issue"),
        ("send email", "sendEmail"),
        ("mail", "sendEmail"),
        ("weather", "get_forecast"),
        ("town", "get_forecast"),
        ("city", "get_forecast"),
        ("html", "HTMLToMarkdown"),
        ("markdown page", "HTMLToMarkdown"),
        ("文書を検索", "日本語検索"),
        ("remove file", "drive.files.delete"),
        ("forcast", "get_forecast"),
        ("how do I erase some files", "drive.files.delete"),
    ] {
        assert_eq!(names(&catalog, query, 3).first(), Some(&first), "{query}");
    }
}

#[test]
fn nothing_is_found_for_nothing() {
    let catalog = small();
    for query in ["", "   ", "the of a", "zzzzqqqq", "🎉", "\u{0}"] {
        assert!(catalog.search(query, 5).is_empty(), "{query:?}");
    }
    assert!(catalog.search("issue", 0).is_empty());
    assert_eq!(catalog.search("issue", 1).len(), 1);
    assert!(Catalog::new(Vec::new()).unwrap().search("x", 5).is_empty());
}

const VERBS: [&str; 10] = [
    "create", "list", "delete", "update", "send", "archive", "export", "approve", "merge", "sync",
];
const NOUNS: [&str; 50] = [
    "invoice",
    "customer",
    "ticket",
    "branch",
    "webhook",
    "domain",
    "certificate",
    "playlist",
    "recipe",
    "shipment",
    "warehouse",
    "employee",
    "payroll",
    "contract",
    "lead",
    "campaign",
    "newsletter",
    "survey",
    "dashboard",
    "metric",
    "alert",
    "incident",
    "runbook",
    "cluster",
    "namespace",
    "secret",
    "volume",
    "snapshot",
    "bucket",
    "queue",
    "topic",
    "subscription",
    "refund",
    "dispute",
    "coupon",
    "product",
    "variant",
    "review",
    "wishlist",
    "cart",
    "booking",
    "flight",
    "hotel",
    "passenger",
    "vehicle",
    "route",
    "driver",
    "sensor",
    "firmware",
    "gateway",
];
const SERVERS: [&str; 20] = [
    "acme", "borealis", "cobalt", "dynamo", "ember", "fjord", "granite", "helix", "indigo",
    "juniper", "krypton", "lumen", "meteor", "nimbus", "onyx", "pinnacle", "quartz", "raven",
    "saffron", "tundra",
];

fn many() -> Vec<ToolSpec> {
    let mut tools = Vec::with_capacity(10_000);
    for server in SERVERS {
        for noun in NOUNS {
            for verb in VERBS {
                let schema = format!(
                    r#"{{"type":"object","properties":{{"{noun}_id":{{"type":"string","description":"Which {noun}"}},"limit":{{"type":"integer"}}}}}}"#
                );
                let about =
                    format!("Use this to {verb} a {noun} in the {server} account of the user");
                tools.push(tool(&format!("{server}__{verb}_{noun}"), &about, &schema));
            }
        }
    }
    tools
}

const QUERIES: usize = 200;

#[test]
fn the_right_one_of_ten_thousand_is_among_the_first_five() {
    let catalog = Catalog::new(many()).unwrap();
    let mut random = Random(11);
    let (mut found, mut spent, mut worst) = (0, Duration::ZERO, Duration::ZERO);
    for _ in 0..QUERIES {
        let (server, noun, verb) = (
            random.pick(&SERVERS),
            random.pick(&NOUNS),
            random.pick(&VERBS),
        );
        let query = match random.below(4) {
            0 => format!("{verb} {noun} {server}"),
            1 => format!("I need to {verb} {noun}s with {server}"),
            2 => format!("{server}.{verb}{}{}", noun[..1].to_uppercase(), &noun[1..]),
            _ => format!("{noun} {verb} {}", &server[..server.len() - 1]),
        };
        // The best of three: another process may have the core in one of them.
        let timed = || {
            let start = Instant::now();
            let hits = catalog.search(&query, 5);
            (start.elapsed(), hits)
        };
        let times = [timed(), timed(), timed()];
        let (took, hits) = times.into_iter().min_by_key(|(took, _)| *took).unwrap();
        spent += took;
        worst = worst.max(took);
        let wanted = format!("{server}__{verb}_{noun}");
        found += usize::from(hits.iter().any(|h| catalog.names()[h.tool].name == wanted));
    }
    assert!(found * 100 >= QUERIES * 95, "{found} of {QUERIES}");
    let each = spent / QUERIES as u32;
    println!("{found} of {QUERIES}, {each:?} each, {worst:?} at worst");
    if cfg!(debug_assertions) {
        // Unoptimised and beside other tests it takes a few times the 5 ms of a release.
        assert!(each < Duration::from_millis(40), "{each:?}");
    } else {
        assert!(worst < Duration::from_millis(5), "{worst:?}");
    }
}
