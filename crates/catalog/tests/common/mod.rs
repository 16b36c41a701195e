//! Shared by the tests of this crate.
#![allow(dead_code, unused_imports, reason = "each test file uses a part")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![allow(unreachable_pub, reason = "a module of tests, not of the crate")]

mod random;

use codemode_catalog::{Catalog, ToolSpec};
pub use random::{Random, any_schema};

pub fn tool(name: &str, description: &str, schema: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: (!description.is_empty()).then(|| description.to_owned()),
        input_schema: (!schema.is_empty()).then(|| schema.to_owned()),
        output_schema: None,
        validate_input: true,
    }
}

pub fn one(schema: &str) -> Catalog {
    Catalog::new(vec![tool("t", "", schema)]).unwrap()
}

/// The declared argument type of a tool `t` and what is declared for it.
pub fn printed(schema: &str) -> String {
    let text = one(schema).signatures();
    text.replace("declare const tools: {\n t(", "(")
        .replace("): Promise<unknown>\n}\n", ")")
}

/// The type of one property `p`, required.
pub fn property(schema: &str) -> String {
    let text = printed(&format!(
        r#"{{"type":"object","properties":{{"p":{schema}}},"required":["p"]}}"#
    ));
    text.strip_prefix("(input: { ")
        .unwrap_or(&text)
        .trim_end_matches(" })")
        .to_owned()
}

pub fn problem(catalog: &Catalog, input: &str) -> String {
    catalog.validate(0, input).unwrap_err()
}
