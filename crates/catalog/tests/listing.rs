//! The catalogue as data, and calls written in other forms.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop"
)]

mod common;

use codemode_catalog::limits::MAX_DESCRIPTION_CHARS;
use codemode_catalog::{Catalog, CatalogError, Form, ToolSpec};
use common::tool;
use serde_json::Value;

const POINT: &str = r##"{"type":"object","properties":{"from":{"$ref":"#/$defs/Point"},"to":{"$ref":"#/$defs/Point","description":"Where it ends"}},"required":["from","to"],
"$defs":{"Point":{"type":"object","properties":{"a_rather_long_name_for_latitude":{"type":"number"},"and_another_for_longitude":{"type":"number"}}}}}"##;

fn small() -> Vec<ToolSpec> {
    vec![
        tool("route", "Finds a way\nbetween two points", POINT),
        tool("my-tool", "", ""),
        tool("then", "Comes after", ""),
        tool("3d", "Draws", ""),
    ]
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

#[test]
fn all_tools_are_listed_with_names_and_descriptions() {
    let long = "word ".repeat(200);
    let catalog = Catalog::new(vec![tool("a", "Does \"a\"", ""), tool("b", &long, "")]).unwrap();
    let all = parsed(&catalog.all_json(false));
    assert_eq!(
        all[0],
        serde_json::json!({"name": "a", "description": "Does \"a\""})
    );
    let cut = all[1]["description"].as_str().unwrap();
    assert_eq!(cut.chars().count(), MAX_DESCRIPTION_CHARS);
    assert!(cut.ends_with('…'));
    assert_eq!(Catalog::new(Vec::new()).unwrap().all_json(false), "[]");

    let catalog = Catalog::new(small()).unwrap();
    let names = |identifiers| -> Vec<String> {
        let all = parsed(&catalog.all_json(identifiers));
        let names = all.as_array().unwrap().iter();
        names
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(false), ["route", "my-tool", "then", "3d"]);
    assert_eq!(names(true), ["route", "my_tool", "then_", "_3d"]);
}

#[test]
fn a_found_tool_comes_with_a_signature_and_its_types() {
    let catalog = Catalog::new(small()).unwrap();
    let found = parsed(&catalog.search_json("way between points", 3));
    assert_eq!(found[0]["name"], "route");
    assert_eq!(found[0]["description"], "Finds a way\nbetween two points");
    let signature = found[0]["signature"].as_str().unwrap();
    assert!(signature.contains("type Point ="), "{signature}");
    assert!(signature.contains("route(input:"), "{signature}");
    assert!(!signature.contains("Finds a way"), "said once: {signature}");
    assert_eq!(catalog.search_json("nothing like it", 3), "[]");
}

#[test]
fn one_tool_is_described_in_full() {
    let long = "word ".repeat(200);
    let catalog = Catalog::new(vec![tool("route", &long, POINT)]).unwrap();
    let one = parsed(&catalog.describe_json(0));
    assert_eq!(one["description"].as_str().unwrap(), long);
    let signature = one["signature"].as_str().unwrap();
    assert!(signature.contains("declare const tools: {"), "{signature}");
    assert!(signature.contains("Where it ends"), "{signature}");
    assert!(!signature.contains("word word"), "said once: {signature}");
    assert_eq!(catalog.describe_json(1), "null");
}

#[test]
fn tools_can_be_functions_with_a_prefix() {
    let form = Form::Functions("external_".to_owned());
    let catalog = Catalog::with_form(small(), form).unwrap();
    let text = catalog.signatures();
    for part in [
        "\ndeclare function external_route(input: {",
        "declare function external_my_tool(input?: unknown): Promise<unknown>\n",
        "/** Comes after */\ndeclare function external_then(",
        "declare function external_3d(",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("declare const"));
    for (function, number) in [("route", 0), ("my_tool", 1), ("then", 2), ("3d", 3)] {
        let name = format!("external_{function}");
        assert_eq!(
            catalog.directory().lookup_function(&name),
            Some(number),
            "{name}"
        );
    }
    assert_eq!(
        catalog.directory().function_names(),
        [
            "external_route",
            "external_my_tool",
            "external_then",
            "external_3d"
        ]
    );
    for name in ["route", "external_", "external_my-tool", "external_nope"] {
        assert_eq!(catalog.directory().lookup_function(name), None, "{name}");
    }
}

#[test]
fn two_tools_are_never_one_function() {
    let form = || Form::Functions("external_".to_owned());
    let tools = vec![tool("a-b", "", ""), tool("a.b", "", "")];
    let error = Catalog::with_form(tools, form()).unwrap_err();
    assert!(matches!(error, CatalogError::SameFunction { .. }));
    let message = error.to_string();
    assert!(
        message.contains("\"a-b\"") && message.contains("\"a.b\""),
        "{message}"
    );
    let tools = vec![tool("a_b", "", ""), tool("a.b", "", "")];
    assert!(Catalog::with_form(tools, form()).is_err());
}

#[test]
fn the_object_can_have_another_name() {
    let form = Form::Members("codemode".to_owned());
    let catalog = Catalog::with_form(small(), form).unwrap();
    let text = catalog.signatures();
    assert!(text.contains("declare const codemode: {"), "{text}");
    assert!(
        text.contains("my_tool: typeof codemode[\"my-tool\"]"),
        "{text}"
    );
    assert_eq!(catalog.directory().lookup_function("codemode_route"), None);
}
