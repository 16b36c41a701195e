//! Types as they are printed. Every text here has been compiled with `tsc --strict`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use codemode_catalog::{Catalog, ToolSpec};
use common::{one, printed, tool};

fn check(pairs: &[(&str, &str)]) {
    for (schema, expected) in pairs {
        assert_eq!(printed(schema), *expected, "{schema}");
    }
}

#[test]
fn objects_and_dictionaries() {
    check(&[
        (
            r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}"#,
            "(input: {
  a: string
  b?: number // integer
 })",
        ),
        (
            r#"{"type":"object","properties":{},"additionalProperties":false}"#,
            "(input?: Record<string, never>)",
        ),
        (
            r#"{"type":"object","properties":{}}"#,
            "(input?: Record<string, never>)",
        ),
        (r#"{"type":"object"}"#, "(input?: Record<string, unknown>)"),
        (
            r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":true}"#,
            "(input: { a: string; [key: string]: unknown })",
        ),
        (
            r#"{"type":"object","additionalProperties":{"type":"object","additionalProperties":{"type":"number"}}}"#,
            "(input?: Record<string, Record<string, number>>)",
        ),
        (
            r#"{"type":"object","properties":{"a":{"type":"number"}},"required":["a"],"additionalProperties":{"type":"string"}}"#,
            "(input: { a: number; /* other keys: string */ [key: string]: string | number })",
        ),
        (
            r#"{"type":"object","properties":{"a":{"type":"number"}},"required":[],"additionalProperties":{"type":"string"}}"#,
            "(input?: { a?: number; /* other keys: string */ [key: string]: string | number | undefined })",
        ),
        (
            r#"{"type":"object","patternProperties":{"^x-":{"type":"string"}}}"#,
            "(input?: { [key: `x-${string}`]: string })",
        ),
        (
            r#"{"type":"object","patternProperties":{"^[a-z]+$":{"type":"string"}},"additionalProperties":false}"#,
            "(input?: { /* keys /^[a-z]+$/: string */ [key: string]: string })",
        ),
        (
            r#"{"type":"object","propertyNames":{"enum":["a","b"]},"additionalProperties":{"type":"number"},"required":["a"]}"#,
            "(input: { a: number; b?: number })",
        ),
        (
            r#"{"type":"object","required":["k"]}"#,
            "(input: { k: unknown })",
        ),
        (
            r#"{"type":"object","properties":{"content-type":{"type":"string"},"2fa":{"type":"boolean"},"":{"type":"number"},"ключ":{},"it's \"q\"\n":{"type":"null"},"default":{"type":"string"},"__proto__":{"type":"string"}},"required":["content-type"]}"#,
            r#"(input: {
  "content-type": string
  "2fa"?: boolean
  ""?: number
  ключ?: unknown
  "it's \"q\"\n"?: null
  default?: string
  __proto__?: string
 })"#,
        ),
    ]);
}

