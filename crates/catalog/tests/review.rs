//! What is said about arguments that are only partly known.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use codemode_catalog::{Catalog, Finding, Known, Partial, ToolSpec};
use serde_json::{Value, json};

fn catalog(schema: &Value) -> Catalog {
    let spec = ToolSpec {
        name: "tool".into(),
        input_schema: Some(schema.to_string()),
        validate_input: true,
        ..ToolSpec::default()
    };
    Catalog::new(vec![spec]).unwrap()
}

/// A value that is known but for the strings `"?"`, of which nothing is known, and for objects with a key `"..."`.
fn partial(value: &Value) -> Partial {
    let known = match value {
        Value::String(text) if text == "?" => Known::Nothing,
        Value::String(text) if text == "?text" => Known::Text,
        Value::Array(items) => Known::Array {
            items: items.iter().map(partial).collect(),
            whole: true,
        },
        Value::Object(map) => Known::Object {
            fields: map
                .iter()
                .filter(|(key, _)| *key != "...")
                .enumerate()
                .map(|(i, (key, value))| (key.clone(), 10 + i as u32, partial(value)))
                .collect(),
            whole: !map.contains_key("..."),
        },
        other => Known::Value(other.clone()),
    };
    Partial { at: 1, known }
}

fn review(schema: &Value, value: &Value) -> Vec<Finding> {
    catalog(schema).review(0, &partial(value))
}

fn certain(schema: &Value, value: &Value) -> String {
    let found = review(schema, value);
    assert_eq!(found.len(), 1, "{value}: {found:?}");
    assert!(found[0].certain, "{value}: {found:?}");
    found[0].message.clone()
}

fn price() -> Value {
    json!({ "type": "object", "properties": { "item": { "type": "string" }, "count": { "type": "integer", "minimum": 1 }, "unit": { "enum": ["kg", "piece"] }, "tags": { "type": "array", "items": { "type": "string" } } }, "required": ["item"] })
}

#[test]
fn names_what_is_missing_unknown_and_of_the_wrong_kind() {
    let schema = price();
    assert_eq!(certain(&schema, &json!({})), "`item` is missing");
    assert_eq!(
        certain(&schema, &json!({ "item": 5 })),
        "`item`: expected string, got 5"
    );
    assert_eq!(
        certain(&schema, &json!({ "item": "a", "count": 1.5 })),
        "`count`: expected integer, got 1.5"
    );
    assert_eq!(
        certain(&schema, &json!({ "item": "a", "unit": "lb" })),
        "`unit`: expected \"kg\" or \"piece\", got \"lb\""
    );
    assert_eq!(
        certain(&schema, &json!({ "item": "a", "tags": ["x", 2] })),
        "`tags[1]`: expected string, got 2"
    );
    assert_eq!(
        certain(&schema, &json!("apple")),
        "the argument: expected object, got \"apple\""
    );
    assert_eq!(
        certain(&schema, &json!({ "item": "a", "count": "?text" })),
        "`count`: expected integer, got a string"
    );
    let found = review(&schema, &json!({ "itm": "a" }));
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(
        found[0].message,
        "`item` is missing; \"itm\" is given instead"
    );
    assert_eq!(
        (found[1].message.as_str(), found[1].certain, found[1].at),
        ("`itm` is no property here; did you mean `item`?", false, 10)
    );
}

#[test]
fn what_is_not_known_is_not_judged() {
    let schema = price();
    for value in [
        json!("?"),
        json!({ "item": "?" }),
        json!({ "...": 1 }),
        json!({ "item": "?", "count": "?", "tags": ["?"] }),
        json!({ "item": "a", "unit": "?text" }),
    ] {
        assert!(review(&schema, &value).is_empty(), "{value}");
    }
}

#[test]
fn ranges_are_the_validators() {
    assert_eq!(
        certain(&price(), &json!({ "item": "a", "count": 0 })),
        "count: expected a number >= 1, got 0"
    );
}

#[test]
fn closed_objects_refuse_and_open_ones_only_do_not_know() {
    let closed =
        json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false });
    assert!(certain(&closed, &json!({ "zzz": 1 })).contains("expected `a`"));
    let none = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    assert!(certain(&none, &json!({ "a": 1 })).contains("takes none"));
    for open in [
        json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": true }),
        json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": { "type": "number" } }),
        json!({ "type": "object", "properties": { "a": {} }, "patternProperties": { "^z": {} } }),
        json!({ "type": "object" }),
        json!({ "properties": { "a": {} }, "anyOf": [{ "properties": { "zzz": {} } }, { "required": ["a"] }] }),
        json!({ "properties": { "a": {} }, "$ref": "#/$defs/more", "$defs": { "more": { "properties": { "zzz": {} } } } }),
    ] {
        assert!(review(&open, &json!({ "zzz": 1 })).is_empty(), "{open}");
    }
}

