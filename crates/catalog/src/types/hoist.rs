//! Which definitions get a name of their own, and which name.
//!
//! A definition that contains itself or is used more than once is declared once; tools that share
//! a definition share its name. Where two differ under one name, the later takes its tool's name in
//! front, then a number.

use std::collections::{HashMap, HashSet};

use super::build::Builder;
use super::combine::kinds;
use super::print::Printer;
use super::{Kinds, Node, Object, Type};
use crate::limits::{MAX_DESCRIPTION_CHARS, MAX_TYPE_BYTES};
use crate::schema::{Broken, Schema};
use crate::text::pascal;

/// Longest text that is repeated rather than named.
const SHORT: usize = 40;

/// Rounds of renaming after which the rest gets numbers at once.
const ROUNDS: usize = 4;

/// Type names that mean something else in the declarations or to a reader of TypeScript.
const RESERVED: &[&str] = &[
    "Array",
    "Awaited",
    "BigInt",
    "Boolean",
    "Date",
    "Error",
    "Exclude",
    "Extract",
    "Function",
    "Infinity",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "NonNullable",
    "Number",
    "Object",
    "Omit",
    "Parameters",
    "Partial",
    "Pick",
    "Promise",
    "Proxy",
    "Readonly",
    "ReadonlyArray",
    "Record",
    "RegExp",
    "Required",
    "ReturnType",
    "Set",
    "String",
    "Symbol",
    "Tools",
    "WeakMap",
    "WeakSet",
];

/// The name of each definition of a schema, by index; none where it is printed in place.
pub(crate) type Names = Vec<Option<String>>;

/// Which half of a tool a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Input,
    Output,
}

/// The declared types of all tools.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    /// `type Name = …` lines, in the order of their tools.
    pub(crate) declarations: Vec<String>,
    indices: HashMap<String, usize>,
}

/// A type in text.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) text: String,
    /// Indices of the declarations it needs.
    pub(crate) needs: Vec<usize>,
    pub(crate) names: Names,
    /// Whether `{}` is such a value, so that the argument may be left out.
    pub(crate) takes_empty: bool,
    /// Whether every such value is an object.
    pub(crate) is_object: bool,
}

struct Tree {
    root: Node,
    named: Vec<(usize, Node)>,
    in_place: HashMap<usize, Node>,
}

impl Tree {
    fn of(schema: &Schema) -> Self {
        let mut builder = Builder::new(schema);
        let root = builder.root();
        let mut named = Vec::new();
        while let Some(index) = builder.named.get(named.len()).copied() {
            let node = builder.definition(index);
            named.push((index, node));
        }
        Self {
            root,
            named,
            in_place: HashMap::new(),
        }
    }

    /// Takes the definitions out that are shorter than their name would be worth.
    fn settle(&mut self, schema: &Schema) {
        let printer = Printer {
            names: &[],
            in_place: &HashMap::new(),
            max_doc: MAX_DESCRIPTION_CHARS,
        };
        let short = |(index, node): &mut (usize, Node)| {
            let recursive = schema.recursive.get(*index).copied().unwrap_or(true);
            !recursive && !refers(node) && {
                let text = printer.text(node, 0);
                text.len() <= SHORT && !text.contains('\n')
            }
        };
        self.in_place = self.named.extract_if(.., short).collect();
    }

    fn printer<'a>(&'a self, names: &'a Names, max_doc: usize) -> Printer<'a> {
        Printer {
            names,
            in_place: &self.in_place,
            max_doc,
        }
    }

    fn declarations(&self, names: &Names, max_doc: usize) -> Vec<(String, String)> {
        let printer = self.printer(names, max_doc);
        let declare = |(index, node): &(usize, Node)| {
            let name = names.get(*index).cloned().flatten().unwrap_or_default();
            let text = printer.text(node, 0);
            let gap = if text.starts_with('\n') { "" } else { " " };
            (name.clone(), format!("type {name} ={gap}{text}"))
        };
        self.named.iter().map(declare).collect()
    }

    fn resolve(&self, index: usize) -> Option<&Type> {
        let named = self
            .named
            .iter()
            .find(|(i, _)| *i == index)
            .map(|(_, node)| node);
        named
            .or_else(|| self.in_place.get(&index))
            .map(|node| &node.ty)
    }

    fn takes_empty(&self, ty: &Type) -> bool {
        match ty {
            Type::Unknown => true,
            Type::Object(Object { fields, .. }) => fields.iter().all(|f| f.optional),
            Type::Union(members) => members.iter().any(|m| self.takes_empty(&m.ty)),
            Type::Intersection(parts) => parts.iter().all(|p| self.takes_empty(p)),
            Type::Named(index, _) => self.resolve(*index).is_some_and(|ty| self.takes_empty(ty)),
            _ => false,
        }
    }

    fn is_object(&self, ty: &Type) -> bool {
        match ty {
            Type::Union(members) => members.iter().all(|m| self.is_object(&m.ty)),
            Type::Intersection(parts) => parts.iter().any(|p| self.is_object(p)),
            Type::Named(index, _) => self.resolve(*index).is_some_and(|ty| self.is_object(ty)),
            other => *other != Type::Never && kinds(other).within(Kinds::OBJECT),
        }
    }
}

/// Whether a type mentions a definition.
pub(super) fn refers(node: &Node) -> bool {
    mentions(&node.ty)
}

