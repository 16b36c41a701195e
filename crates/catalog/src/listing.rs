//! The catalogue as data for programs: JSON text of all tools, of search results, of one tool.

use serde::Serialize;

use crate::catalog::Catalog;
use crate::limits::{MAX_DESCRIPTION_CHARS, MAX_FULL_DESCRIPTION_CHARS};
use crate::text::cut;

#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

impl Catalog {
    /// `[{ name, description }, ...]` of all tools as JSON text. Descriptions are cut at
    /// [`MAX_DESCRIPTION_CHARS`]; one that is missing is empty. With `identifiers` a name that is
    /// none gives way to its alias.
    pub fn all_json(&self, identifiers: bool) -> String {
        let all = self.tools.iter().map(|tool| tool.description.as_deref());
        let cut = |text: Option<&str>| cut(text.unwrap_or(""), MAX_DESCRIPTION_CHARS).into_owned();
        let descriptions: Vec<String> = all.map(cut).collect();
        let list = self.names().iter().zip(&descriptions);
        let list: Vec<Listed<'_>> = list
            .map(|(name, description)| Listed {
                name: match &name.alias {
                    Some(alias) if identifiers => alias,
                    _ => &name.name,
                },
                description,
                signature: None,
            })
            .collect();
        json(&list)
    }

    /// `[{ name, description, signature }, ...]` of the tools that match best as JSON text, best
    /// first. A signature stands with the types that it names.
    pub fn search_json(&self, query: &str, limit: usize) -> String {
        let hits = self.search(query, limit).into_iter();
        let found: Vec<_> = hits
            .filter_map(|hit| {
                let tool = self.tools.get(hit.tool)?;
                let description = tool.description.as_deref().unwrap_or("");
                let description = cut(description, MAX_DESCRIPTION_CHARS).into_owned();
                Some((tool.name.as_str(), description, self.signature(hit.tool)))
            })
            .collect();
        let list = found.iter().map(|(name, description, signature)| Listed {
            name,
            description,
            signature: Some(signature.clone()),
        });
        json(&list.collect::<Vec<_>>())
    }

    /// `{ name, description, signature }` of one tool as JSON text: the description in full, the
    /// signature a block of declarations with all its comments. `null` for an unknown number.
    pub fn describe_json(&self, number: usize) -> String {
        let Some(tool) = self.tools.get(number) else {
            return "null".to_owned();
        };
        let description = tool.description.as_deref().unwrap_or("");
        json(&Listed {
            name: &tool.name,
            description: &cut(description, MAX_FULL_DESCRIPTION_CHARS),
            signature: Some(self.describe_with(number, None)),
        })
    }
}

fn json(value: &impl Serialize) -> String {
    // strings alone always serialise
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}
