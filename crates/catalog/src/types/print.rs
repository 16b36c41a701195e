//! The text of a type.

use std::collections::HashMap;

use super::hoist::refers;
use super::{Field, Node, Object, Rest, Type};
use crate::text::{comment, member};

/// Characters from which on an object or a union takes several lines.
const WIDTH: usize = 100;
/// Longest union of field types that an index signature repeats.
const INDEX_WIDTH: usize = 80;

pub(super) struct Printer<'a> {
    /// The name of each definition; none for one that is printed in place.
    pub(super) names: &'a [Option<String>],
    pub(super) in_place: &'a HashMap<usize, Node>,
    pub(super) max_doc: usize,
}

/// How tightly a text binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Union,
    Intersection,
    Atom,
}

struct Text(String, Level);

impl Text {
    fn atom(text: impl Into<String>) -> Self {
        Self(text.into(), Level::Atom)
    }

    /// In parentheses where it binds less tightly than asked.
    fn at_least(self, level: Level, indent: usize) -> String {
        match self {
            Self(text, own) if own >= level => text,
            Self(text, _) if text.starts_with('\n') => format!("({text}\n{})", " ".repeat(indent)),
            Self(text, _) => format!("({text})"),
        }
    }
}

/// A member of an object type. The comment is one line without any line end.
struct Member {
    code: String,
    about: String,
}

impl Member {
    fn leading(&self) -> String {
        if self.about.is_empty() {
            return self.code.clone();
        }
        format!("/** {} */ {}", self.about, self.code)
    }

    /// As a line of its own: a comment at the end costs the model one token less.
    fn line(&self) -> String {
        if self.about.is_empty() || self.code.contains('\n') {
            return self.leading();
        }
        format!("{} // {}", self.code, self.about)
    }
}

