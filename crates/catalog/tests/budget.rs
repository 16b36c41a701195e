//! What is spelled out of a catalogue too large for the model.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use codemode_catalog::{Catalog, ToolSpec, estimate_tokens};
use common::tool;

fn servers(sizes: &[(&str, usize)]) -> Catalog {
    let schema = r#"{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}"#;
    let tools: Vec<ToolSpec> = sizes
        .iter()
        .flat_map(|(server, count)| {
            (0..*count).map(move |i| tool(&format!("{server}__do_{i}"), "Does something", schema))
        })
        .collect();
    Catalog::new(tools).unwrap()
}

#[test]
fn everything_is_listed_while_it_fits() {
    let catalog = servers(&[("a", 5), ("b", 5)]);
    let all = catalog.budgeted(1_000);
    assert_eq!(all.text, catalog.signatures());
    assert_eq!((all.listed, all.partial, all.omitted.len()), (10, false, 0));
}

#[test]
fn a_large_server_does_not_push_out_a_small_one() {
    let catalog = servers(&[("big", 300), ("small", 3), ("tiny", 1)]);
    let some = catalog.budgeted(600);
    assert!(some.partial);
    assert!(
        estimate_tokens(&some.text) <= 600,
        "{}",
        estimate_tokens(&some.text)
    );
    assert!(estimate_tokens(&some.text) > 500, "the budget is used");
    assert_eq!(some.text.matches("small__do").count(), 3);
    assert_eq!(some.text.matches("tiny__do").count(), 1);
    assert_eq!(some.omitted.len(), 1);
    let omitted = some.omitted.first().unwrap();
    assert_eq!(
        (omitted.namespace.as_str(), omitted.tools),
        ("big", 304 - some.listed)
    );
    assert!(some.text.contains("big__do_0(") && !some.text.contains("big__do_299("));
}

#[test]
fn a_tool_that_is_too_large_leaves_room_for_the_next() {
    let fields: Vec<String> = (0..300)
        .map(|i| format!(r#""f{i}":{{"type":"string"}}"#))
        .collect();
    let huge = format!(
        r#"{{"type":"object","properties":{{{}}}}}"#,
        fields.join(",")
    );
    let catalog = Catalog::new(vec![tool("x.huge", "", &huge), tool("x.small", "", "")]).unwrap();
    let some = catalog.budgeted(100);
    assert_eq!((some.listed, some.partial), (1, true));
    assert!(some.text.contains("\"x.small\"("));
}

#[test]
fn only_the_types_that_are_needed_come_along() {
    let schema = |name: &str| {
        format!(
            r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/{name}"}},"b":{{"$ref":"#/$defs/{name}"}}}},
            "$defs":{{"{name}":{{"type":"object","properties":{{"a_rather_long_name":{{"type":"string"}},"and_another":{{"type":"string"}}}}}}}}}}"##
        )
    };
    let catalog = Catalog::new(vec![
        tool("one", "", &schema("One")),
        tool("two", "", &schema("Two")),
    ])
    .unwrap();
    let some = catalog.budgeted(estimate_tokens(&catalog.signatures()) - 5);
    assert_eq!(some.listed, 1);
    assert!(some.text.contains("type One =") && !some.text.contains("type Two ="));
}

#[test]
fn descriptions_are_short_where_they_would_fill_the_budget() {
    let about = "Opens a ticket in the tracker. It then tells everybody who watches the project, unless \
        they said that they do not want to hear of it, by mail or in the chat of their team.";
    let tools: Vec<ToolSpec> = (0..20).map(|i| tool(&format!("t{i}"), about, "")).collect();
    let catalog = Catalog::new(tools).unwrap();
    let whole = estimate_tokens(&catalog.signatures());
    let roomy = catalog.budgeted(whole * 3);
    assert_eq!(roomy.text, catalog.signatures());
    assert!(roomy.text.contains("by mail or in the chat"));
    let short = catalog.budgeted(whole);
    assert_eq!((short.listed, short.partial), (20, false));
    assert!(
        short.text.contains("/** Opens a ticket in the tracker. */"),
        "whole sentences: {}",
        short.text
    );
    let in_full = catalog.describe(0);
    assert!(in_full.contains("by mail or in the chat"), "{in_full}");
}

#[test]
fn a_long_sentence_and_an_abbreviation_are_cut_within() {
    let one = "word ".repeat(60);
    let other = format!("E.g. {one}");
    let catalog = Catalog::new(vec![tool("a", &one, ""), tool("b", &other, "")]).unwrap();
    let text = catalog.budgeted(100).text;
    assert_eq!(text.matches("word…").count(), 2, "{text}");
    let longest = text.lines().map(|line| line.chars().count()).max();
    assert!(longest.unwrap() < 120, "{text}");
}

#[test]
fn what_is_said_of_a_property_twice_is_said_once() {
    let schema = r#"{"type":"object","properties":{
        "owner":{"type":"string","description":"Account, e.g. https://example.org/me"},
        "mode":{"enum":["a // b","c"],"description":"How // why"},
        "note":{"type":"string"}},"required":["owner"]}"#;
    let catalog = Catalog::new(vec![
        tool("one", "See\nhttps://example.org/a", schema),
        tool("two", "See\nhttps://example.org/a", schema),
    ])
    .unwrap();
    let text = catalog.signatures();
    assert_eq!(text.matches("// Account").count(), 1, "{text}");
    assert_eq!(text.matches("// How").count(), 1, "{text}");
    assert_eq!(
        text.matches("mode?: \"a // b\" | \"c\"").count(),
        2,
        "{text}"
    );
    assert_eq!(text.matches("owner: string").count(), 2, "{text}");
    assert_eq!(text.matches("https://example.org/a").count(), 2, "{text}");
    let full = catalog.describe(1);
    assert!(
        full.contains("// Account") || full.contains("Account, e.g."),
        "{full}"
    );
}

#[test]
fn no_budget_and_no_tools() {
    let none = servers(&[("a", 2)]).budgeted(0);
    assert_eq!(
        (none.text.as_str(), none.listed, none.partial),
        ("declare const tools: {}\n", 0, true)
    );
    let empty = Catalog::new(Vec::new()).unwrap();
    assert_eq!(empty.signatures(), "declare const tools: {}\n");
    assert!(!empty.budgeted(10).partial);
}

#[test]
fn tokens_are_counted_about_right() {
    // counts of a tokenizer in wide use
    for (text, real) in [
        (
            "declare const tools: {\n  get_price(input: { item: string }): Promise<unknown>\n}\n",
            20,
        ),
        ("The quick brown fox jumps over the lazy dog.", 10),
        ("日本語の文書を検索する", 8),
    ] {
        let estimate = estimate_tokens(text);
        assert!(
            estimate * 10 >= real * 8 && estimate * 10 <= real * 15,
            "{text}: {estimate}"
        );
    }
    assert_eq!(estimate_tokens(""), 0);
}
