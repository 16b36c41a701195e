//! The parser, the wrapper around the source, and the proof that the source stays inside it.

use oxc_allocator::Allocator;
use oxc_ast::ast::{ArrowFunctionBody, Expression, FunctionBody, Program, Statement};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType};

/// What stands in front of the source: on its first line, so that the engine counts the model's own lines.
pub(crate) const PREFIX: &str = "(async () => {";
/// What stands behind it: on a line of its own, so that a trailing line comment cannot swallow it.
pub(crate) const SUFFIX: &str = "\n})";
pub(crate) const PREFIX_LEN: u32 = PREFIX.len() as u32;

/// How to read a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Plain JavaScript in the wrapper.
    JavaScript,
    /// TypeScript in the wrapper.
    TypeScript,
    /// A TypeScript module, without the wrapper.
    Module,
    /// TypeScript with JSX in the wrapper: only to name JSX as the reason of a failure.
    Jsx,
}

impl Reading {
    fn source_type(self) -> SourceType {
        match self {
            Self::JavaScript => SourceType::script(),
            Self::TypeScript => SourceType::script().with_typescript(true),
            Self::Module => SourceType::ts(),
            Self::Jsx => SourceType::script().with_typescript(true).with_jsx(true),
        }
    }
}

/// The parser's first complaint; the offset counts from the start of the parsed text.
#[derive(Debug)]
pub(crate) struct Complaint {
    pub(crate) at: u32,
    pub(crate) length: u32,
    pub(crate) message: String,
}

pub(crate) fn parse<'a>(
    allocator: &'a Allocator,
    text: &'a str,
    reading: Reading,
) -> Result<Program<'a>, Complaint> {
    let options = ParseOptions {
        allow_return_outside_function: reading == Reading::Module,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(allocator, text, reading.source_type())
        .with_options(options)
        .parse();
    let Some(first) = parsed.diagnostics.into_vec().into_iter().next() else {
        if parsed.panicked {
            return Err(Complaint {
                at: 0,
                length: 0,
                message: "Unexpected token".to_owned(),
            });
        }
        return Ok(parsed.program);
    };
    let label = first.labels.first();
    Err(Complaint {
        at: label.map_or(0, oxc_span::LabeledSpan::offset),
        length: label.map_or(0, oxc_span::LabeledSpan::len),
        message: first.message.to_string(),
    })
}

/// The body of the wrapper, if the program is the wrapper alone and its braces are the first and the last of the text.
/// Otherwise the offset where the source left the wrapper.
pub(crate) fn body_of<'p, 'a>(program: &'p Program<'a>) -> Result<&'p FunctionBody<'a>, u32> {
    let escaped_at = PREFIX_LEN;
    let length = program.source_text.len() as u32;
    let Some(Statement::ExpressionStatement(statement)) = program.body.first() else {
        return Err(escaped_at);
    };
    let Some(arrow) = leftmost_arrow(&statement.expression) else {
        return Err(escaped_at);
    };
    let ArrowFunctionBody::FunctionBody(body) = &arrow.body else {
        return Err(escaped_at);
    };
    let bare = arrow.r#async
        && arrow.type_parameters.is_none()
        && arrow.return_type.is_none()
        && arrow.params.items.is_empty()
        && arrow.params.rest.is_none();
    let alone = program.body.len() == 1
        && program.directives.is_empty()
        && statement.expression.span() == (oxc_span::Span::new(0, length));
    let braces = body.span.start + 1 == PREFIX_LEN && body.span.end + 1 == length;
    if bare && alone && braces && body.span.end == arrow.span.end {
        return Ok(body);
    }
    Err(body.span.end.saturating_sub(1))
}

/// The arrow function that the wrapper began, wherever the source made it end.
fn leftmost_arrow<'p, 'a>(
    expression: &'p Expression<'a>,
) -> Option<&'p oxc_ast::ast::ArrowFunctionExpression<'a>> {
    let mut current = expression;
    for _ in 0..8 {
        current = match current {
            Expression::ParenthesizedExpression(inner) => &inner.expression,
            Expression::SequenceExpression(inner) => inner.expressions.first()?,
            Expression::CallExpression(inner) => &inner.callee,
            Expression::ArrowFunctionExpression(arrow) => return Some(arrow),
            _ => return None,
        };
    }
    None
}