impl Printer<'_> {
    /// The type with its comment before it. `indent`: levels of the line it stands on.
    pub(super) fn text(&self, node: &Node, indent: usize) -> String {
        self.node(node, indent).0
    }

    fn node(&self, node: &Node, indent: usize) -> Text {
        let node = self.seen_through(node);
        let Text(text, level) = self.ty(&node.ty, indent);
        let about = self.about(node);
        if about.is_empty() {
            Text(text, level)
        } else {
            Text(format!("/* {about} */ {text}"), level)
        }
    }

    /// A definition that is printed in place brings its own comment along.
    fn seen_through<'n>(&'n self, node: &'n Node) -> &'n Node {
        match node.ty {
            Type::Named(index, _) if node.is_bare() => self.in_place.get(&index).unwrap_or(node),
            _ => node,
        }
    }

    fn about(&self, node: &Node) -> String {
        let doc = node
            .doc
            .as_deref()
            .map(|doc| comment(doc, self.max_doc))
            .unwrap_or_default();
        let notes = comment(&node.notes.join(", "), self.max_doc);
        match (doc.is_empty(), notes.is_empty()) {
            (_, true) => doc,
            (true, false) => notes,
            (false, false) => format!("{doc} ({notes})"),
        }
    }

    fn ty(&self, ty: &Type, indent: usize) -> Text {
        match ty {
            Type::Unknown => Text::atom("unknown"),
            Type::Never => Text::atom("never"),
            Type::Word(word) => Text::atom(word.text()),
            Type::Literal(text, _) => Text::atom(text.as_str()),
            Type::Array(items) => self.array(items, indent),
            Type::Tuple(items, least, rest) => self.tuple(items, *least, rest.as_deref(), indent),
            Type::Object(object) => self.object(object, indent),
            Type::Union(members) => self.union(members, indent),
            Type::Intersection(parts) => {
                let parts: Vec<String> = parts
                    .iter()
                    .map(|part| self.ty(part, indent).at_least(Level::Intersection, indent))
                    .collect();
                Text(parts.join(" & "), Level::Intersection)
            }
            Type::Named(index, _) => match self.names.get(*index) {
                Some(Some(name)) => Text::atom(name.as_str()),
                _ => match self.in_place.get(index) {
                    Some(node) => self.node(node, indent),
                    None => Text::atom("unknown"),
                },
            },
        }
    }

    fn array(&self, items: &Node, indent: usize) -> Text {
        let text = self.node(items, indent);
        if text.0.starts_with("/*") {
            return Text::atom(format!("({})[]", text.0));
        }
        Text::atom(format!("{}[]", text.at_least(Level::Atom, indent)))
    }

    fn tuple(&self, items: &[Node], least: usize, rest: Option<&Node>, indent: usize) -> Text {
        let mut parts: Vec<String> = Vec::with_capacity(items.len() + 1);
        for (index, item) in items.iter().enumerate() {
            let text = self.node(item, indent);
            parts.push(if index < least {
                text.0
            } else {
                let commented = text.0.starts_with("/*");
                let text = text.at_least(Level::Atom, indent);
                if commented && !text.starts_with('(') {
                    format!("({text})?")
                } else {
                    format!("{text}?")
                }
            });
        }
        if let Some(rest) = rest {
            parts.push(format!("...{}", self.array(rest, indent).0));
        }
        Text::atom(format!("[{}]", parts.join(", ")))
    }

    fn union(&self, members: &[Node], indent: usize) -> Text {
        let is_flat =
            |m: &&Node| matches!(m.ty, Type::Word(_) | Type::Literal(..) | Type::Named(..));
        let shapes = members.len() - members.iter().filter(is_flat).count();
        let below = indent + usize::from(shapes > 1);
        let texts: Vec<String> = members
            .iter()
            .map(|member| {
                self.node(member, below)
                    .at_least(Level::Intersection, below)
            })
            .collect();
        let length: usize = texts.iter().map(|t| t.len() + 3).sum();
        let is_tall = length > WIDTH || texts.iter().any(|t| t.contains('\n'));
        if shapes > 1 && is_tall {
            let pad = " ".repeat(indent + 1);
            let lines: Vec<String> = texts.iter().map(|t| format!("\n{pad}| {t}")).collect();
            return Text(lines.concat(), Level::Union);
        }
        Text(texts.join(" | "), Level::Union)
    }

    fn object(&self, object: &Object, indent: usize) -> Text {
        if object.fields.is_empty() {
            match &object.rest {
                Rest::Unsaid => return Text::atom("Record<string, unknown>"),
                Rest::Closed | Rest::Empty => return Text::atom("Record<string, never>"),
                Rest::Typed(rest) => {
                    if let [(None, node)] = rest.as_slice()
                        // a type may contain itself below an index signature, not below `Record`
                        && !refers(node)
                    {
                        return Text::atom(format!("Record<string, {}>", self.text(node, indent)));
                    }
                }
            }
        }
        let mut members: Vec<Member> = object
            .fields
            .iter()
            .map(|field| self.field(field, indent + 1))
            .collect();
        if let Rest::Typed(rest) = &object.rest {
            let signatures = self.index_signatures(object, rest, indent + 1);
            members.extend(signatures.into_iter().map(|code| Member {
                code,
                about: String::new(),
            }));
        }
        let length: usize = members
            .iter()
            .map(|m| m.code.len() + m.about.len() + 2)
            .sum();
        let is_commented = members.iter().any(|m| !m.about.is_empty());
        let is_tall = length > WIDTH
            || (is_commented && (members.len() > 1 || length > WIDTH * 3 / 4))
            || members.iter().any(|m| m.code.contains('\n'));
        if is_tall {
            let pad = " ".repeat(indent + 1);
            let lines: Vec<String> = members
                .iter()
                .map(|m| format!("{pad}{}\n", m.line()))
                .collect();
            return Text::atom(format!("{{\n{}{}}}", lines.concat(), " ".repeat(indent)));
        }
        let members: Vec<String> = members.iter().map(Member::leading).collect();
        Text::atom(format!("{{ {} }}", members.join("; ")))
    }

    fn field(&self, field: &Field, indent: usize) -> Member {
        let node = self.seen_through(&field.node);
        let about = self.about(node);
        let text = self.ty(&node.ty, indent).0;
        let name = member(&field.name);
        let mark = if field.optional { "?" } else { "" };
        let gap = if text.starts_with('\n') { "" } else { " " };
        Member {
            code: format!("{name}{mark}:{gap}{text}"),
            about,
        }
    }

    /// The other keys. TypeScript wants every field to fit the index signature, so its type takes
    /// the fields in; where that is too long it is `unknown`, and a comment says the rest.
    fn index_signatures(
        &self,
        object: &Object,
        rest: &[(Option<String>, Node)],
        indent: usize,
    ) -> Vec<String> {
        if let Some(lines) = self.by_prefix(object, rest, indent) {
            return lines;
        }
        let mut types: Vec<String> = Vec::new();
        let fields = object
            .fields
            .iter()
            .take(INDEX_WIDTH)
            .map(|field| self.seen_through(&field.node));
        for node in rest.iter().map(|(_, node)| node).chain(fields) {
            let text = self
                .ty(&node.ty, indent)
                .at_least(Level::Intersection, indent);
            if !types.contains(&text) {
                types.push(text);
            }
        }
        if object.fields.iter().any(|field| field.optional) {
            types.push("undefined".to_owned());
        }
        let joined = types.join(" | ");
        let is_long = joined.len() > INDEX_WIDTH || joined.contains('\n');
        let is_open = types.iter().any(|text| text == "unknown")
            || (!object.fields.is_empty() && (is_long || object.fields.len() >= INDEX_WIDTH));
        let text = if is_open { "unknown" } else { &joined };
        let is_plain =
            |(pattern, node): &(Option<String>, Node)| pattern.is_none() && node.is_bare();
        let says_all = types.len() == 1 || rest.iter().all(|(_, node)| node.ty == Type::Unknown);
        if says_all && rest.iter().all(is_plain) {
            return vec![format!("[key: string]: {text}")];
        }
        let about: Vec<String> = rest
            .iter()
            .map(|(pattern, node)| self.key(pattern.as_deref(), node))
            .collect();
        let about = comment(&about.join(", "), self.max_doc);
        vec![format!("/* {about} */ [key: string]: {text}")]
    }

    /// Signatures for keys that begin with a text, where every key falls under one of them at most.
    fn by_prefix(
        &self,
        object: &Object,
        rest: &[(Option<String>, Node)],
        indent: usize,
    ) -> Option<Vec<String>> {
        let prefixes: Vec<String> = rest
            .iter()
            .map(|(pattern, _)| literal_prefix(pattern.as_deref()?))
            .collect::<Option<_>>()?;
        let lines = prefixes.iter().zip(rest).map(|(prefix, (_, node))| {
            let text = self.text(node, indent);
            let gap = if text.starts_with('\n') { "" } else { " " };
            format!("[key: `{prefix}${{string}}`]:{gap}{text}")
        });
        disjoint(&prefixes, object).then(|| lines.collect())
    }

    fn key(&self, pattern: Option<&str>, node: &Node) -> String {
        let text = self.ty(&node.ty, 0).0.replace("/*", "").replace("*/", "");
        let text = text.trim_start_matches(['\n', ' ', '|']);
        let about = self.about(node);
        let keys = match pattern {
            Some(pattern) => format!("keys /{pattern}/: {text}"),
            None => format!("other keys: {text}"),
        };
        if about.is_empty() {
            keys
        } else {
            format!("{keys} {about}")
        }
    }
}

/// The text every key begins with, where that is all an expression asks.
fn literal_prefix(pattern: &str) -> Option<String> {
    let text = pattern.strip_prefix('^')?;
    let text = text
        .strip_suffix(".*$")
        .or(text.strip_suffix(".*"))
        .unwrap_or(text);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '/' | '@' | ' ');
    (!text.is_empty() && text.chars().all(plain)).then(|| text.to_owned())
}

/// Whether each key falls under one signature only, and no field under any.
fn disjoint(prefixes: &[String], object: &Object) -> bool {
    prefixes.len() <= 16
        && prefixes.iter().enumerate().all(|(i, a)| {
            prefixes
                .iter()
                .skip(i + 1)
                .all(|b| !a.starts_with(b.as_str()) && !b.starts_with(a.as_str()))
                && object
                    .fields
                    .iter()
                    .all(|f| !f.name.starts_with(a.as_str()))
        })
}
