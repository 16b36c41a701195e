//! One walk over the parsed program: which tools it names, what it must not contain, whether it gives a value.

use oxc_ast::ast::{
    AccessorProperty, ArrowFunctionExpression, AwaitExpression, BinaryExpression,
    BindingIdentifier, BindingPattern, Class, ComputedMemberExpression, Decorator, Expression,
    ForOfStatement, FormalParameters, Function, FunctionBody, IdentifierReference,
    ImportExpression, ImportMeta, LabelIdentifier, MethodDefinition, ModuleDeclaration,
    PropertyDefinition, PropertyDefinitionType, RegExpLiteral, ReturnStatement, StaticBlock,
    StaticMemberExpression, StringLiteral, TaggedTemplateExpression, TemplateElement,
    VariableDeclarator, YieldExpression,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::{operator::BinaryOperator, scope::ScopeFlags};

use crate::{
    error::Fault,
    fence::{FENCE_HINT, FENCE_MESSAGE},
    strip_module::{IMPORT_HINT, IMPORT_MESSAGE},
};

/// What the walk found. Offsets count in the parsed text.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "findings that have nothing to do with each other"
)]
pub(crate) struct Facts {
    pub(crate) tools: Vec<String>,
    /// Some `return value` of the program itself, not of a function in it.
    pub(crate) returns: bool,
    /// Something that shows output without a return: the console, or a helper.
    pub(crate) shows: bool,
    /// Comparisons that TypeScript reads as type arguments, or modifiers that the parser accepts in JavaScript too.
    pub(crate) maybe_types: bool,
    /// It has `import` or `export` declarations.
    pub(crate) is_module: bool,
    /// Spans of strings and template parts; collected when asked for.
    pub(crate) literals: Vec<Span>,
    pub(crate) fault: Option<(u32, Fault)>,
}

/// Names that make output visible without a returned value.
const SHOWING: [&str; 5] = ["console", "text", "finish", "exit", "store"];
/// Type names that no program uses as variables without declaring them.
const TYPE_NAMES: [&str; 10] = [
    "string",
    "number",
    "boolean",
    "any",
    "unknown",
    "never",
    "object",
    "bigint",
    "symbol",
    "undefined",
];

struct Walk {
    facts: Facts,
    /// Function nesting inside the program.
    depth: u32,
    /// Whether `await` and `yield` may suspend here: not in parameters, class fields and static blocks.
    may_suspend: bool,
    collect_literals: bool,
}

/// Looks at the body of the wrapper.
pub(crate) fn gather(body: &FunctionBody<'_>, collect_literals: bool) -> Facts {
    let mut walk = Walk {
        facts: Facts::default(),
        depth: 0,
        may_suspend: true,
        collect_literals,
    };
    walk.visit_function_body(body);
    walk.facts
}

impl Walk {
    fn refuse(&mut self, at: u32, message: &str, hint: &str) {
        if self.facts.fault.is_none() {
            self.facts.fault = Some((at, Fault::new(0, message).hint(hint)));
        }
    }

    fn tool(&mut self, name: &str) {
        if !self.facts.tools.iter().any(|known| known == name) {
            self.facts.tools.push(name.to_owned());
        }
    }

    fn name(&mut self, name: &str, at: u32) {
        if matches!(name, "await" | "yield") {
            let message = format!("`{name}` cannot be used as a name here");
            let hint = "`await` works at the top of the program and in `async` functions; `yield` in `function*`.";
            self.refuse(at, &message, hint);
        }
    }

    fn suspends(&mut self, word: &str, at: u32) {
        if !self.may_suspend {
            let message =
                format!("`{word}` cannot stand in a parameter, a class field or a static block");
            self.refuse(
                at,
                &message,
                "Compute the value before and use its name there.",
            );
        }
    }

    fn within(&mut self, may_suspend: bool, deeper: bool, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.may_suspend, may_suspend);
        self.depth += u32::from(deeper);
        visit(self);
        self.depth -= u32::from(deeper);
        self.may_suspend = outer;
    }

    fn literal(&mut self, span: Span) {
        if self.collect_literals {
            self.facts.literals.push(span);
        }
    }
}

/// `tools.name`, `tools["name"]`: the name.
pub(crate) fn tool_name<'e>(it: &'e Expression<'_>) -> Option<&'e str> {
    match it.without_parentheses() {
        Expression::StaticMemberExpression(member) if is_tools(&member.object) => {
            Some(member.property.name.as_str())
        }
        Expression::ComputedMemberExpression(member) if is_tools(&member.object) => {
            literal_text(&member.expression)
        }
        _ => None,
    }
}

pub(crate) fn is_tools(it: &Expression<'_>) -> bool {
    matches!(it.without_parentheses(), Expression::Identifier(name) if name.name == "tools")
}

pub(crate) fn literal_text<'e>(it: &'e Expression<'_>) -> Option<&'e str> {
    match it.without_parentheses() {
        Expression::StringLiteral(text) => Some(text.value.as_str()),
        Expression::TemplateLiteral(text) if text.expressions.is_empty() => text
            .quasis
            .first()?
            .value
            .cooked
            .as_ref()
            .map(oxc_ast::ast::Str::as_str),
        _ => None,
    }
}