fn mentions(ty: &Type) -> bool {
    match ty {
        Type::Named(..) => true,
        Type::Array(items) => refers(items),
        Type::Tuple(items, _, rest) => items.iter().chain(rest.as_deref()).any(refers),
        Type::Union(members) => members.iter().any(refers),
        Type::Intersection(parts) => parts.iter().any(mentions),
        Type::Object(object) => {
            object.fields.iter().any(|f| refers(&f.node))
                || matches!(&object.rest, super::Rest::Typed(r) if r.iter().any(|(_, n)| refers(n)))
        }
        _ => false,
    }
}

impl Registry {
    /// Prints a schema's type and declares what it needs.
    pub(crate) fn print(
        &mut self,
        schema: &Schema,
        tool: &str,
        side: Side,
    ) -> Result<Printed, Broken> {
        let mut tree = Tree::of(schema);
        tree.settle(schema);
        let (names, declared) = self.name(schema, &tree, tool, side);
        let text = tree
            .printer(&names, MAX_DESCRIPTION_CHARS)
            .text(&tree.root, 1);
        if text.len() + declared.iter().map(|(_, t)| t.len()).sum::<usize>() > MAX_TYPE_BYTES {
            return Err(Broken(format!(
                "its type is longer than {MAX_TYPE_BYTES} bytes"
            )));
        }
        let needs = declared
            .into_iter()
            .map(|(name, text)| self.declare(name, text))
            .collect();
        let takes_empty = tree.takes_empty(&tree.root.ty);
        let is_object = tree.is_object(&tree.root.ty);
        Ok(Printed {
            text,
            needs,
            names,
            takes_empty,
            is_object,
        })
    }

    fn declare(&mut self, name: String, text: String) -> usize {
        *self.indices.entry(name).or_insert_with(|| {
            self.declarations.push(text);
            self.declarations.len() - 1
        })
    }

    /// Whether the name already stands for another type.
    fn differs(&self, name: &str, text: &str) -> bool {
        let known = self
            .indices
            .get(name)
            .and_then(|i| self.declarations.get(*i));
        known.is_some_and(|known| known != text)
    }

    fn name(
        &self,
        schema: &Schema,
        tree: &Tree,
        tool: &str,
        side: Side,
    ) -> (Names, Vec<(String, String)>) {
        let mut names: Names = vec![None; schema.definitions.len()];
        let mut stages = vec![0; tree.named.len()];
        let mut taken: HashSet<String> = HashSet::new();
        for (index, _) in &tree.named {
            let name = self.candidate(schema, *index, tool, side, 0, &taken);
            taken.insert(name.clone());
            set(&mut names, *index, name);
        }
        for round in 0.. {
            let declared = tree.declarations(&names, MAX_DESCRIPTION_CHARS);
            let mut renamed = false;
            for ((stage, (index, _)), (name, text)) in
                stages.iter_mut().zip(&tree.named).zip(&declared)
            {
                let late = round >= ROUNDS && self.indices.contains_key(name);
                if *stage < 2 && (late || self.differs(name, text)) {
                    *stage = if round >= ROUNDS { 2 } else { *stage + 1 };
                    let name = self.candidate(schema, *index, tool, side, *stage, &taken);
                    taken.insert(name.clone());
                    set(&mut names, *index, name);
                    renamed = true;
                }
            }
            if !renamed {
                return (names, declared);
            }
        }
        (names, Vec::new())
    }

    /// Stage 0: the author's name. 1: with the tool's name in front. 2: numbered, never used before.
    fn candidate(
        &self,
        schema: &Schema,
        index: usize,
        tool: &str,
        side: Side,
        stage: u8,
        taken: &HashSet<String>,
    ) -> String {
        let hint = schema
            .definitions
            .get(index)
            .map_or("", |d| d.hint.as_str());
        let base = match (hint.is_empty(), side) {
            (false, _) => pascal(hint),
            (true, Side::Input) => format!("{}Input", pascal(tool)),
            (true, Side::Output) => format!("{}Output", pascal(tool)),
        };
        let mut name = if stage == 0 || hint.is_empty() {
            base
        } else {
            format!("{}{base}", pascal(tool))
        };
        if RESERVED.contains(&name.as_str()) {
            name.push_str("Type");
        }
        let fresh =
            |name: &str| !taken.contains(name) && (stage < 2 || !self.indices.contains_key(name));
        if fresh(&name) {
            return name;
        }
        let mut number = taken.len().max(2);
        loop {
            let numbered = format!("{name}{number}");
            if fresh(&numbered) {
                return numbered;
            }
            number += 1;
        }
    }
}

fn set(names: &mut Names, index: usize, name: String) {
    if let Some(slot) = names.get_mut(index) {
        *slot = Some(name);
    }
}

/// A schema's type and declarations again, under the names it has, with descriptions in full.
pub(crate) fn in_full(schema: &Schema, names: &Names, max_doc: usize) -> (String, Vec<String>) {
    let mut tree = Tree::of(schema);
    let is_named = |index: usize| matches!(names.get(index), Some(Some(_)));
    tree.in_place = tree
        .named
        .extract_if(.., |(index, _)| !is_named(*index))
        .collect();
    let declared = tree
        .declarations(names, max_doc)
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    (tree.printer(names, max_doc).text(&tree.root, 1), declared)
}
