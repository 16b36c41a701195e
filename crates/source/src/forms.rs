//! Which value a program gives: its returns, its last expression, its one function, its default export.

use std::borrow::Cow;

use oxc_ast::ast::{
    AssignmentExpression, BindingPattern, Expression, ExpressionStatement, FormalParameters,
    FunctionBody, Statement,
};
use oxc_span::{GetSpan, Span};

use crate::{facts::Facts, references, strip::DefaultExport};

/// The texts to put in, and what the model should be told. Offsets count in the parsed text.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) inserts: Vec<(u32, Cow<'static, str>)>,
    /// Expressions whose value became the result.
    pub(crate) returned: Vec<Span>,
    /// The declared function that is called for the result.
    pub(crate) called: Option<String>,
    pub(crate) notes: Vec<String>,
}

impl Plan {
    fn put(&mut self, at: u32, text: impl Into<Cow<'static, str>>) {
        self.inserts.push((at, text.into()));
    }
}

const EXPORTED: &str = "__export_default";

/// Decides the value of a program. `default_at`: where the stripped text has the default export.
pub(crate) fn plan(
    body: &FunctionBody<'_>,
    facts: &Facts,
    default_export: Option<&DefaultExport>,
) -> Plan {
    let mut plan = Plan::default();
    match default_export {
        Some(DefaultExport::Expression(at)) => exported_value(body, *at, &mut plan),
        Some(DefaultExport::Function(name)) => call_at_end(body, name, &mut plan),
        None => last_value(body, facts, &mut plan),
    }
    if plan.inserts.is_empty() && !facts.returns && !facts.shows {
        plan.notes.extend(nothing_returned(body));
    }
    plan
}

fn exported_value(body: &FunctionBody<'_>, at: u32, plan: &mut Plan) {
    let place = body
        .statements
        .iter()
        .position(|statement| statement.span().start == at);
    let Some(place) = place else { return };
    let Some(Statement::ExpressionStatement(statement)) = body.statements.get(place) else {
        return;
    };
    let rest = body.statements.iter().skip(place + 1);
    if rest.clone().all(is_hoisted) {
        match statement.expression.without_parentheses() {
            Expression::Identifier(name) => {
                let args = declared_args(body, &name.name);
                let name = &name.name;
                plan.put(
                    at,
                    format!("return typeof {name} === \"function\" ? {name}({args}) : "),
                );
                plan.returned.push(statement.span);
            }
            _ => return_expression(statement, plan),
        }
    } else if let Some(last) = rest.last() {
        plan.put(at, format!("const {EXPORTED} = "));
        let value =
            format!("; return typeof {EXPORTED} === \"function\" ? {EXPORTED}() : {EXPORTED};");
        plan.put(last.span().end, value);
    }
}

fn call_at_end(body: &FunctionBody<'_>, name: &str, plan: &mut Plan) {
    if let Some(last) = body.statements.last() {
        let args = declared_args(body, name);
        plan.put(last.span().end, format!("; return {name}({args});"));
        plan.called = Some(name.to_owned());
    }
}

/// What stays in force wherever the program returns: function declarations and empty statements.
fn is_hoisted(statement: &Statement<'_>) -> bool {
    matches!(
        statement,
        Statement::EmptyStatement(_) | Statement::FunctionDeclaration(_)
    )
}

fn is_declaration(statement: &Statement<'_>) -> bool {
    is_hoisted(statement)
        || matches!(
            statement,
            Statement::VariableDeclaration(_) | Statement::ClassDeclaration(_)
        )
}

fn last_value(body: &FunctionBody<'_>, facts: &Facts, plan: &mut Plan) {
    let statements = &body.statements;
    let Some(last) = statements
        .iter()
        .rfind(|one| !matches!(one, Statement::EmptyStatement(_)))
    else {
        // A lone string is a directive to the parser and a value to the model.
        if let Some(text) = body.directives.last()
            && text.directive != "use strict"
        {
            plan.put(text.span.start, "return ");
        }
        return;
    };
    if let Some((name, args, span)) = function_of(last)
        && !facts.returns
        && statements.iter().all(is_declaration)
        && !references::contains(body, name, span)
    {
        plan.put(last.span().end, format!("; return {name}({args});"));
        plan.called = Some(name.to_owned());
        return;
    }
    if let Some(statement) = statements.iter().rfind(|one| !is_hoisted(one)) {
        return_from(statement, plan, true);
    }
}

