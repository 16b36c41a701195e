//! TypeScript to JavaScript by overwriting types with spaces: every line and nearly every column stays.
//!
//! Where a blank would join two statements, or end one early, a `;` or a moved parenthesis takes the place of a type.
//! What TypeScript makes code of (enums, namespaces, parameter properties, decorators) is refused.

use oxc_ast::ast::{
    AccessorProperty, ArrowFunctionExpression, Class, Decorator, FormalParameter, Function,
    MethodDefinition, ModuleDeclaration, Program, PropertyDefinition, Statement, TSAsExpression,
    TSClassImplements, TSIndexSignature, TSNonNullExpression, TSSatisfiesExpression,
    TSTypeAnnotation, TSTypeAssertion, TSTypeParameterDeclaration, TSTypeParameterInstantiation,
    VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

use crate::{error::Fault, parse::Complaint, patch::Patch, trivia};

/// The default export of a module-like program, as the stripped text has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DefaultExport {
    /// An expression, put in parentheses at this offset of the original.
    Expression(u32),
    /// A named function declaration.
    Function(String),
}

pub(crate) struct Strip<'s> {
    pub(crate) text: &'s str,
    /// Bytes in front of the source in `text`.
    pub(crate) base: u32,
    pub(crate) patch: Patch,
    pub(crate) fault: Option<Fault>,
    pub(crate) default_export: Option<DefaultExport>,
    pub(crate) exports: bool,
    /// Where a statement ends that has no semicolon of its own; 0 if the present one has.
    pub(crate) open_end: u32,
}

/// Blanks the types of a parsed text. `base` counts the bytes before the source in `text`.
pub(crate) fn strip<'s>(
    text: &'s str,
    base: u32,
    source: &str,
    program: &Program<'_>,
) -> Result<Strip<'s>, Fault> {
    let mut strip = Strip {
        text,
        base,
        patch: Patch::new(source),
        fault: None,
        default_export: None,
        exports: false,
        open_end: 0,
    };
    strip.visit_program(program);
    match strip.fault.take() {
        Some(fault) => Err(fault),
        None => Ok(strip),
    }
}

impl Strip<'_> {
    pub(crate) fn at(&self, offset: u32) -> u32 {
        offset.saturating_sub(self.base)
    }

    pub(crate) fn blank(&mut self, start: u32, end: u32) {
        if start < end {
            self.patch.blank(self.at(start), self.at(end));
        }
    }

    pub(crate) fn put(&mut self, at: u32, byte: u8) {
        if at >= self.base {
            self.patch.put(self.at(at), byte);
        }
    }

    /// Blanks something a statement list or a class body can do without; the `;` keeps its neighbours apart.
    pub(crate) fn blank_whole(&mut self, span: Span) {
        self.blank(span.start, span.end);
        self.put(span.start, b';');
    }

    /// Blanks a type at the end of an expression.
    fn blank_tail(&mut self, start: u32, end: u32) {
        let start = trivia::skip(self.text, start, end);
        self.blank(start, end);
        if end == self.open_end {
            self.put(start, b';');
        }
    }

    /// Blanks one byte that follows `from` after spaces and comments.
    pub(crate) fn blank_byte(&mut self, from: u32, byte: u8) -> Option<u32> {
        let at = trivia::skip(self.text, from, self.text.len() as u32);
        (self.text.as_bytes().get(at as usize) == Some(&byte)).then(|| {
            self.blank(at, at + 1);
            at
        })
    }

    pub(crate) fn has_line_end(&self, start: u32, end: u32) -> bool {
        self.text
            .get(start as usize..end as usize)
            .is_some_and(|part| part.contains(['\n', '\u{2028}', '\u{2029}']))
    }

    pub(crate) fn refuse(&mut self, at: u32, message: &str, hint: &str) {
        if self.fault.is_none() {
            self.fault = Some(Fault::new(self.at(at), message).hint(hint));
        }
    }

    /// Visits with the end of an expression-ended statement known, if it lacks its semicolon.
    pub(crate) fn in_statement(&mut self, span: Span, visit: impl FnOnce(&mut Self)) {
        let closed = self
            .text
            .as_bytes()
            .get((span.end as usize).wrapping_sub(1))
            == Some(&b';');
        let outer = std::mem::replace(&mut self.open_end, if closed { 0 } else { span.end });
        visit(self);
        self.open_end = outer;
    }

    fn arrow_heads(&mut self, it: &ArrowFunctionExpression<'_>) {
        // No line may end between `async` or `return` and `(`, nor between `)` and `=>`.
        let params = it.params.span;
        if let Some(types) = &it.type_parameters
            && self.has_line_end(types.span.start, params.start)
        {
            self.blank(types.span.start, params.start + 1);
            self.put(types.span.start, b'(');
        }
        if let Some(result) = &it.return_type
            && self.has_line_end(params.end, result.span.end)
        {
            self.blank(params.end - 1, params.end);
            self.blank(result.span.start, result.span.end);
            self.put(result.span.end - 1, b')');
        }
    }
}