/// Whether the right side of a `<` can only be meant as a type.
fn is_type_like(it: &Expression<'_>) -> bool {
    match it {
        Expression::Identifier(name) => TYPE_NAMES.contains(&name.name.as_str()),
        Expression::ObjectExpression(_) | Expression::ArrayExpression(_) => true,
        // `new Set<Array<number>>(x)`
        Expression::BinaryExpression(shift) => {
            shift.operator == BinaryOperator::ShiftRight
                && matches!(shift.right, Expression::ParenthesizedExpression(_))
                && matches!(&shift.left, Expression::Identifier(_))
        }
        _ => false,
    }
}

/// `a < Name > (b)`: nobody compares like this; TypeScript reads a call with type arguments.
fn is_generic_call(it: &BinaryExpression<'_>) -> bool {
    let Expression::BinaryExpression(left) = &it.left else {
        return false;
    };
    let Expression::Identifier(name) = &left.right else {
        return false;
    };
    left.operator == BinaryOperator::LessThan
        && name.name.starts_with(|c: char| c.is_ascii_uppercase())
        && matches!(
            it.right,
            Expression::ParenthesizedExpression(_) | Expression::TemplateLiteral(_)
        )
}

impl<'a> Visit<'a> for Walk {
    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.within(true, true, |walk| walk::walk_function(walk, it, flags));
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.within(true, true, |walk| {
            walk::walk_arrow_function_expression(walk, it);
        });
    }

    fn visit_formal_parameters(&mut self, it: &FormalParameters<'a>) {
        self.within(false, false, |walk| walk::walk_formal_parameters(walk, it));
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        self.facts.maybe_types |= it.readonly
            || it.declare
            || it.r#override
            || it.optional
            || it.definite
            || it.accessibility.is_some()
            || it.type_annotation.is_some()
            || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition;
        self.visit_decorators(&it.decorators);
        self.visit_property_key(&it.key);
        if let Some(value) = &it.value {
            self.within(false, true, |walk| walk.visit_expression(value));
        }
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        self.facts.maybe_types |=
            it.r#override || it.optional || it.accessibility.is_some() || it.value.body.is_none();
        walk::walk_method_definition(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.facts.maybe_types |= it.r#abstract || it.declare || !it.implements.is_empty();
        walk::walk_class(self, it);
    }

    fn visit_static_block(&mut self, it: &StaticBlock<'a>) {
        self.within(false, true, |walk| walk::walk_static_block(walk, it));
    }

    fn visit_accessor_property(&mut self, it: &AccessorProperty<'a>) {
        self.refuse(
            it.span.start,
            "an `accessor` field is not supported here",
            "Write a plain field, or a `get` and a `set` method.",
        );
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.refuse(
            it.span.start,
            "a decorator is not supported here",
            "Call the function on the class or the value yourself.",
        );
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.name(&it.name, it.span.start);
        self.facts.shows |= SHOWING.contains(&it.name.as_str());
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.name(&it.name, it.span.start);
    }

    fn visit_label_identifier(&mut self, it: &LabelIdentifier<'a>) {
        self.name(&it.name, it.span.start);
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        self.suspends("await", it.span.start);
        walk::walk_await_expression(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        if it.r#await {
            self.suspends("await", it.span.start);
        }
        walk::walk_for_of_statement(self, it);
    }

    fn visit_yield_expression(&mut self, it: &YieldExpression<'a>) {
        self.suspends("yield", it.span.start);
        walk::walk_yield_expression(self, it);
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        self.facts.returns |= self.depth == 0 && it.argument.is_some();
        walk::walk_return_statement(self, it);
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        if is_tools(&it.object) {
            self.tool(&it.property.name);
        }
        walk::walk_static_member_expression(self, it);
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        if is_tools(&it.object)
            && let Some(name) = literal_text(&it.expression)
        {
            self.tool(name);
        }
        walk::walk_computed_member_expression(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if let (BindingPattern::ObjectPattern(pattern), Some(init)) = (&it.id, &it.init)
            && is_tools(init)
        {
            for name in pattern
                .properties
                .iter()
                .filter_map(|one| one.key.static_name())
            {
                self.tool(&name);
            }
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        self.facts.maybe_types |= (it.operator == BinaryOperator::LessThan
            && is_type_like(&it.right))
            || (it.operator == BinaryOperator::GreaterThan && is_generic_call(it));
        walk::walk_binary_expression(self, it);
    }

    fn visit_module_declaration(&mut self, it: &ModuleDeclaration<'a>) {
        self.facts.is_module = true;
        walk::walk_module_declaration(self, it);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        self.refuse(it.span.start, IMPORT_MESSAGE, IMPORT_HINT);
    }

    fn visit_import_meta(&mut self, it: &ImportMeta) {
        self.refuse(
            it.span.start,
            "`import.meta` is not available here",
            IMPORT_HINT,
        );
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        // A template as the tag can only throw; it is what a fence of three backticks parses as.
        if let Expression::TemplateLiteral(tag) = it.tag.without_parentheses() {
            self.refuse(tag.span().start, FENCE_MESSAGE, FENCE_HINT);
        }
        walk::walk_tagged_template_expression(self, it);
    }

    fn visit_string_literal(&mut self, it: &StringLiteral<'a>) {
        self.literal(it.span);
    }

    fn visit_template_element(&mut self, it: &TemplateElement<'a>) {
        self.literal(it.span);
    }

    fn visit_reg_exp_literal(&mut self, it: &RegExpLiteral<'a>) {
        self.literal(it.span);
    }
}
