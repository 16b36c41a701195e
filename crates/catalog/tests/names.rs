//! Names: what is printed can be called, and means one tool.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use codemode_catalog::{Catalog, CatalogError};
use common::tool;

fn catalog(names: &[&str]) -> Catalog {
    Catalog::new(names.iter().map(|n| tool(n, "", "")).collect()).unwrap()
}

fn alias(name: &str) -> Option<String> {
    catalog(&[name]).names().first().unwrap().alias.clone()
}

#[test]
fn a_name_that_is_no_identifier_has_an_alias() {
    let pairs = [
        ("my-tool", "my_tool"),
        ("create_Event-v2", "create_Event_v2"),
        ("context7.resolve-library-id", "context7_resolve_library_id"),
        ("weather/today", "weather_today"),
        ("2fa_check", "_2fa_check"),
        ("ns:get", "ns_get"),
        ("поиск-1", "поиск_1"),
        ("--proto--", "__proto___"),
        ("to-String", "to_String"),
        ("then", "then_"),
        ("search?", "search_"),
    ];
    for (name, expected) in pairs {
        assert_eq!(alias(name).as_deref(), Some(expected), "{name}");
    }
    for name in [
        "get_price",
        "delete",
        "constructor",
        "__proto__",
        "日本語検索",
        "поиск",
        "$x",
    ] {
        assert_eq!(alias(name), None, "{name}");
    }
    assert_eq!(alias("--"), None, "nothing to make a name of");
}

#[test]
fn no_alias_changes_what_every_object_has() {
    for name in [
        "constructor",
        "__proto__",
        "then",
        "toString",
        "valueOf",
        "hasOwnProperty",
    ] {
        let near: Vec<String> = (0..name.len())
            .map(|i| format!("{}-{}", &name[..i], &name[i..]))
            .collect();
        for odd in near
            .iter()
            .map(String::as_str)
            .chain(["-proto-", "-_proto_-"])
        {
            assert_ne!(alias(odd).as_deref(), Some(name), "{odd}");
        }
    }
}

#[test]
fn an_alias_that_could_mean_two_tools_is_given_to_none() {
    let both = catalog(&["get-item", "get_item"]);
    assert_eq!(both.names().iter().filter(|n| n.alias.is_some()).count(), 0);
    assert_eq!(both.lookup("get-item"), Some(0));
    assert_eq!(both.lookup("get_item"), Some(1));
    let three = catalog(&["a.b", "a-b", "c-d"]);
    assert_eq!(three.lookup("a_b"), None);
    assert_eq!(three.lookup("c_d"), Some(2));
    assert_eq!(three.directory().nearest("a_b"), ["a.b", "a-b"]);
}

#[test]
fn a_tool_named_then_is_declared_under_its_alias_alone() {
    let catalog = catalog(&["then", "then_", "echo"]);
    assert_eq!(
        catalog.signatures(),
        "declare const tools: {\n then__(input?: unknown): Promise<unknown>\n \
         then_(input?: unknown): Promise<unknown>\n echo(input?: unknown): Promise<unknown>\n}\n"
    );
    assert_eq!(catalog.lookup("then__"), Some(0));
}

#[test]
fn names_are_quoted_where_they_must_be() {
    let text = catalog(&["my-tool", "new", "delete", "__proto__", "a\"b\n*/"]).signatures();
    let expected = r#"declare const tools: {
 "my-tool"(input?: unknown): Promise<unknown>
 my_tool: typeof tools["my-tool"]
 "new"(input?: unknown): Promise<unknown>
 delete(input?: unknown): Promise<unknown>
 __proto__(input?: unknown): Promise<unknown>
 "a\"b\n*/"(input?: unknown): Promise<unknown>
 a_b___: typeof tools["a\"b\n*/"]
}
"#;
    assert_eq!(text, expected);
}

#[test]
fn equal_and_empty_names_are_refused() {
    let twice = Catalog::new(vec![
        tool("a", "", ""),
        tool("b", "", ""),
        tool("a", "", ""),
    ]);
    let error = twice.unwrap_err();
    assert_eq!(
        error,
        CatalogError::DuplicateName {
            name: "a".to_owned(),
            first: 0,
            second: 2
        }
    );
    assert!(error.to_string().contains("\"a\""));
    let empty = Catalog::new(vec![tool("", "", "")]);
    assert_eq!(empty.unwrap_err(), CatalogError::EmptyName(0));
}

#[test]
fn the_name_that_was_meant() {
    let names = [
        "list_issues",
        "github-list-issues",
        "createIssue",
        "get_price",
        "send_mail",
    ];
    let catalog = catalog(&names);
    let first = |wanted: &str| {
        catalog
            .directory()
            .nearest(wanted)
            .first()
            .map(|s| (*s).to_owned())
    };
    for (wanted, expected) in [
        ("listIssues", "list_issues"),
        ("github_list_issues", "github-list-issues"),
        ("create_issue", "createIssue"),
        ("get_prices", "get_price"),
        ("get_pirce", "get_price"),
        ("GET_PRICE", "get_price"),
        ("mail", "send_mail"),
    ] {
        assert_eq!(first(wanted).as_deref(), Some(expected), "{wanted}");
    }
    assert!(catalog.directory().nearest("valueOf").is_empty());
    assert!(catalog.directory().nearest("").is_empty());
    assert!(catalog.directory().nearest(&"x".repeat(100_000)).is_empty());
    assert!(catalog.directory().nearest("issues").len() <= 3);
}
