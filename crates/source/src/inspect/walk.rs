//! The walk itself.

use oxc_allocator::Vec as ArenaVec;
use oxc_ast::ast::{
    Argument, ArrowFunctionExpression, AwaitExpression, BinaryExpression, BindingIdentifier,
    BindingPattern, CallExpression, ComputedMemberExpression, ConditionalExpression, Expression,
    ExpressionStatement, ForOfStatement, FormalParameters, Function, IdentifierReference,
    IfStatement, ObjectPattern, ReturnStatement, SpreadElement, Statement, StaticMemberExpression,
    TemplateLiteral, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::{operator::BinaryOperator, scope::ScopeFlags};

use super::{Arguments, Declared, Held, Inspector, ToolUse, floating::is_promise_method};
use crate::facts::{is_tools, literal_text, tool_name};

impl Inspector<'_> {
    fn named(&mut self, name: &str, at: u32) {
        if self.callee == Some(at) {
            return;
        }
        let at = (self.reader.origin)(at);
        self.uses.push(ToolUse {
            name: name.to_owned(),
            at,
            call: None,
        });
    }

    fn called(&mut self, name: String, it: &CallExpression<'_>) {
        // `tools.f(item="a")` is Python; here it assigns a variable.
        if let Some(Argument::AssignmentExpression(first)) = it.arguments.first() {
            let message =
                "`name=value` is no named argument here but an assignment: write `{ name: value }`";
            self.remark(first.span.start, message);
        }
        let mut list = Vec::new();
        let mut whole = true;
        for argument in &it.arguments {
            match argument {
                Argument::SpreadElement(_) => {
                    whole = false;
                    break;
                }
                other => list.push(
                    other
                        .as_expression()
                        .and_then(|value| self.reader.read(value, 0)),
                ),
            }
        }
        let at = (self.reader.origin)(it.callee.span().start);
        self.uses.push(ToolUse {
            name,
            at,
            call: Some(Arguments { list, whole }),
        });
    }

    /// `const { a, 'b-c': b } = tools`
    fn taken_from_tools(&mut self, pattern: &ObjectPattern<'_>) {
        for one in &pattern.properties {
            let Some(name) = one.key.static_name() else {
                continue;
            };
            self.named(&name, one.span.start);
            if let BindingPattern::BindingIdentifier(local) = &one.value {
                self.aliases
                    .insert(local.name.to_string(), name.into_owned());
            }
        }
    }

    fn hold(&mut self, name: &BindingIdentifier<'_>, init: &Expression<'_>) {
        let (name, at) = (name.name.to_string(), init.span().start);
        if let Some(tool) = self.promise_of(init) {
            let tool = Some(tool.name);
            self.held.push(Held { name, tool, at });
        } else if self.promise_list(init) {
            self.held.push(Held {
                name,
                tool: None,
                at,
            });
        }
    }

    fn function(&mut self, name: &BindingIdentifier<'_>, span: oxc_span::Span, is_async: bool) {
        self.functions.push(Declared {
            name: name.name.to_string(),
            span,
            is_async,
        });
    }

    fn is_returned(&self, it: &Expression<'_>) -> bool {
        let start = it.span().start;
        self.returned
            .iter()
            .any(|span| span.start <= start && start < span.end)
    }
}