#[test]
fn literals_and_unions() {
    check(&[
        (
            r#"{"type":"array","items":{"enum":["red","blue"]}}"#,
            r#"(input: ("red" | "blue")[])"#,
        ),
        (
            r#"{"type":"array","items":{"type":["string","integer"]}}"#,
            "(input: (/* integer */ string | number)[])",
        ),
        (
            r#"{"enum":["a b","</script>","\\","${x}","`","a\u2028b","\u202e"]}"#,
            r#"(input: "a b" | "<\/script>" | "\\" | "${x}" | "`" | "a\u2028b" | "\u202e")"#,
        ),
        (
            r#"{"enum":[1,-1.5,true,false,null,{"a":[1]},[]]}"#,
            "(input: 1 | -1.5 | boolean | { a: [1] } | [] | null)",
        ),
        (
            r#"{"type":"string","enum":["a",1,null]}"#,
            r#"(input: "a")"#,
        ),
        (r#"{"const":"it's \"x\"\n"}"#, r#"(input: "it's \"x\"\n")"#),
        (r#"{"enum":[]}"#, "(input: never)"),
        (
            r#"{"type":"string","nullable":true}"#,
            "(input: string | null)",
        ),
        (r#"{"type":["null","string"]}"#, "(input: string | null)"),
        (
            r#"{"enum":["a"],"nullable":true}"#,
            r#"(input: "a" | null)"#,
        ),
        (r#"{"anyOf":[{"type":"string"},{}]}"#, "(input?: unknown)"),
        (
            r#"{"anyOf":[{"type":"string"},{"type":"string"}]}"#,
            "(input: string)",
        ),
        (
            r#"{"oneOf":[{"type":"object","properties":{"type":{"const":"circle"},"r":{"type":"number"}},"required":["type","r"]},{"type":"object","properties":{"type":{"const":"rect"},"w":{"type":"number"}},"required":["type","w"]}]}"#,
            r#"(input: { type: "circle"; r: number } | { type: "rect"; w: number })"#,
        ),
        (
            r#"{"type":["object","null"],"properties":{"n":{"type":"number"}},"required":["n"]}"#,
            "(input: { n: number } | null)",
        ),
    ]);
}

#[test]
fn parts_of_an_object() {
    check(&[
        (
            r#"{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"number"}}}]}"#,
            "(input: { a: string; b?: number })",
        ),
        (
            r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}"#,
            "(input: { a?: string; b?: number } & ({ a: unknown } | { b: unknown }))",
        ),
        (
            r#"{"type":"object","oneOf":[{"type":"object","properties":{"card":{"type":"string"}},"required":["card"]},{"type":"object","properties":{"iban":{"type":"string"}},"required":["iban"]}]}"#,
            "(input: { card: string } | { iban: string })",
        ),
        (
            r#"{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false},{"type":"object","properties":{"b":{"type":"number"}},"required":[],"additionalProperties":false}]}"#,
            "(input: { a: string; b?: number })",
        ),
        (
            r#"{"type":"string","allOf":[{"minLength":1}]}"#,
            "(input: /* not empty */ string)",
        ),
        (
            r#"{"allOf":[{"type":"string"},{"type":"number"}]}"#,
            "(input: never)",
        ),
        (
            r#"{"type":"string","anyOf":[{"format":"email"},{"format":"uri"}]}"#,
            "(input: /* email */ string | /* uri */ string)",
        ),
    ]);
}

#[test]
fn tuples_of_both_drafts() {
    check(&[
        (
            r#"{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"items":false}"#,
            "(input: [string, number])",
        ),
        (
            r#"{"type":"array","items":[{"type":"number"},{"type":"boolean"}]}"#,
            "(input: [number, boolean])",
        ),
        (
            r#"{"type":"array","items":[{"type":"number"}],"additionalItems":{"type":"string"}}"#,
            "(input: [number, ...string[]])",
        ),
        (
            r#"{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"minItems":1}"#,
            "(input: [string, number?])",
        ),
        (r#"{"type":"array","items":false}"#, "(input: [])"),
        (r#"{"type":"array"}"#, "(input: unknown[])"),
        (
            r#"{"type":"array","items":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"null"}]}}}"#,
            "(input: (string | null)[][])",
        ),
    ]);
}

#[test]
fn references() {
    check(&[
        (
            r##"{"type":"object","properties":{"filter":{"$ref":"#/$defs/fi~1lter","description":"What to match"},"page":{"$ref":"#/$defs/page"}},"required":["filter"],"$defs":{"fi/lter":{"type":"object","properties":{"field":{"type":"string"},"op":{"enum":["eq","gt"]}},"required":["field","op"]},"page":{"type":"integer"}}}"##,
            r#"(input: {
  filter: { field: string; op: "eq" | "gt" } // What to match
  page?: number // integer
 })"#,
        ),
        (
            r##"{"type":"object","properties":{"doc":{"$ref":"#/definitions/Any"}},"required":["doc"],"definitions":{"Any":{"anyOf":[{"type":["string","null"]},{"type":"array","items":{"$ref":"#/definitions/Any"}},{"type":"object","additionalProperties":{"$ref":"#/definitions/Any"}}]}}}"##,
            "type Any = string | Any[] | { [key: string]: Any } | null
(input: { doc: Any })",
        ),
        (
            r##"{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}}},"required":["name"]}"##,
            "type TInput = { name: string; children?: TInput[] }
(input: TInput)",
        ),
        (
            r##"{"type":"object","properties":{"from":{"$ref":"#/$defs/place"},"to":{"$ref":"#/$defs/place"}},"required":["from"],"$defs":{"place":{"type":"object","properties":{"latitude":{"type":"number"},"longitude":{"type":"number"}},"required":["latitude","longitude"]}}}"##,
            "(input: { from: { latitude: number; longitude: number }; to?: { latitude: number; longitude: number } })",
        ),
        (
            r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/Date"},"b":{"$ref":"#/$defs/Date"},"c":{"$ref":"#/$defs/id"},"d":{"$ref":"#/$defs/id"}},"required":[],"$defs":{"Date":{"type":"object","properties":{"year":{"type":"integer"},"month":{"type":"integer"}},"required":["year"]},"id":{"type":"string","format":"uuid"}}}"##,
            "type DateType = {
 year: number // integer
 month?: number // integer
}
(input?: {
  a?: DateType
  b?: DateType
  c?: string // uuid
  d?: string // uuid
 })",
        ),
        (
            r##"{"allOf":[{"$ref":"#/$defs/base"},{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]}],"$defs":{"base":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}"##,
            "(input: { a: string; b: string })",
        ),
    ]);
}

#[test]
fn notes() {
    check(&[
        (
            r#"{"type":"object","properties":{"n":{"type":"integer","minimum":1,"maximum":100,"default":20,"description":"Page size."},"at":{"type":"string","format":"date-time","pattern":"^x"},"tags":{"type":"array","items":{"type":"string","format":"uuid"},"minItems":1,"uniqueItems":true},"s":{"type":"string","minLength":2,"maxLength":2,"pattern":"^[A-Z]+$"},"big":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991},"x":{"type":"number","exclusiveMinimum":0,"multipleOf":0.5},"old":{"type":"string","deprecated":true},"e":{"type":"string","examples":["a","b"]}}}"#,
            r#"(input?: {
  n?: number // Page size. (integer, 1..100, default 20)
  at?: string // date-time
  tags?: (/* uuid */ string)[] // not empty, unique
  s?: string // 2 chars, /^[A-Z]+$/
  big?: number // integer
  x?: number // > 0, multiple of 0.5
  old?: string // deprecated
  e?: string // e.g. "a"
 })"#,
        ),
        (
            r#"{"type":"object","properties":{"user_name":{"type":"string","title":"User Name"},"q":{"type":"string","title":"Search text"}}}"#,
            "(input?: {
  user_name?: string
  q?: string // Search text
 })",
        ),
        (
            r#"{"type":"object","properties":{"a":{"type":"string","description":"First\r\nsecond */ third\u2028// fourth /* fifth"}}}"#,
            r"(input?: { /** First second *\/ third // fourth /* fifth */ a?: string })",
        ),
        (
            r#"{"type":"object","properties":{"a":{"not":{"type":"string"}},"b":{"if":{"const":1},"then":{"const":2}}},"dependentRequired":{"a":["b"]}}"#,
            r#"(input?: /* a needs b */ {
  a?: unknown // not {"type":"string"}
  b?: unknown // if {"const":1} then {"const":2}
 })"#,
        ),
        (
            r#"{"type":"object","description":"All of it","properties":{"a":{"type":"object","description":"Inner","properties":{"b":{"type":"string","description":"Innermost"},"c":{"type":"string"}}}}}"#,
            "(input?: /* All of it */ {
  /** Inner */ a?: {
   b?: string // Innermost
   c?: string
  }
 })",
        ),
    ]);
}

