//! Arguments against schemas.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use codemode_catalog::{Catalog, ToolSpec};
use common::{one, problem, tool};

const TWO: &str = r#"{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},
    "required":["a","b"],"additionalProperties":false}"#;

#[test]
fn the_field_and_what_was_expected_are_named() {
    let catalog = one(TWO);
    assert_eq!(catalog.validate(0, r#"{"a":1,"b":2}"#), Ok(()));
    assert_eq!(
        problem(&catalog, r#"{"a":"x","b":2}"#),
        r#"a: expected number, got "x""#
    );
    assert_eq!(problem(&catalog, r#"{"b":2}"#), "a: required, but missing");
    assert_eq!(
        problem(&catalog, r#"{"a":1,"b":2,"c":3}"#),
        r#"c: unknown property; expected "a" or "b""#
    );
}

#[test]
fn something_else_than_an_object_is_told_so() {
    let catalog = one(TWO);
    for (input, got) in [
        ("[1,2]", "an array"),
        ("1", "a number"),
        (r#""x""#, "a string"),
        ("null", "null"),
    ] {
        assert_eq!(
            problem(&catalog, input),
            format!("expected one object {{ a, b }} as the argument, got {got}")
        );
    }
    // also where only the members of a union say so
    let union = one(r#"{"oneOf":[{"required":["card"]},{"required":["iban"]}]}"#);
    assert!(problem(&union, "[1]").contains("expected one object"));
}

#[test]
fn a_misspelt_property_is_recognised() {
    let catalog = one(
        r#"{"type":"object","properties":{"deep":{"type":"object","additionalProperties":false,
        "properties":{"firstName":{"type":"string"}}}}}"#,
    );
    assert_eq!(
        problem(&catalog, r#"{"deep":{"first_name":"x"}}"#),
        r#"deep.first_name: unknown property; did you mean "firstName"?"#
    );
}

#[test]
fn places_are_written_as_a_script_would() {
    let catalog = one(
        r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"object",
        "properties":{"x/y~z":{"type":"number"}}}}}}"#,
    );
    assert_eq!(
        problem(&catalog, r#"{"a":[{},{"x/y~z":true}]}"#),
        r#"a[1]["x/y~z"]: expected number, got true"#
    );
}

#[test]
fn the_member_of_a_union_that_was_meant_is_spoken_of() {
    let catalog = one(r#"{"type":"object","properties":{"op":{"oneOf":[
        {"type":"object","properties":{"type":{"const":"circle"},"r":{"type":"number"}},"required":["type","r"]},
        {"type":"object","properties":{"type":{"const":"rect"},"w":{"type":"number"}},"required":["type","w"]},
        {"type":"string"}]}}}"#);
    assert_eq!(
        problem(&catalog, r#"{"op":{"type":"rect"}}"#),
        "op.w: required, but missing"
    );
    assert_eq!(
        problem(&catalog, r#"{"op":{"type":"tri"}}"#),
        r#"op.type: expected "circle" or "rect", got "tri""#
    );
    assert_eq!(
        problem(&catalog, r#"{"op":5}"#),
        "op: expected object or string, got 5"
    );
}

#[test]
fn bounds_are_named() {
    let catalog = one(
        r#"{"type":"object","properties":{"n":{"type":"integer","minimum":1,"maximum":9},
        "s":{"type":"string","pattern":"^a+$","maxLength":3},"l":{"type":"array","minItems":2,"uniqueItems":true},
        "e":{"enum":["x",1,null]}}}"#,
    );
    for (input, expected) in [
        (r#"{"n":0}"#, "n: expected a number >= 1, got 0"),
        (r#"{"n":10}"#, "n: expected a number <= 9, got 10"),
        (r#"{"n":1.5}"#, "n: expected integer, got 1.5"),
        (
            r#"{"s":"b"}"#,
            r#"s: expected text that matches /^a+$/, got "b""#,
        ),
        (
            r#"{"s":"aaaa"}"#,
            r#"s: expected at most 3 characters, got "aaaa""#,
        ),
        (r#"{"l":[1]}"#, "l: expected at least 2 items, got [1]"),
        (
            r#"{"l":[1,1]}"#,
            "l: expected items that differ from each other, got [1,1]",
        ),
        (r#"{"e":"y"}"#, r#"e: expected "x", 1 or null, got "y""#),
    ] {
        assert_eq!(problem(&catalog, input), expected);
    }
}

#[test]
fn the_text_is_bounded() {
    let fields: Vec<String> = (0..200)
        .map(|i| format!(r#""field{i}":{{"type":"number"}}"#))
        .collect();
    let catalog = one(&format!(
        r#"{{"type":"object","properties":{{{}}}}}"#,
        fields.join(",")
    ));
    let values: Vec<String> = (0..200)
        .map(|i| format!(r#""field{i}":"{}""#, "x".repeat(500)))
        .collect();
    let text = problem(&catalog, &format!("{{{}}}", values.join(",")));
    assert!(text.chars().count() <= codemode_catalog::limits::MAX_PROBLEM_CHARS);
    assert_eq!(
        text.matches("expected number").count(),
        codemode_catalog::limits::MAX_PROBLEMS
    );
    assert!(text.ends_with("and more"));
}

#[test]
fn what_says_nothing_takes_anything() {
    for schema in [
        "",
        "true",
        "{}",
        "{\"type\":42}",
        "\"x\"",
        "not json",
        "{\"$ref\":\"http://x/y\"}",
    ] {
        let catalog = one(schema);
        for input in ["{}", "[1]", "null", "5"] {
            assert_eq!(catalog.validate(0, input), Ok(()), "{schema} {input}");
        }
    }
    assert!(one("false").validate(0, "{}").is_err());
    let unchecked = ToolSpec {
        validate_input: false,
        ..tool("t", "", TWO)
    };
    assert_eq!(
        Catalog::new(vec![unchecked]).unwrap().validate(0, "[]"),
        Ok(())
    );
    assert_eq!(one(TWO).validate(7, "[]"), Ok(()), "no such tool");
}

#[test]
fn every_draft_means_what_its_author_meant() {
    let accepts = |schema: &str, input: &str| one(schema).validate(0, input).is_ok();
    let nullable = r##"{"properties":{"n":{"type":"string","nullable":true},"r":{"$ref":"#/definitions/R","nullable":true},
        "e":{"enum":["a"],"nullable":true},"c":{"const":1,"nullable":true}},"definitions":{"R":{"type":"number"}}}"##;
    for ok in [
        r#"{"n":null}"#,
        r#"{"r":null}"#,
        r#"{"e":null}"#,
        r#"{"c":null}"#,
        r#"{"n":"x","r":1}"#,
    ] {
        assert!(accepts(nullable, ok), "{ok}");
    }
    for bad in [r#"{"n":1}"#, r#"{"r":"x"}"#, r#"{"e":"b"}"#, r#"{"c":2}"#] {
        assert!(!accepts(nullable, bad), "{bad}");
    }
    let tuple = r#"{"properties":{"p":{"items":[{"type":"string"},{"type":"number"}],"additionalItems":false}}}"#;
    assert!(accepts(tuple, r#"{"p":["a",1]}"#));
    assert!(!accepts(tuple, r#"{"p":[1,"a"]}"#));
    assert!(!accepts(tuple, r#"{"p":["a",1,2]}"#));
    let draft4 = r#"{"properties":{"x":{"type":"number","minimum":0,"exclusiveMinimum":true}}}"#;
    assert!(accepts(draft4, r#"{"x":0.1}"#));
    assert!(!accepts(draft4, r#"{"x":0}"#));
    let required =
        r#"{"type":"object","properties":{"a":{"type":"string","required":true},"b":{}}}"#;
    assert!(accepts(required, r#"{"a":"x"}"#));
    assert!(!accepts(required, "{}"));
    let needs = r#"{"type":"object","dependencies":{"a":["b"],"c":{"required":["d"]}}}"#;
    assert!(accepts(needs, r#"{"a":1,"b":1}"#));
    assert!(!accepts(needs, r#"{"a":1}"#));
    assert!(!accepts(needs, r#"{"c":1}"#));
    let lone = r##"{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/S","maxLength":1}},
        "definitions":{"S":{"type":"string"}}}"##;
    assert!(
        accepts(lone, r#"{"a":"long"}"#),
        "siblings of a reference count for nothing in draft 7"
    );
}

#[test]
fn references_lead_where_their_author_meant() {
    let schemas = [
        r##"{"properties":{"a":{"$ref":"#/$defs/x~1y"}},"$defs":{"x/y":{"type":"number"}}}"##,
        r##"{"properties":{"a":{"$ref":"#/$defs/x%20y"}},"$defs":{"x y":{"type":"number"}}}"##,
        r##"{"properties":{"a":{"$ref":"#num"}},"$defs":{"n":{"$anchor":"num","type":"number"}}}"##,
        r##"{"properties":{"a":{"$ref":"#num"}},"definitions":{"n":{"$id":"#num","type":"number"}}}"##,
        r#"{"$id":"https://x.test/s","properties":{"a":{"$ref":"n.json"}},"$defs":{"n":{"$id":"n.json","type":"number"}}}"#,
        r#"{"$id":"https://x.test/s","properties":{"a":{"$ref":"https://x.test/s#/$defs/n"}},"$defs":{"n":{"type":"number"}}}"#,
        r##"{"properties":{"a":{"$ref":"#/properties/l/items/0"},"l":{"items":[{"type":"number"}]}}}"##,
        r##"{"properties":{"a":{"$ref":"#/x-other/n"}},"x-other":{"n":{"type":"number"}}}"##,
    ];
    for schema in schemas {
        let catalog = one(schema);
        assert_eq!(catalog.warnings(0).count(), 0, "{schema}");
        assert_eq!(
            problem(&catalog, r#"{"a":"x"}"#),
            r#"a: expected number, got "x""#,
            "{schema}"
        );
        assert!(catalog.validate(0, r#"{"a":1}"#).is_ok());
    }
}

#[test]
fn an_expression_of_another_dialect_does_not_switch_the_checks_off() {
    let catalog = one(
        r#"{"type":"object","properties":{"a":{"type":"string","pattern":"(["},"b":{"type":"number"}}}"#,
    );
    assert!(catalog.validate(0, r#"{"a":"x","b":1}"#).is_ok());
    assert_eq!(
        problem(&catalog, r#"{"a":"x","b":"y"}"#),
        r#"b: expected number, got "y""#
    );
    let ahead =
        one(r#"{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!x)\\w+$"}}}"#);
    assert!(ahead.validate(0, r#"{"a":"y"}"#).is_ok());
    assert!(ahead.validate(0, r#"{"a":"x"}"#).is_err());
}

#[test]
fn closed_parts_of_an_object_are_closed_together() {
    let catalog = one(
        r#"{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false},
        {"type":"object","properties":{"b":{"type":"number"}},"additionalProperties":false}]}"#,
    );
    assert!(catalog.validate(0, r#"{"a":"x","b":1}"#).is_ok());
    assert!(catalog.validate(0, r#"{"a":"x","c":1}"#).is_err());
}
