//! From a query to ranked tools.

use super::nearest::distance;
use super::words::words;
use super::{Hit, Index};
use crate::limits::MAX_QUERY_CHARS;

/// Words of a query that are looked up.
const MAX_WORDS: usize = 24;
/// Words of the vocabulary that one prefix may stand for.
const MAX_EXTENSIONS: usize = 16;

const EXTENSION: f32 = 0.6;
const RELATED: f32 = 0.45;
const MISSPELT: f32 = 0.5;

/// Verbs and nouns that tool authors exchange for each other.
const RELATED_WORDS: &[&[&str]] = &[
    &[
        "get", "fetch", "read", "show", "retrieve", "view", "load", "lookup",
    ],
    &["list", "all", "enumerat", "browse"],
    &["search", "find", "query", "lookup", "filter"],
    &["create", "add", "new", "make", "insert", "open"],
    &["delete", "remove", "drop", "destroy", "erase"],
    &["update", "edit", "modify", "change", "set", "patch"],
    &["send", "post", "deliver", "publish"],
    &["message", "mail", "email", "dm"],
    &["run", "execute", "start", "launch", "invoke", "trigger"],
    &["stop", "cancel", "abort", "kill", "end"],
    &["repo", "repository"],
    &["folder", "directory", "dir"],
    &["picture", "image", "photo"],
    &["ticket", "issue", "bug"],
    &["user", "member", "account", "person", "people"],
    &["price", "cost", "amount"],
    &["calendar", "event", "meeting", "schedule", "appointment"],
];

impl Index {
    pub(crate) fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let query: String = query.chars().take(MAX_QUERY_CHARS).collect();
        let mut terms = words(&query);
        let mut seen = std::collections::HashSet::new();
        terms.retain(|term| seen.insert(term.clone()));
        terms.truncate(MAX_WORDS);
        let mut scores = vec![0.0f32; self.tools];
        let mut best = vec![0.0f32; self.tools];
        let mut touched: Vec<u32> = Vec::new();
        for term in &terms {
            self.score_term(term, &mut best, &mut touched);
            for tool in touched.drain(..) {
                if let (Some(best), Some(score)) =
                    (best.get_mut(tool as usize), scores.get_mut(tool as usize))
                {
                    *score += std::mem::take(best);
                }
            }
        }
        let mut hits: Vec<Hit> = scores
            .into_iter()
            .enumerate()
            .filter(|(_, score)| *score > 0.0)
            .map(|(tool, score)| Hit { tool, score })
            .collect();
        let order = |a: &Hit, b: &Hit| b.score.total_cmp(&a.score).then(a.tool.cmp(&b.tool));
        if limit < hits.len() && limit > 0 {
            hits.select_nth_unstable_by(limit - 1, order);
        }
        hits.truncate(limit);
        hits.sort_unstable_by(order);
        hits
    }

    /// The best a tool gets for one word of the query: the word itself, a longer one, a related one,
    /// and only where the catalogue has none of these a similar one.
    fn score_term(&self, term: &str, best: &mut [f32], touched: &mut Vec<u32>) {
        let mut variants: Vec<(usize, f32)> = Vec::new();
        let start = self.vocabulary.partition_point(|word| word.as_str() < term);
        let words = self.vocabulary.iter().enumerate().skip(start);
        let min = if term.chars().count() > 2 {
            MAX_EXTENSIONS
        } else {
            1
        };
        for (at, word) in words
            .take_while(|(_, word)| word.starts_with(term))
            .take(min)
        {
            if word == term {
                variants.push((at, 1.0));
            } else if term.chars().count() > 2 {
                variants.push((at, EXTENSION));
            }
        }
        for group in RELATED_WORDS.iter().filter(|group| related(group, term)) {
            for word in *group {
                for word in super::words::words(word)
                    .iter()
                    .filter(|word| *word != term)
                {
                    if let Ok(at) = self.vocabulary.binary_search(word) {
                        variants.push((at, RELATED));
                    }
                }
            }
        }
        if variants.is_empty() {
            variants = self.similar(term);
        }
        for (at, share) in variants {
            let Some(postings) = self.postings.get(at) else {
                continue;
            };
            let count = postings.len() as f32;
            let rarity = (1.0 + (self.tools as f32 - count + 0.5) / (count + 0.5)).ln();
            for posting in postings {
                let Some(best) = best.get_mut(posting.tool as usize) else {
                    continue;
                };
                if *best == 0.0 {
                    touched.push(posting.tool);
                }
                *best = best.max(posting.weight * rarity * share);
            }
        }
    }

    fn similar(&self, term: &str) -> Vec<(usize, f32)> {
        let length = term.chars().count();
        let most = match length {
            0..=3 => return Vec::new(),
            4..=7 => 1,
            _ => 2,
        };
        let near = self.vocabulary.iter().enumerate().filter(|(_, word)| {
            word.len().abs_diff(term.len()) <= most && distance(word, term, most).is_some()
        });
        near.take(MAX_EXTENSIONS)
            .map(|(at, _)| (at, MISSPELT))
            .collect()
    }
}

fn related(group: &[&str], term: &str) -> bool {
    group
        .iter()
        .any(|word| *word == term || word.strip_suffix('e') == Some(term))
}