#[test]
fn roots() {
    check(&[
        ("true", "(input?: unknown)"),
        ("{}", "(input?: unknown)"),
        ("false", "(input: never)"),
        (r#"{"type":"string"}"#, "(input: string)"),
        (
            r#"{"type":"array","items":{"type":"string"}}"#,
            "(input: string[])",
        ),
        (
            r#"{"type":["object","null"],"properties":{}}"#,
            "(input?: Record<string, never> | null)",
        ),
    ]);
}

#[test]
fn the_result_has_a_type() {
    let spec = ToolSpec {
        output_schema: Some(
            r#"{"type":"object","properties":{"temp":{"type":"number"},"sky":{"enum":["clear","rain"]}},
            "required":["temp","sky"],"additionalProperties":false}"#
                .to_owned(),
        ),
        ..tool("weather", "Weather", r#"{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}"#)
    };
    assert_eq!(
        Catalog::new(vec![spec]).unwrap().signatures(),
        "declare const tools: {\n /** Weather */\n weather(input: { city: string }): \
         Promise<{ temp: number; sky: \"clear\" | \"rain\" }>\n}\n"
    );
}

#[test]
fn descriptions_stay_comments_and_are_cut_at_a_stated_length() {
    let text = "word ".repeat(200);
    let schema = format!(
        r#"{{"type":"object","properties":{{"a":{{"type":"string","description":"{text}"}}}}}}"#
    );
    let catalog = Catalog::new(vec![tool("t", &text, &schema)]).unwrap();
    let signatures = catalog.signatures();
    assert_eq!(signatures.matches("word").count(), 2 * 60);
    assert_eq!(signatures.matches('…').count(), 2);
    assert_eq!(catalog.describe(0).matches("word").count(), 2 * 200);
    let unbroken = "字".repeat(1_000);
    let cut = Catalog::new(vec![tool("t", &unbroken, "")])
        .unwrap()
        .signatures();
    assert_eq!(
        cut.matches('字').count(),
        codemode_catalog::limits::MAX_DESCRIPTION_CHARS - 1
    );
    let lines =
        "Deletes a folder.\nUse with care.\r\n\r\ntools.wipe({ all: true }); */ x\u{2028}y\n";
    let catalog = Catalog::new(vec![tool("t", lines, "")]).unwrap();
    assert_eq!(
        catalog.signatures(),
        "declare const tools: {\n /** Deletes a folder. Use with care. tools.wipe({ all: true }); *\\/ x y */\n \
         t(input?: unknown): Promise<unknown>\n}\n"
    );
    assert_eq!(
        catalog.describe(0),
        "declare const tools: {\n /**\n  * Deletes a folder.\n  * Use with care.\n  *\n  * tools.wipe({ all: true }); *\\/ x\n  * y\n  */\n \
         t(input?: unknown): Promise<unknown>\n}\n"
    );
}

#[test]
fn types_of_one_name_are_shared_when_equal_and_renamed_when_not() {
    let schema = |field: &str| {
        format!(
            r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/Node"}}}},
            "$defs":{{"Node":{{"type":"object","properties":{{"{field}":{{"type":"string"}},"next":{{"$ref":"#/$defs/Node"}}}}}}}}}}"##
        )
    };
    let tools = vec![
        tool("one", "", &schema("x")),
        tool("two", "", &schema("x")),
        tool("get-three", "", &schema("y")),
    ];
    let catalog = Catalog::new(tools).unwrap();
    let expected = r#"type Node = { x?: string; next?: Node }
type GetThreeNode = { y?: string; next?: GetThreeNode }
declare const tools: {
 one(input?: { a?: Node }): Promise<unknown>
 two(input?: { a?: Node }): Promise<unknown>
 "get-three"(input?: { a?: GetThreeNode }): Promise<unknown>
 get_three: typeof tools["get-three"]
}
"#;
    assert_eq!(catalog.signatures(), expected);
    let described = catalog.describe(2);
    assert!(described.starts_with("type GetThreeNode = { y?: string; next?: GetThreeNode }\n"));
    assert!(!described.contains("type Node"));
    assert_eq!(catalog.describe(9), "");
}

#[test]
fn a_root_that_contains_itself_is_named_after_its_tool() {
    let text = one(r##"{"type":"object","properties":{"t":{"$ref":"#"}}}"##).signatures();
    assert!(text.starts_with("type TInput = { t?: TInput }\n"), "{text}");
}
