//! Schemas and arguments that are broken, huge, or meant to do harm.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::time::{Duration, Instant};

use codemode_catalog::{Catalog, ToolSpec};
use common::{Random, any_schema, one, printed, problem, tool};
use serde_json::{Value, json};

/// Generous: these run unoptimised on busy machines, and what they guard against takes minutes.
const SOON: Duration = Duration::from_secs(5);

#[test]
fn a_broken_schema_costs_its_tool_the_type_and_nothing_else() {
    let broken = [
        (r#"{"type":42,"properties":null}"#, "42 is no JSON type"),
        (r#""x""#, r#"a schema is "x", not an object"#),
        ("[]", "a schema is a list, not an object"),
        (
            "{",
            "it is no JSON: EOF while parsing an object at line 1 column 1",
        ),
        (
            r#"{"properties":{"a":{"type":"any"}}}"#,
            r#"a › "any" is no JSON type"#,
        ),
        (
            r##"{"$ref":"#/$defs/no"}"##,
            r##"the reference "#/$defs/no" leads nowhere"##,
        ),
        (
            r#"{"$ref":"https://x.test/s.json"}"#,
            r#"the reference "https://x.test/s.json" leads outside; nothing is fetched"#,
        ),
        (r##"{"$ref":"#"}"##, "the schema refers only to itself"),
        (
            r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
            "a refers only to itself",
        ),
        (r#"{"anyOf":[]}"#, r#""anyOf" is empty"#),
        (r#"{"enum":"a"}"#, r#""enum" is "a", not a list"#),
        (
            r#"{"minLength":-1}"#,
            r#""minLength" is -1, not a whole number"#,
        ),
    ];
    for (schema, why) in broken {
        let good = r#"{"type":"object","properties":{"v":{"type":"number"}},"required":["v"]}"#;
        let catalog = Catalog::new(vec![tool("bad", "", schema), tool("good", "", good)]).unwrap();
        assert_eq!(
            catalog.signatures(),
            format!(
                "declare const tools: {{\n bad(input?: /* input schema not usable: {why} */ unknown): \
                 Promise<unknown>\n good(input: {{ v: number }}): Promise<unknown>\n}}\n"
            )
        );
        assert_eq!(catalog.validate(0, "[1]"), Ok(()));
        assert!(catalog.validate(1, "{}").is_err());
        assert!(catalog.describe(0).contains(why), "{}", catalog.describe(0));
    }
}

#[test]
fn a_broken_result_schema_leaves_the_argument_alone() {
    let spec = ToolSpec {
        output_schema: Some(r#"{"type":"no"}"#.to_owned()),
        ..tool(
            "t",
            "",
            r#"{"type":"object","properties":{"a":{"type":"string"}}}"#,
        )
    };
    let text = Catalog::new(vec![spec]).unwrap().signatures();
    assert!(text.contains(r#"t(input?: { a?: string }): Promise</* output schema not usable: "no" is no JSON type */ unknown>"#), "{text}");
}

#[test]
fn a_schema_of_ten_megabytes_is_refused() {
    let schema = format!(r#"{{"description":"{}"}}"#, "x".repeat(10_000_000));
    let start = Instant::now();
    assert!(printed(&schema).contains("it is larger than 2000000 bytes"));
    assert!(start.elapsed() < SOON);
}

#[test]
fn nesting_is_bounded() {
    let deep = format!(
        "{}true{}",
        r#"{"items":"#.repeat(100_000),
        "}".repeat(100_000)
    );
    assert!(printed(&deep).contains("it nests too deep"));
    on_a_small_stack(|| {
        let schema = chain(
            60,
            |i| json!({ "properties": { "n": { "$ref": format!("#/$defs/d{i}") } } }),
        );
        assert_eq!(one(&schema).validate(0, "{}"), Ok(()));
    });
    let within = format!("{}{{}}{}", r#"{"items":"#.repeat(100), "}".repeat(100));
    assert!(printed(&within).contains(&"[]".repeat(100)));
}

fn chain(length: usize, link: impl Fn(usize) -> Value) -> String {
    let definitions: serde_json::Map<String, Value> = (0..length)
        .map(|i| (format!("d{i}"), link(i + 1)))
        .collect();
    let mut definitions = definitions;
    definitions.insert(format!("d{length}"), json!({ "type": "string" }));
    json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/d0" } }, "$defs": definitions })
        .to_string()
}

#[test]
fn chains_of_references_are_bounded() {
    let long = chain(
        5_000,
        |i| json!({ "properties": { "n": { "$ref": format!("#/$defs/d{i}") } } }),
    );
    assert!(printed(&long).contains("it nests too deep"));
    let schema = chain(
        60,
        |i| json!({ "properties": { "n": { "$ref": format!("#/$defs/d{i}") } } }),
    );
    let catalog = one(&schema);
    assert_eq!(catalog.warnings(0).count(), 0);
    let input =
        format!("{}1{}", r#"{"n":"#.repeat(60), "}".repeat(60)).replacen("\"n\"", "\"a\"", 1);
    assert!(problem(&catalog, &input.replace(":1}", ":{\"n\":1}}")).contains("expected string"));
}

#[test]
fn definitions_that_double_are_declared_once_each() {
    let doubling = chain(55, |i| {
        let next = json!({ "$ref": format!("#/$defs/d{i}") });
        json!({ "type": "array", "prefixItems": [next, next] })
    });
    let start = Instant::now();
    let text = printed(&doubling);
    assert!(text.len() < 5_000, "{}", text.len());
    assert!(text.contains("type D54 = [string, string]"));
    assert!(start.elapsed() < SOON);
}

#[test]
fn a_union_that_doubles_the_work_at_every_level_is_not_checked() {
    let schema = r##"{"type":"object","properties":{"t":{"$ref":"#/$defs/T"}},"$defs":{"T":{"anyOf":[
        {"type":"object","properties":{"c":{"$ref":"#/$defs/T"}},"required":["x"]},
        {"type":"object","properties":{"c":{"$ref":"#/$defs/T"}},"required":["y"]}]}}}"##;
    let catalog = one(schema);
    let start = Instant::now();
    let input = |levels: usize| {
        format!(
            r#"{{"t":{}{{}}{}}}"#,
            r#"{"c":"#.repeat(levels),
            "}".repeat(levels)
        )
    };
    assert!(problem(&catalog, &input(4)).contains("required, but missing"));
    assert!(problem(&catalog, &input(60)).contains("to be checked"));
    assert!(start.elapsed() < SOON);
}

/// Runs on a stack half as large as the smallest that a host is known to give a thread.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new()
        // Frames without optimisation are several times as large.
        .stack_size(if cfg!(debug_assertions) {
            1 << 21
        } else {
            1 << 19
        })
        .spawn(work)
        .unwrap();
    thread.join().unwrap();
}

#[test]
fn the_stack_holds_at_every_bound() {
    on_a_small_stack(|| {
        // chains of unions within one level, times the nesting of the argument
        for chain in [1, 2, 3, 5, 8, 13, 25, 50] {
            let end =
                json!({ "type": "object", "properties": { "c": { "$ref": "#" }, "e": false } });
            let schema = (0..chain).fold(end, |inner, _| json!({ "anyOf": [inner] }));
            let catalog = one(&schema.to_string());
            for levels in [5, 10, 20, 35, 60, 100, 150, 190, 100_000] {
                for (end, is_right) in [("{}", true), ("{\"e\":1}", false)] {
                    let head = "{\"c\":".repeat(levels);
                    let input = format!("{head}{end}{}", "}".repeat(levels));
                    match catalog.validate(0, &input) {
                        Ok(()) => assert!(is_right),
                        Err(text) => assert!(!is_right || text.contains("deep"), "{text}"),
                    }
                }
            }
        }
    });
}

#[test]
fn deep_arguments_are_checked_to_their_end() {
    let list = one(
        r##"{"type":"object","properties":{"c":{"$ref":"#/$defs/A"}},
        "$defs":{"A":{"type":["array","string"],"items":{"$ref":"#/$defs/A"}}}}"##,
    );
    let input = |levels: usize, end: &str| {
        format!(
            r#"{{"c":{}{end}{}}}"#,
            "[".repeat(levels),
            "]".repeat(levels)
        )
    };
    assert_eq!(list.validate(0, &input(190, "\"x\"")), Ok(()));
    assert!(problem(&list, &input(190, "1")).contains("expected string or array, got 1"));
    assert!(problem(&list, &input(100_000, "1")).contains("nests deeper"));
}

#[test]
fn an_expression_cannot_hang_the_checks() {
    let schema =
        r#"{"type":"object","properties":{"a":{"type":"string","pattern":"^(?=(a+)+$)(a|a)*b$"}}}"#;
    let start = Instant::now();
    let catalog = one(schema);
    assert!(
        catalog
            .validate(0, &json!({ "a": "a".repeat(60) }).to_string())
            .is_err()
    );
    assert!(start.elapsed() < SOON);
}

#[test]
fn wide_schemas_are_printed_whole() {
    let fields: Vec<String> = (0..2_000)
        .map(|i| format!(r#""f{i}":{{"type":"string","description":"number {i}"}}"#))
        .collect();
    let schema = format!(
        r#"{{"type":"object","properties":{{{}}}}}"#,
        fields.join(",")
    );
    let start = Instant::now();
    let text = printed(&schema);
    assert!(text.contains("f0?: string // number 0") && text.contains("f1999?: string"));
    assert!(start.elapsed() < SOON);
    let values: Vec<String> = (0..3_000).map(|i| format!("\"v{i}\"")).collect();
    let text = printed(&format!(r#"{{"enum":[{}]}}"#, values.join(",")));
    assert!(text.contains(r#""v0" | "v1""#) && text.contains("\"v2999\""));
}

#[test]
fn five_hundred_tools_share_what_they_define() {
    let schema = |i: usize| {
        format!(
            r##"{{"type":"object","properties":{{"filter":{{"$ref":"#/$defs/Filter"}},"also":{{"$ref":"#/$defs/Filter"}},
            "own{i}":{{"type":"string","description":"What {i} is"}}}},"$defs":{{"Filter":{{"type":"object",
            "properties":{{"field":{{"type":"string"}},"op":{{"enum":["eq","gt","lt"]}},"value":{{}}}}}}}}}}"##
        )
    };
    let tools: Vec<ToolSpec> = (0..500)
        .map(|i| tool(&format!("tool_{i}"), "Does it", &schema(i)))
        .collect();
    let start = Instant::now();
    let text = Catalog::new(tools).unwrap().signatures();
    assert!(start.elapsed() < SOON);
    assert_eq!(text.matches("type Filter").count(), 1);
}

#[test]
fn nothing_panics_and_what_is_printed_is_closed() {
    let mut random = Random(7);
    for round in 0..1_500 {
        let schema = any_schema(&mut random, 5);
        let output = any_schema(&mut random, 4).to_string();
        let spec = ToolSpec {
            output_schema: Some(output),
            ..tool("t-1", "a */ b\u{2028}c", &schema.to_string())
        };
        let catalog = Catalog::new(vec![spec, tool("u", "", &schema.to_string())]).unwrap();
        for text in [
            catalog.signatures(),
            catalog.describe(0),
            catalog.budgeted(50).text,
        ] {
            assert!(is_closed(&text), "round {round}: {schema}\n{text}");
        }
        for _ in 0..4 {
            let input = any_schema(&mut random, 3).to_string();
            let _ = catalog.validate(0, &input);
        }
        let _ = catalog.search("a b type", 3);
    }
}

/// Brackets, strings and comments end where they should.
fn is_closed(text: &str) -> bool {
    let mut open = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'*') => {
                chars.next();
                let mut previous = ' ';
                loop {
                    match chars.next() {
                        None | Some('\u{2028}') => return false,
                        Some('/') if previous == '*' => break,
                        Some(c) => previous = c,
                    }
                }
            }
            '"' => loop {
                match chars.next() {
                    None | Some('\n') => return false,
                    Some('\\') => drop(chars.next()),
                    Some('"') => break,
                    Some(_) => {}
                }
            },
            '(' | '[' | '{' => open.push(c),
            ')' | ']' | '}' => match (open.pop(), c) {
                (Some('('), ')') | (Some('['), ']') | (Some('{'), '}') => {}
                _ => return false,
            },
            _ => {}
        }
    }
    open.is_empty()
}