/// Makes the value of a statement at the end of the program its result.
fn return_from(statement: &Statement<'_>, plan: &mut Plan, top: bool) {
    match statement {
        Statement::ExpressionStatement(one) => return_expression(one, plan),
        Statement::IfStatement(choice) => {
            return_from(&choice.consequent, plan, false);
            if let Some(other) = &choice.alternate {
                return_from(other, plan, false);
            }
        }
        Statement::TryStatement(attempt) => {
            return_from_last(&attempt.block.body, plan);
            if let Some(handler) = &attempt.handler {
                return_from_last(&handler.body.body, plan);
            }
        }
        // A bare block at the top may be meant as an object; its last line is no value.
        Statement::BlockStatement(block) if !top => return_from_last(&block.body, plan),
        _ => {}
    }
}

fn return_from_last(statements: &[Statement<'_>], plan: &mut Plan) {
    if let Some(last) = statements.iter().rfind(|one| !is_hoisted(one)) {
        return_from(last, plan, false);
    }
}

fn return_expression(statement: &ExpressionStatement<'_>, plan: &mut Plan) {
    let span = statement.expression.span();
    let args = match statement.expression.without_parentheses() {
        Expression::ArrowFunctionExpression(function) => Some(call_args(&function.params)),
        Expression::FunctionExpression(function) if !function.generator => {
            Some(call_args(&function.params))
        }
        Expression::AssignmentExpression(assignment) if gives_function(assignment) => return,
        Expression::ClassExpression(_) => return,
        _ => None,
    };
    match args {
        Some(args) => {
            plan.put(span.start, "return (");
            plan.put(span.end, format!(")({})", args.unwrap_or("")));
        }
        None => plan.put(span.start, "return "),
    }
    plan.returned.push(span);
}

/// A function cannot be a result, so an assignment of one stays a statement.
fn gives_function(it: &AssignmentExpression<'_>) -> bool {
    let mut right = it.right.without_parentheses();
    while let Expression::AssignmentExpression(inner) = right {
        right = inner.right.without_parentheses();
    }
    matches!(
        right,
        Expression::ArrowFunctionExpression(_)
            | Expression::FunctionExpression(_)
            | Expression::ClassExpression(_)
    )
}

/// The arguments a program's main function is called with; none if it asks for what nobody can give.
fn call_args(params: &FormalParameters<'_>) -> Option<&'static str> {
    let Some(first) = params.items.first() else {
        return Some("");
    };
    if first.initializer.is_some() {
        return Some("");
    }
    match &first.pattern {
        BindingPattern::BindingIdentifier(name) if name.name == "tools" => Some("tools"),
        BindingPattern::ObjectPattern(pattern) => {
            let asks_tools = pattern
                .properties
                .iter()
                .any(|one| one.key.is_specific_static_name("tools"));
            Some(if asks_tools { "{ tools }" } else { "tools" })
        }
        BindingPattern::AssignmentPattern(_) => Some(""),
        _ => None,
    }
}

/// Name, arguments and span of a function declared by a statement, if it can be called as a program.
fn function_of<'s>(statement: &'s Statement<'_>) -> Option<(&'s str, &'static str, Span)> {
    let (name, params) = named_function(statement)?;
    Some((name, call_args(params)?, statement.span()))
}

fn named_function<'s, 'a>(
    statement: &'s Statement<'a>,
) -> Option<(&'s str, &'s FormalParameters<'a>)> {
    match statement {
        Statement::FunctionDeclaration(function) if !function.generator => {
            Some((function.id.as_ref()?.name.as_str(), &function.params))
        }
        Statement::VariableDeclaration(declaration) if declaration.declarations.len() == 1 => {
            let one = declaration.declarations.first()?;
            let BindingPattern::BindingIdentifier(name) = &one.id else {
                return None;
            };
            match one.init.as_ref()?.without_parentheses() {
                Expression::ArrowFunctionExpression(it) => Some((name.name.as_str(), &it.params)),
                Expression::FunctionExpression(it) if !it.generator => {
                    Some((name.name.as_str(), &it.params))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn declared_args(body: &FunctionBody<'_>, name: &str) -> &'static str {
    let declared = body
        .statements
        .iter()
        .filter_map(named_function)
        .find(|(it, _)| *it == name);
    declared
        .and_then(|(_, params)| call_args(params))
        .unwrap_or("")
}

fn nothing_returned(body: &FunctionBody<'_>) -> Option<String> {
    let last = body
        .statements
        .iter()
        .rfind(|one| !matches!(one, Statement::EmptyStatement(_)))?;
    if matches!(last, Statement::ThrowStatement(_)) {
        return None;
    }
    Some(match named_function(last) {
        Some((name, _)) if !references::contains(body, name, last.span()) => format!(
            "nothing was returned: `{name}` is declared but never called; end with `return await {name}(...)`"
        ),
        _ => "nothing was returned: end the program with `return value`".to_owned(),
    })
}
