//! Names JSX as the reason why a text cannot be parsed.

use oxc_allocator::Allocator;
use oxc_ast::ast::{JSXElement, JSXFragment};
use oxc_ast_visit::Visit;

use crate::{
    error::Fault,
    parse::{self, PREFIX_LEN, Reading},
};

/// Texts with more `<` than this are not looked at: nested elements are not part of the depth bound.
const MOST_ELEMENTS: usize = 60;

struct Search(Option<u32>);

impl<'a> Visit<'a> for Search {
    fn visit_jsx_element(&mut self, it: &JSXElement<'a>) {
        self.0.get_or_insert(it.span.start);
    }

    fn visit_jsx_fragment(&mut self, it: &JSXFragment<'a>) {
        self.0.get_or_insert(it.span.start);
    }
}

/// The fault, if the wrapped text parses with JSX and holds some.
pub(crate) fn find(allocator: &Allocator, text: &str) -> Option<Fault> {
    let count = text.bytes().filter(|byte| *byte == b'<').count();
    if !text.contains('>') || !(1..=MOST_ELEMENTS).contains(&count) {
        return None;
    }
    let program = parse::parse(allocator, text, Reading::Jsx).ok()?;
    let mut search = Search(None);
    search.visit_program(&program);
    let at = search.0?.saturating_sub(PREFIX_LEN);
    let is_around = text
        .get(PREFIX_LEN as usize..)
        .is_some_and(|source| at as usize == source.len() - source.trim_start().len());
    let hint = if is_around {
        "Send the program alone, without tags around it."
    } else {
        "Build a string or an object instead."
    };
    Some(Fault::new(at, "JSX is not supported here").hint(hint))
}
