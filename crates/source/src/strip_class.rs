//! Class parts of the type stripper.

use oxc_ast::ast::{
    Class, MethodDefinition, PropertyDefinition, PropertyDefinitionType, PropertyKey,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

use crate::{strip::Strip, trivia};

const MODIFIERS: [&str; 6] = [
    "public",
    "private",
    "protected",
    "readonly",
    "override",
    "declare",
];

impl<'a> Strip<'_> {
    pub(crate) fn class_head(&mut self, it: &Class<'a>) {
        if it.r#abstract {
            let end = it.span.start + "abstract".len() as u32;
            self.blank(it.span.start, end);
        }
        if let (Some(first), Some(last)) = (it.implements.first(), it.implements.last()) {
            let after = |end: Option<u32>| end.unwrap_or(it.span.start);
            let from = after(it.id.as_ref().map(|id| id.span.end))
                .max(after(
                    it.type_parameters.as_ref().map(|types| types.span.end),
                ))
                .max(after(it.heritage.as_ref().map(|base| {
                    let types = base.type_arguments.as_ref().map(|types| types.span.end);
                    types.unwrap_or(base.expression.span().end)
                })));
            let keyword = trivia::find_word(self.text, from, first.span.start, "implements");
            self.blank(keyword.unwrap_or(first.span.start), last.span.end);
        }
    }

    /// Blanks the type-only words before a member's name. A `;` stands in for the first word of the member:
    /// what follows could otherwise continue the member before.
    fn modifiers(&mut self, member: Span, key: u32) {
        for (start, end) in trivia::words(self.text, member.start, key) {
            let word = self
                .text
                .get(start as usize..end as usize)
                .unwrap_or_default();
            if MODIFIERS.contains(&word) {
                self.blank(start, end);
                if start == member.start {
                    self.put(start, b';');
                }
            }
        }
    }

    /// Where the name of a member ends, the bracket of a computed one included.
    fn key_end(&self, key: &PropertyKey<'_>, computed: bool) -> u32 {
        let end = key.span().end;
        if !computed {
            return end;
        }
        trivia::skip(self.text, end, self.text.len() as u32) + 1
    }

    pub(crate) fn method(&mut self, it: &MethodDefinition<'a>) {
        if it.value.body.is_none() {
            self.blank_whole(it.span);
            return;
        }
        for decorator in &it.decorators {
            self.visit_decorator(decorator);
        }
        self.modifiers(it.span, it.key.span().start);
        if it.optional {
            self.blank_byte(self.key_end(&it.key, it.computed), b'?');
        }
        self.visit_property_key(&it.key);
        self.visit_function(&it.value, ScopeFlags::Function);
    }

    pub(crate) fn property(&mut self, it: &PropertyDefinition<'a>) {
        if it.declare || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition {
            self.blank_whole(it.span);
            return;
        }
        let mut blanked = it.type_annotation.as_ref().map(|types| types.span.start);
        self.modifiers(it.span, it.key.span().start);
        let name_end = self.key_end(&it.key, it.computed);
        if it.optional {
            blanked = self.blank_byte(name_end, b'?').or(blanked);
        } else if it.definite {
            blanked = self.blank_byte(name_end, b'!').or(blanked);
        }
        self.in_statement(it.span, |strip| walk::walk_property_definition(strip, it));
        // A field called `get` or `static` must not become the modifier of the next member.
        if it.value.is_none()
            && let Some(at) = blanked
        {
            self.put(at, b';');
        }
    }
}
