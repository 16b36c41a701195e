//! Whether a program mentions a name.

use oxc_ast::ast::{FunctionBody, IdentifierReference};
use oxc_ast_visit::Visit;
use oxc_span::Span;

struct Search<'n> {
    name: &'n str,
    outside: Span,
    found: bool,
}

impl<'a> Visit<'a> for Search<'_> {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        let inside = self.outside.start <= it.span.start && it.span.end <= self.outside.end;
        self.found |= !inside && it.name == self.name;
    }
}

/// Whether `name` is used anywhere in the body but inside `outside`.
pub(crate) fn contains(body: &FunctionBody<'_>, name: &str, outside: Span) -> bool {
    let mut search = Search {
        name,
        outside,
        found: false,
    };
    search.visit_function_body(body);
    search.found
}
