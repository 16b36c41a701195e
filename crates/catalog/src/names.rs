//! How a tool can be called: by its own name always, by an identifier where its name is none.

use std::collections::{HashMap, HashSet};

use crate::error::CatalogError;
use crate::text::{is_identifier, is_identifier_part};

/// A tool's name and the identifier that stands for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolName {
    /// The registered name, letter for letter.
    pub name: String,
    /// The identifier form, where the name is no identifier and no other tool lays claim to it.
    /// A tool named `then` has the alias `then_` and is declared under that alone, because an
    /// object with a member `then` would be taken for a promise.
    pub alias: Option<String>,
}

impl ToolName {
    /// The name under which the tool's signature is declared.
    pub fn declared(&self) -> &str {
        match &self.alias {
            Some(alias) if self.name == "then" => alias,
            _ => &self.name,
        }
    }
}

/// Members every object has, or that change what the object is.
const INHERITED: &[&str] = &[
    "then",
    "catch",
    "finally",
    "constructor",
    "prototype",
    "__proto__",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toString",
    "toLocaleString",
    "valueOf",
    "toJSON",
];

/// Members of `tools` that are helpers; an alias must not hide them.
const HELPERS: &[&str] = &["search", "describe", "call", "parallel"];

/// Names with their aliases. An alias two tools would share, or that is another tool's name, is
/// given to neither: every printed name means one tool.
pub(crate) fn assign(names: Vec<String>) -> Result<Vec<ToolName>, CatalogError> {
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(names.len());
    for (second, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(CatalogError::EmptyName(second));
        }
        if let Some(first) = seen.insert(name, second) {
            return Err(CatalogError::DuplicateName {
                name: name.clone(),
                first,
                second,
            });
        }
    }
    let aliases: Vec<Option<String>> = names.iter().map(|n| alias_of(n)).collect();
    let mut wanted: HashMap<&str, usize> = HashMap::new();
    for alias in aliases.iter().flatten() {
        *wanted.entry(alias).or_default() += 1;
    }
    let shared: HashSet<String> = wanted
        .into_iter()
        .filter(|(alias, count)| *count > 1 || seen.contains_key(alias))
        .map(|(alias, _)| alias.to_owned())
        .collect();
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    taken.extend(aliases.iter().flatten().cloned());
    let out = names.into_iter().zip(aliases).map(|(name, alias)| {
        let alias = match alias {
            Some(a) if shared.contains(&a) => (name == "then").then(|| free(a, &mut taken)),
            other => other,
        };
        ToolName { name, alias }
    });
    Ok(out.collect())
}

/// The first of `base_`, `base__`, … that nothing else is called.
fn free(mut base: String, taken: &mut HashSet<String>) -> String {
    while !taken.insert(base.clone()) {
        base.push('_');
    }
    base
}

fn alias_of(name: &str) -> Option<String> {
    if is_identifier(name) && name != "then" {
        return None;
    }
    let mut alias: String = name
        .chars()
        .map(|c| if is_identifier_part(c) { c } else { '_' })
        .collect();
    if !is_identifier(&alias) {
        alias.insert(0, '_');
    }
    if INHERITED.contains(&alias.as_str()) || HELPERS.contains(&alias.as_str()) {
        alias.push('_');
    }
    // a name without a single letter or digit has no identifier form worth printing
    alias.chars().any(char::is_alphanumeric).then_some(alias)
}

/// The server or family a tool belongs to: what stands before the first `__`, `.`, `/`, `:`, `-`
/// or `_`; of `mcp__name__tool` the name. Empty where there is no separator.
pub(crate) fn namespace(name: &str) -> &str {
    let head = name.strip_prefix("mcp__").unwrap_or(name);
    for separator in ["__", ".", "/", ":", "-", "_"] {
        if let Some((space, rest)) = head.split_once(separator)
            && !space.is_empty()
            && !rest.is_empty()
        {
            return space;
        }
    }
    ""
}
