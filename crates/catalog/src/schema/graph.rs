//! Which definition refers to which: cycles that never end, and how deep the rest goes.

use serde_json::Value;

use super::{Broken, Definition, children, target};

pub(super) struct Graph {
    /// For each definition the ones it refers to, in order, without repetition.
    edges: Vec<Vec<usize>>,
    /// Those it refers to without going down into a value: `$ref`, `anyOf` and their like.
    same_value: Vec<Vec<usize>>,
    /// Nesting of each definition by itself.
    depths: Vec<usize>,
    pub(super) uses: Vec<u32>,
}

pub(super) struct Walk {
    pub(super) recursive: Vec<bool>,
    /// Nesting along the longest chain that the walk took.
    pub(super) depth: usize,
}

impl Graph {
    pub(super) fn of(definitions: &[Definition]) -> Self {
        let count = definitions.len();
        let mut graph = Self {
            edges: vec![Vec::new(); count],
            same_value: vec![Vec::new(); count],
            depths: vec![0; count],
            uses: vec![0; count],
        };
        for (index, definition) in definitions.iter().enumerate() {
            let mut found = Found::default();
            found.collect(&definition.schema, true, 1);
            for target in &found.all {
                if let Some(uses) = graph.uses.get_mut(*target) {
                    *uses += 1;
                }
            }
            let sorted = |mut list: Vec<usize>| {
                let mut seen = std::collections::HashSet::new();
                list.retain(|target| seen.insert(*target));
                list
            };
            if let (Some(edges), Some(same), Some(depth)) = (
                graph.edges.get_mut(index),
                graph.same_value.get_mut(index),
                graph.depths.get_mut(index),
            ) {
                *edges = sorted(found.all);
                *same = sorted(found.same_value);
                *depth = found.depth;
            }
        }
        graph
    }

    /// A schema that refers to itself for the same value says nothing and can never be checked.
    pub(super) fn refuse_empty_cycles(&self, definitions: &[Definition]) -> Result<(), Broken> {
        let walk = depth_first(&self.same_value, &self.depths);
        match walk.recursive.iter().position(|r| *r) {
            None => Ok(()),
            Some(index) => {
                let hint = definitions.get(index).map_or("", |d| d.hint.as_str());
                let name = if hint.is_empty() { "the schema" } else { hint };
                Err(Broken(format!("{name} refers only to itself")))
            }
        }
    }

    pub(super) fn walk(&self) -> Walk {
        depth_first(&self.edges, &self.depths)
    }
}

#[derive(Default)]
struct Found {
    all: Vec<usize>,
    same_value: Vec<usize>,
    depth: usize,
}

impl Found {
    fn collect(&mut self, schema: &Value, same: bool, depth: usize) {
        self.depth = self.depth.max(depth);
        let Some(map) = schema.as_object() else {
            return;
        };
        if let Some(target) = target(map) {
            self.all.push(target);
            if same {
                self.same_value.push(target);
            }
        }
        for (child, same_value) in children(map) {
            self.collect(child, same && same_value, depth + 1);
        }
    }
}

/// Visits every definition with a stack of its own: chains may be as long as a schema is large.
fn depth_first(edges: &[Vec<usize>], depths: &[usize]) -> Walk {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; edges.len()];
    let mut recursive = vec![false; edges.len()];
    let mut deepest = 0;
    for start in 0..edges.len() {
        if state.get(start) != Some(&State::New) {
            continue;
        }
        let mut stack = vec![(start, 0, 0)];
        while let Some((node, next, above)) = stack.pop() {
            let depth = above + depths.get(node).copied().unwrap_or(0);
            if next == 0 {
                deepest = deepest.max(depth);
                if let Some(s) = state.get_mut(node) {
                    *s = State::Open;
                }
            }
            let Some(to) = edges.get(node).and_then(|e| e.get(next)).copied() else {
                if let Some(s) = state.get_mut(node) {
                    *s = State::Done;
                }
                continue;
            };
            stack.push((node, next + 1, above));
            match state.get(to) {
                Some(State::New) => stack.push((to, 0, depth)),
                Some(State::Open) => {
                    if let Some(r) = recursive.get_mut(to) {
                        *r = true;
                    }
                }
                _ => {}
            }
        }
    }
    Walk {
        recursive,
        depth: deepest,
    }
}