impl<'a> Visit<'a> for Strip<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        if let Some(declaration) = it.as_declaration()
            && self.type_only(declaration, it.span())
        {
            return;
        }
        match it {
            Statement::ExpressionStatement(_)
            | Statement::VariableDeclaration(_)
            | Statement::ReturnStatement(_)
            | Statement::ThrowStatement(_)
            | Statement::ExportDeclaration(_)
            | Statement::ExportDefaultDeclaration(_) => {
                self.in_statement(it.span(), |strip| walk::walk_statement(strip, it));
            }
            _ => self.in_statement(Span::new(0, 0), |strip| walk::walk_statement(strip, it)),
        }
    }

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.blank(it.span.start, it.span.end);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.blank(it.span.start, it.span.end);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.blank_tail(it.span.start, it.span.end);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_tail(it.expression.span().end, it.span.end);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_tail(it.expression.span().end, it.span.end);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        // Parentheses, since the operand may begin with `{` or stand on the line after `return`.
        let operand = it.expression.span();
        self.blank(it.span.start, operand.start);
        self.put(it.span.start, b'(');
        let end = self.at(operand.end);
        self.visit_expression(&it.expression);
        self.patch.insert(end, ")");
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank(it.span.end - 1, it.span.end);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.blank_byte(it.id.span().end, b'!');
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            self.refuse(
                it.span.start,
                "a TypeScript parameter property is not supported here",
                "Declare the field in the class and assign it in the constructor: `this.name = name`.",
            );
        }
        if it.optional {
            self.blank_byte(it.pattern.span().end, b'?');
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if let Some(this) = &it.this_param {
            let end = this
                .type_annotation
                .as_ref()
                .map_or(this.span.end, |t| t.span.end);
            self.blank(this.span.start, end.max(this.span.end));
            self.blank_byte(end.max(this.span.end), b',');
        }
        walk::walk_function(self, it, flags);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        walk::walk_arrow_function_expression(self, it);
        self.arrow_heads(it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.class_head(it);
        walk::walk_class(self, it);
    }

    fn visit_ts_class_implements(&mut self, _: &TSClassImplements<'a>) {}

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        self.method(it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        self.property(it);
    }

    fn visit_ts_index_signature(&mut self, it: &TSIndexSignature<'a>) {
        self.blank_whole(it.span);
    }

    fn visit_accessor_property(&mut self, it: &AccessorProperty<'a>) {
        let hint = "Write a plain field, or a `get` and a `set` method.";
        self.refuse(
            it.span.start,
            "an `accessor` field is not supported here",
            hint,
        );
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        let hint = "Call the function on the class or the value yourself.";
        self.refuse(
            it.span.start,
            "a TypeScript decorator is not supported here",
            hint,
        );
    }

    fn visit_module_declaration(&mut self, it: &ModuleDeclaration<'a>) {
        self.module_item(it);
    }
}

/// Whether a complaint got further into the text than another, so that it tells more.
pub(crate) fn further(one: Complaint, other: Complaint) -> Complaint {
    if other.at > one.at { other } else { one }
}
