//! Tool calls whose promise nothing awaits, returns, stores or passes on.

use oxc_ast::ast::{Argument, CallExpression, ChainElement, Expression};
use oxc_span::GetSpan;

use crate::facts::tool_name;

/// Adds the starts of tool calls whose promise an expression statement drops.
pub(crate) fn collect(it: &Expression<'_>, found: &mut Vec<u32>) {
    match it.without_parentheses() {
        Expression::CallExpression(call) => call_result(call, found),
        Expression::ChainExpression(chain) => {
            if let ChainElement::CallExpression(call) = &chain.expression {
                call_result(call, found);
            }
        }
        Expression::UnaryExpression(unary) => collect(&unary.argument, found),
        Expression::LogicalExpression(logical) => collect(&logical.right, found),
        Expression::ConditionalExpression(choice) => {
            collect(&choice.consequent, found);
            collect(&choice.alternate, found);
        }
        Expression::SequenceExpression(sequence) => {
            for one in &sequence.expressions {
                collect(one, found);
            }
        }
        _ => {}
    }
}

/// `list.forEach((x) => tools.name(x))` drops what its callback gives back.
pub(crate) fn collect_callback(it: &CallExpression<'_>, found: &mut Vec<u32>) {
    let Expression::StaticMemberExpression(callee) = &it.callee else {
        return;
    };
    if callee.property.name != "forEach" {
        return;
    }
    if let Some(Argument::ArrowFunctionExpression(callback)) = it.arguments.first()
        && let Some(body) = callback.body.as_expression()
    {
        collect(body, found);
    }
}

fn call_result(call: &CallExpression<'_>, found: &mut Vec<u32>) {
    if tool_name(&call.callee).is_some() {
        found.push(call.span().start);
    } else if let Expression::StaticMemberExpression(callee) = &call.callee
        && matches!(callee.property.name.as_str(), "then" | "catch" | "finally")
    {
        collect(&callee.object, found);
    }
}
