//! The part of a large catalogue that is spelled out.

use std::collections::{BTreeSet, HashMap};

use crate::declaration::Declaration;
use crate::form::Form;
use crate::names::{ToolName, namespace};

/// What fits into a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budgeted {
    /// Declarations of the listed tools: a valid `.d.ts` file.
    pub text: String,
    /// How many tools are listed.
    pub listed: usize,
    /// Whether some are not.
    pub partial: bool,
    /// The namespaces of the tools that are not listed, largest number first.
    pub omitted: Vec<Omitted>,
}

/// Tools of one namespace that did not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Omitted {
    /// What stands before the first separator of their names; empty for names without one.
    pub namespace: String,
    /// How many there are.
    pub tools: usize,
}

/// About how many tokens a model reads in `text`: a word of up to eight letters, three digits, two
/// signs, or one character beyond Latin script is one; indentation and single spaces are free.
pub fn estimate_tokens(text: &str) -> usize {
    let mut tokens = 0;
    let mut run = Run::Space;
    let mut length = 0usize;
    for c in text.chars() {
        let (next, per_token) = match c {
            'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' => (Run::Letters, 8),
            '0'..='9' => (Run::Digits, 3),
            '\n' => (Run::Line, 4),
            c if c.is_whitespace() => (Run::Space, usize::MAX),
            c if c.is_ascii() => (Run::Signs, 2),
            '\u{370}'..='\u{52f}' => (Run::Letters, 3),
            _ => (Run::Wide, 1),
        };
        length = if next == run { length + 1 } else { 1 };
        if next != Run::Space && length % per_token == usize::from(per_token > 1) {
            tokens += 1;
        }
        run = next;
    }
    tokens
}

#[derive(Clone, Copy, PartialEq)]
enum Run {
    Letters,
    Digits,
    Signs,
    Wide,
    Line,
    Space,
}

/// Tokens of the line around the tools.
const FRAME: usize = 8;

pub(crate) fn fit(
    form: &Form,
    names: &[ToolName],
    declarations: &[Declaration],
    types: &[String],
    budget: usize,
) -> Budgeted {
    let type_costs: Vec<usize> = types.iter().map(|text| estimate_tokens(text) + 1).collect();
    let print = |short| -> (Vec<String>, Vec<usize>) {
        let texts: Vec<String> = declarations.iter().map(|d| d.text(short)).collect();
        let costs = texts.iter().map(|text| estimate_tokens(text) + 1).collect();
        (texts, costs)
    };
    let (mut texts, mut costs) = print(false);
    let whole: usize = costs.iter().chain(&type_costs).sum();
    if whole > budget / 2 {
        (texts, costs) = print(true);
    }
    let mut chooser = Chooser {
        costs,
        type_costs,
        declarations,
        left: budget.saturating_sub(FRAME),
        tools: BTreeSet::new(),
        types: BTreeSet::new(),
    };
    let spaces = namespaces(names);
    chooser.take_turns(&spaces);
    let Chooser {
        tools, types: used, ..
    } = chooser;
    let types: Vec<&str> = used
        .iter()
        .filter_map(|i| types.get(*i))
        .map(String::as_str)
        .collect();
    let members = tools
        .iter()
        .filter_map(|i| texts.get(*i))
        .map(String::as_str);
    Budgeted {
        text: form.block(&types, members),
        listed: tools.len(),
        partial: tools.len() < declarations.len(),
        omitted: omitted(&spaces, &tools),
    }
}

/// The tools of each namespace, in the order of their first.
fn namespaces(names: &[ToolName]) -> Vec<(&str, Vec<usize>)> {
    let mut spaces: Vec<(&str, Vec<usize>)> = Vec::new();
    let mut place: HashMap<&str, usize> = HashMap::new();
    for (tool, name) in names.iter().enumerate() {
        let space = namespace(&name.name);
        let at = *place.entry(space).or_insert_with(|| {
            spaces.push((space, Vec::new()));
            spaces.len() - 1
        });
        if let Some((_, tools)) = spaces.get_mut(at) {
            tools.push(tool);
        }
    }
    spaces
}

/// What is not listed, largest namespace first.
fn omitted(spaces: &[(&str, Vec<usize>)], listed: &BTreeSet<usize>) -> Vec<Omitted> {
    let mut omitted: Vec<Omitted> = spaces
        .iter()
        .filter_map(|(namespace, all)| {
            let tools = all.iter().filter(|tool| !listed.contains(tool)).count();
            (tools > 0).then(|| Omitted {
                namespace: (*namespace).to_owned(),
                tools,
            })
        })
        .collect();
    omitted.sort_by(|a, b| {
        b.tools
            .cmp(&a.tools)
            .then_with(|| a.namespace.cmp(&b.namespace))
    });
    omitted
}

struct Chooser<'a> {
    costs: Vec<usize>,
    type_costs: Vec<usize>,
    declarations: &'a [Declaration],
    left: usize,
    tools: BTreeSet<usize>,
    types: BTreeSet<usize>,
}

impl Chooser<'_> {
    /// Each namespace in turn lists its next tool that fits, until none has one.
    fn take_turns(&mut self, spaces: &[(&str, Vec<usize>)]) {
        let mut queues: Vec<_> = spaces
            .iter()
            .map(|(_, tools)| tools.iter().copied())
            .collect();
        while !queues.is_empty() {
            queues.retain_mut(|queue| queue.by_ref().any(|tool| self.take(tool)));
        }
    }

    fn take(&mut self, tool: usize) -> bool {
        let needs = self.declarations.get(tool).map_or(&[][..], |d| &d.needs);
        let fresh = needs.iter().filter(|index| !self.types.contains(index));
        let types: usize = fresh.filter_map(|index| self.type_costs.get(*index)).sum();
        let cost = types + self.costs.get(tool).copied().unwrap_or(0);
        if cost > self.left {
            return false;
        }
        self.left -= cost;
        self.tools.insert(tool);
        self.types.extend(needs);
        true
    }
}