/// What no statement after it can be reached from.
fn leaves(it: &Statement<'_>) -> Option<&'static str> {
    Some(match it {
        Statement::ReturnStatement(_) => "return",
        Statement::ThrowStatement(_) => "throw",
        Statement::BreakStatement(_) => "break",
        Statement::ContinueStatement(_) => "continue",
        _ => return None,
    })
}

fn does_nothing(it: &Statement<'_>) -> bool {
    match it {
        Statement::FunctionDeclaration(_) | Statement::EmptyStatement(_) => true,
        Statement::VariableDeclaration(it) => {
            it.kind.is_var() && it.declarations.iter().all(|one| one.init.is_none())
        }
        other => leaves(other).is_some(),
    }
}

impl<'a> Visit<'a> for Inspector<'_> {
    fn visit_statements(&mut self, it: &ArenaVec<'a, Statement<'a>>) {
        if let Some(end) = it.iter().position(|one| leaves(one).is_some())
            && let Some(word) = it.get(end).and_then(leaves)
            && let Some(lost) = it.iter().skip(end + 1).find(|one| !does_nothing(one))
        {
            let message = format!("this is never reached: it stands after `{word}`");
            self.remark(lost.span().start, message);
        }
        walk::walk_statements(self, it);
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        *self.bound.entry(it.name.to_string()).or_default() += 1;
        self.redeclares_tools |= it.name == "tools" && !self.in_parameters;
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        let places = self.references.entry(it.name.to_string()).or_default();
        places.push(it.span.start);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if let Some(name) = &it.id
            && it.is_declaration()
        {
            self.function(name, it.span, it.r#async);
        }
        self.function_depth += 1;
        walk::walk_function(self, it, flags);
        self.function_depth -= 1;
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.function_depth += 1;
        walk::walk_arrow_function_expression(self, it);
        self.function_depth -= 1;
    }

    fn visit_formal_parameters(&mut self, it: &FormalParameters<'a>) {
        let outer = std::mem::replace(&mut self.in_parameters, true);
        walk::walk_formal_parameters(self, it);
        self.in_parameters = outer;
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        match (&it.id, &it.init) {
            (BindingPattern::ObjectPattern(pattern), Some(init)) if is_tools(init) => {
                self.taken_from_tools(pattern);
            }
            (BindingPattern::BindingIdentifier(name), Some(init)) => {
                match init.without_parentheses() {
                    Expression::ArrowFunctionExpression(function) => {
                        self.function(name, it.span, function.r#async);
                    }
                    Expression::FunctionExpression(function) => {
                        self.function(name, it.span, function.r#async);
                    }
                    other => match tool_name(other) {
                        Some(tool) => {
                            self.aliases.insert(name.name.to_string(), tool.to_owned());
                        }
                        None => self.hold(name, init),
                    },
                }
            }
            (_, Some(init)) => self.as_value(init, "taken apart"),
            _ => {}
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        if self.is_returned(&it.expression) {
            self.result(&it.expression);
        } else {
            self.dropped(&it.expression);
        }
        walk::walk_expression_statement(self, it);
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        if let Some(value) = it.argument.as_ref().filter(|_| self.function_depth == 0) {
            self.result(value);
        }
        walk::walk_return_statement(self, it);
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        if self.promise_list(&it.argument) {
            let message =
                "`await` does not wait for the promises in a list: write `await Promise.all(...)`";
            self.remark(it.span.start, message);
        }
        walk::walk_await_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if let Some(name) = self.tool_called(&it.callee) {
            self.called(name, it);
            self.callee = Some(it.callee.span().start);
        } else if let Expression::StaticMemberExpression(callee) = &it.callee
            && let Expression::Identifier(object) = &callee.object
            && matches!(object.name.as_str(), "JSON" | "Object" | "console")
        {
            for value in it.arguments.iter().filter_map(|one| one.as_expression()) {
                self.as_value(value, "given to a function that needs its result");
            }
        }
        self.for_each(it);
        walk::walk_call_expression(self, it);
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        if is_tools(&it.object) {
            self.named(&it.property.name, it.span.start);
        } else if !is_promise_method(&it.property.name) {
            self.as_value(&it.object, "asked for a property");
        }
        walk::walk_static_member_expression(self, it);
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        if !is_tools(&it.object) {
            self.as_value(&it.object, "asked for a property");
        } else if let Some(name) = literal_text(&it.expression) {
            self.named(name, it.span.start);
        }
        walk::walk_computed_member_expression(self, it);
    }

    fn visit_template_literal(&mut self, it: &TemplateLiteral<'a>) {
        for value in &it.expressions {
            self.as_value(value, "put into a text");
        }
        walk::walk_template_literal(self, it);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        if it.operator.is_arithmetic()
            || matches!(
                it.operator,
                BinaryOperator::LessThan
                    | BinaryOperator::LessEqualThan
                    | BinaryOperator::GreaterThan
                    | BinaryOperator::GreaterEqualThan
            )
        {
            self.as_value(&it.left, "computed with");
            self.as_value(&it.right, "computed with");
        }
        walk::walk_binary_expression(self, it);
    }

    fn visit_spread_element(&mut self, it: &SpreadElement<'a>) {
        self.as_value(&it.argument, "spread");
        walk::walk_spread_element(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.as_value(&it.right, "looped over");
        walk::walk_for_of_statement(self, it);
    }

    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        self.as_value(&it.test, "used as a condition");
        walk::walk_if_statement(self, it);
    }

    fn visit_conditional_expression(&mut self, it: &ConditionalExpression<'a>) {
        self.as_value(&it.test, "used as a condition");
        walk::walk_conditional_expression(self, it);
    }
}
