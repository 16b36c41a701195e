//! What becomes of the names a program declares.

use super::{Declared, Held, Inspector};

impl Inspector<'_> {
    /// Looks at promises that were given a name, and at functions, once every reference is known.
    pub(super) fn judge_names(&mut self, called: Option<&str>) {
        for held in std::mem::take(&mut self.held) {
            self.judge_promise(&held);
        }
        let functions = std::mem::take(&mut self.functions);
        for (name, at) in std::mem::take(&mut self.dropped_calls) {
            let is_async = functions.iter().any(|one| one.is_async && one.name == name);
            if is_async && self.is_bound_once(&name) {
                let message =
                    format!("nothing waits for `{name}`: write `await` in front of the call");
                self.remark(at, message);
            }
        }
        for function in &functions {
            self.judge_function(function, called);
        }
    }

    fn is_bound_once(&self, name: &str) -> bool {
        self.bound.get(name) == Some(&1)
    }

    fn judge_promise(&mut self, held: &Held) {
        let Held { name, tool, at } = held;
        if !self.is_bound_once(name) {
            return;
        }
        let all = self.references.get(name).map_or(0, Vec::len);
        let misused = self.misused.iter().filter(|(it, _)| it == name);
        let (misused, first) = (misused.clone().count(), misused.map(|(_, at)| *at).min());
        let what = match tool {
            Some(tool) => format!("the promise of tools.{tool}"),
            None => "promises".to_owned(),
        };
        if all == 0 {
            let message = match tool {
                Some(_) => format!(
                    "`{name}` holds {what}, which is neither awaited nor returned: write `await` in front of the call"
                ),
                None => format!(
                    "`{name}` holds {what} that are neither awaited nor returned: write `await Promise.all(...)` around the list"
                ),
            };
            self.remark(*at, message);
        } else if let Some(first) = first.filter(|_| misused >= all) {
            let message = match tool {
                Some(tool) => format!(
                    "`{name}` is {what}, not its result: write `const {name} = await tools.{tool}(...)`"
                ),
                None => format!(
                    "`{name}` is a list of promises: write `const {name} = await Promise.all(...)`"
                ),
            };
            self.remark(first, message);
        }
    }

    fn judge_function(&mut self, function: &Declared, called: Option<&str>) {
        let Declared { name, span, .. } = function;
        if called == Some(name) || !self.is_bound_once(name) {
            return;
        }
        let used = self
            .references
            .get(name)
            .is_some_and(|places| places.iter().any(|at| *at < span.start || *at >= span.end));
        if !used {
            let message = format!("`{name}` is declared but never called");
            self.remark(span.start, message);
        }
    }
}
