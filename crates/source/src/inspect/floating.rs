//! Promises of tool calls that nothing waits for, and promises taken for what they will give.

use oxc_ast::ast::{
    Argument, ArrayExpression, CallExpression, ChainElement, Expression, ObjectPropertyKind,
};
use oxc_span::GetSpan;

use super::{Inspector, Tool};
use crate::facts::tool_name;

/// Whether a member of a promise is one of its own.
pub(super) fn is_promise_method(name: &str) -> bool {
    matches!(name, "then" | "catch" | "finally")
}

impl Inspector<'_> {
    /// The tool whose promise an expression is, and where it is called.
    pub(super) fn promise_of(&self, it: &Expression<'_>) -> Option<Tool> {
        match it.without_parentheses() {
            Expression::CallExpression(call) => self.promise_of_call(call),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => self.promise_of_call(call),
                _ => None,
            },
            _ => None,
        }
    }

    fn promise_of_call(&self, call: &CallExpression<'_>) -> Option<Tool> {
        if let Some(name) = self.tool_called(&call.callee) {
            let at = call.span().start;
            return Some(Tool { name, at });
        }
        match &call.callee {
            Expression::StaticMemberExpression(callee)
                if is_promise_method(&callee.property.name) =>
            {
                self.promise_of(&callee.object)
            }
            _ => None,
        }
    }

    /// The tool that a callee is: `tools.name`, `tools["name"]`, or a name taken from `tools`.
    pub(super) fn tool_called(&self, callee: &Expression<'_>) -> Option<String> {
        match callee.without_parentheses() {
            Expression::Identifier(name) => self.aliases.get(name.name.as_str()).cloned(),
            other => tool_name(other).map(str::to_owned),
        }
    }

    /// Adds what an expression statement drops.
    pub(super) fn dropped(&mut self, it: &Expression<'_>) {
        if let Some(tool) = self.promise_of(it) {
            self.not_awaited(&tool);
            return;
        }
        match it.without_parentheses() {
            Expression::CallExpression(call) => match call.callee.without_parentheses() {
                Expression::Identifier(name) => {
                    self.dropped_calls
                        .push((name.name.to_string(), call.span.start));
                }
                Expression::ArrowFunctionExpression(function) if function.r#async => {
                    self.remark(
                        call.span.start,
                        "nothing waits for this async function: write `await` in front of it",
                    );
                }
                Expression::FunctionExpression(function) if function.r#async => {
                    self.remark(
                        call.span.start,
                        "nothing waits for this async function: write `await` in front of it",
                    );
                }
                _ => {}
            },
            Expression::UnaryExpression(unary) => self.dropped(&unary.argument),
            Expression::LogicalExpression(logical) => self.dropped(&logical.right),
            Expression::ConditionalExpression(choice) => {
                self.dropped(&choice.consequent);
                self.dropped(&choice.alternate);
            }
            Expression::SequenceExpression(sequence) => {
                for one in &sequence.expressions {
                    self.dropped(one);
                }
            }
            _ => {}
        }
    }

    fn not_awaited(&mut self, tool: &Tool) {
        let message = format!(
            "the promise of tools.{} is neither awaited nor returned: write `await` in front of the call",
            tool.name
        );
        self.remark(tool.at, message);
    }

    /// `list.forEach((x) => tools.name(x))` drops what its callback gives back.
    pub(super) fn for_each(&mut self, it: &CallExpression<'_>) {
        let Expression::StaticMemberExpression(callee) = &it.callee else {
            return;
        };
        if callee.property.name != "forEach" {
            return;
        }
        let is_async = match it.arguments.first() {
            Some(Argument::ArrowFunctionExpression(callback)) => {
                if let Some(body) = callback.body.as_expression().filter(|_| !callback.r#async) {
                    self.dropped(body);
                }
                callback.r#async
            }
            Some(Argument::FunctionExpression(callback)) => callback.r#async,
            _ => false,
        };
        if is_async {
            let message = "forEach does not wait for an async callback: write `for (const item of list) { ... }`, or `await Promise.all(list.map(async (item) => ...))`";
            self.remark(it.span.start, message);
        }
    }

    /// An expression that is looked at as if it were a value: `how` says as what.
    pub(super) fn as_value(&mut self, it: &Expression<'_>, how: &str) {
        match it.without_parentheses() {
            Expression::Identifier(name) => {
                self.misused.push((name.name.to_string(), it.span().start));
            }
            other => {
                if let Some(tool) = self.promise_of(other) {
                    let message = format!(
                        "the promise of tools.{name} is {how}, not its result: write `(await tools.{name}(...))`",
                        name = tool.name
                    );
                    self.remark(tool.at, message);
                }
            }
        }
    }

    /// A list whose items are promises: written out, or made by `map` with a tool call or an async callback.
    pub(super) fn promise_list(&self, it: &Expression<'_>) -> bool {
        match it.without_parentheses() {
            Expression::ArrayExpression(list) => self.lists_promises(list),
            Expression::CallExpression(call) => {
                let Expression::StaticMemberExpression(callee) = &call.callee else {
                    return false;
                };
                callee.property.name == "map"
                    && match call.arguments.first() {
                        Some(Argument::ArrowFunctionExpression(callback)) => {
                            callback.r#async
                                || callback
                                    .body
                                    .as_expression()
                                    .is_some_and(|body| self.promise_of(body).is_some())
                        }
                        Some(Argument::FunctionExpression(callback)) => callback.r#async,
                        _ => false,
                    }
            }
            _ => false,
        }
    }

    fn lists_promises(&self, list: &ArrayExpression<'_>) -> bool {
        let mut values = list.elements.iter().filter_map(|one| one.as_expression());
        values.any(|one| self.promise_of(one).is_some())
    }

    /// A value that leaves the program: promises in it become `{}`.
    pub(super) fn result(&mut self, it: &Expression<'_>) {
        if self.promise_list(it) {
            let message =
                "the result is a list of promises: write `await Promise.all(...)` around it";
            self.remark(it.span().start, message);
        }
        let Expression::ObjectExpression(object) = it.without_parentheses() else {
            return;
        };
        for property in &object.properties {
            if let ObjectPropertyKind::ObjectProperty(property) = property {
                self.as_value(&property.value, "part of the result");
            }
        }
    }
}