#[test]
fn unions_fail_only_where_every_member_does() {
    let either = json!({ "anyOf": [{ "type": "string" }, { "type": "number" }] });
    assert!(review(&either, &json!(1)).is_empty());
    assert!(review(&either, &json!("?text")).is_empty());
    assert_eq!(
        certain(&either, &json!(true)),
        "the argument: expected string or number, got true"
    );
    let shapes = json!({ "oneOf": [
        { "type": "object", "properties": { "kind": { "const": "circle" }, "radius": { "type": "number" } }, "required": ["kind", "radius"] },
        { "type": "object", "properties": { "kind": { "const": "square" }, "side": { "type": "number" } }, "required": ["kind", "side"] },
    ] });
    assert_eq!(
        certain(&shapes, &json!({ "kind": "square", "side": "?text" })),
        "`side`: expected number, got a string"
    );
    assert_eq!(
        certain(&shapes, &json!({ "kind": "circle" })),
        "`radius` is missing"
    );
    assert!(review(&shapes, &json!({ "kind": "?", "...": 1 })).is_empty());
}

#[test]
fn schemas_that_contain_themselves_end() {
    let tree = json!({ "type": "object", "properties": { "name": { "type": "string" }, "kids": { "type": "array", "items": { "$ref": "#" } } }, "required": ["name"] });
    assert_eq!(
        certain(
            &tree,
            &json!({ "name": "a", "kids": [{ "name": "b", "kids": [{ "name": 3 }] }] })
        ),
        "`kids[0].kids[0].name`: expected string, got 3"
    );
}

#[test]
fn nothing_is_certain_where_arguments_are_checked_elsewhere() {
    let spec = ToolSpec {
        name: "tool".into(),
        input_schema: Some(price().to_string()),
        validate_input: false,
        ..ToolSpec::default()
    };
    let found = Catalog::new(vec![spec])
        .unwrap()
        .review(0, &partial(&json!({ "item": 1 })));
    assert!(!found[0].certain && found[0].message.contains("expected string"));
    let bare = Catalog::new(vec![ToolSpec {
        name: "tool".into(),
        ..ToolSpec::default()
    }])
    .unwrap();
    assert!(bare.review(0, &partial(&json!({ "item": 1 }))).is_empty());
}

/// What a review calls certain the validator refuses, and of a value that is known as a whole they say the same.
#[test]
fn agrees_with_the_validator() {
    let schemas = [
        price(),
        json!({ "type": ["object", "null"], "properties": { "a": { "type": ["integer", "null"] }, "b": { "const": 1.0 } }, "additionalProperties": false }),
        json!({ "allOf": [{ "properties": { "a": { "type": "boolean" } } }, { "required": ["a"] }], "not": { "required": ["b"] } }),
    ];
    let values = [
        json!(null),
        json!(1),
        json!("a"),
        json!([]),
        json!({}),
        json!({ "a": 1 }),
        json!({ "a": 1.0, "b": 1 }),
        json!({ "a": true }),
        json!({ "a": true, "b": 2 }),
        json!({ "item": "x" }),
        json!({ "item": null, "unit": "kg" }),
        json!({ "item": "x", "tags": [null] }),
    ];
    for schema in &schemas {
        let catalog = catalog(schema);
        for value in &values {
            let refused = catalog.validate(0, &value.to_string()).is_err();
            let found = catalog.review(0, &partial(value));
            assert_eq!(
                found.iter().any(|one| one.certain),
                refused,
                "{schema}\n{value}\n{found:?}"
            );
        }
    }
}

#[test]
fn a_signature_carries_the_types_it_needs() {
    let tree = json!({ "$ref": "#/$defs/Node", "$defs": { "Node": { "type": "object", "properties": { "kids": { "type": "array", "items": { "$ref": "#/$defs/Node" } } } } } });
    let text = catalog(&tree).signature(0);
    assert!(
        text.contains("type Node =") && text.contains("tool(input?: Node): Promise<unknown>"),
        "{text}"
    );
    assert_eq!(catalog(&tree).signature(9), "");
}
