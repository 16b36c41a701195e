//! Unions and intersections in their simplest form.

use std::collections::{HashMap, HashSet};

use super::{Field, Kinds, Node, Object, Rest, Type, Word};

/// Longest union whose objects are compared with each other.
const COMPARED: usize = 16;

/// The kinds of values a type may have.
pub(super) fn kinds(ty: &Type) -> Kinds {
    match ty {
        Type::Unknown => Kinds::ALL,
        Type::Never => Kinds::NONE,
        Type::Word(word) => word.kinds(),
        Type::Literal(_, kinds) | Type::Named(_, kinds) => *kinds,
        Type::Array(_) | Type::Tuple(..) => Kinds::ARRAY,
        Type::Object(_) => Kinds::OBJECT,
        Type::Union(members) => members.iter().fold(Kinds::NONE, |k, m| k.or(kinds(&m.ty))),
        Type::Intersection(parts) => parts.iter().fold(Kinds::ALL, |k, p| k.and(kinds(p))),
    }
}

/// Any one of the members. `null` comes last, where a reader looks for it.
pub(super) fn union(members: Vec<Node>) -> Node {
    let mut flat: Vec<Node> = Vec::with_capacity(members.len());
    for member in members {
        match member {
            Node {
                ty: Type::Union(inner),
                doc: None,
                notes,
            } if notes.is_empty() => {
                flat.extend(inner);
            }
            Node {
                ty: Type::Never, ..
            } => {}
            other => flat.push(other),
        }
    }
    if flat.len() > 1 && flat.iter().any(|m| m.ty == Type::Unknown) {
        return Node::default();
    }
    dedupe(&mut flat);
    booleans(&mut flat);
    let (null, mut rest): (Vec<Node>, Vec<Node>) = flat
        .into_iter()
        .partition(|m| m.ty == Type::Word(Word::Null));
    rest.extend(null);
    match rest.len() {
        0 => Type::Never.into(),
        1 => rest.pop().unwrap_or_default(),
        _ => Type::Union(rest).into(),
    }
}

fn dedupe(members: &mut Vec<Node>) {
    let mut words = HashSet::new();
    members.retain(|m| match &m.ty {
        Type::Word(word) if m.is_bare() => words.insert(word.text().to_owned()),
        Type::Literal(text, _) if m.is_bare() => words.insert(text.clone()),
        Type::Named(index, _) if m.is_bare() => words.insert(format!("#{index}")),
        _ => true,
    });
    if members.len() <= COMPARED {
        let mut unique: Vec<Node> = Vec::with_capacity(members.len());
        for member in members.drain(..) {
            if !unique.contains(&member) {
                unique.push(member);
            }
        }
        *members = unique;
    }
}

/// `true | false` is `boolean`.
fn booleans(members: &mut Vec<Node>) {
    let is = |m: &Node, text: &str| {
        m.is_bare() && matches!(&m.ty, Type::Literal(t, Kinds::BOOLEAN) if t == text)
    };
    if members.iter().any(|m| is(m, "true"))
        && let Some(first) = members.iter().position(|m| is(m, "false"))
    {
        if let Some(member) = members.get_mut(first) {
            member.ty = Type::Word(Word::Boolean);
        }
        members.retain(|m| !is(m, "true"));
    }
}

/// Every one of the parts at once.
pub(super) fn intersection(parts: Vec<Type>) -> Type {
    let mut flat: Vec<Type> = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Type::Unknown => {}
            Type::Intersection(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    let allowed = flat.iter().fold(Kinds::ALL, |k, part| k.and(kinds(part)));
    if allowed == Kinds::NONE {
        return if flat.is_empty() {
            Type::Unknown
        } else {
            Type::Never
        };
    }
    let mut parts: Vec<Type> = flat.into_iter().map(|part| narrow(part, allowed)).collect();
    parts = merge_objects(parts);
    close_unions(&mut parts);
    drop_implied(&mut parts);
    if parts.contains(&Type::Never) {
        return Type::Never;
    }
    let mut unique: Vec<Type> = Vec::with_capacity(parts.len());
    for part in parts {
        if unique.len() > COMPARED || !unique.contains(&part) {
            unique.push(part);
        }
    }
    match unique.len() {
        0 => Type::Unknown,
        1 => unique.pop().unwrap_or_default(),
        _ => Type::Intersection(unique),
    }
}

/// The members of a union that the other parts leave possible.
fn narrow(part: Type, allowed: Kinds) -> Type {
    match part {
        Type::Union(members) => {
            let possible = |m: &Node| kinds(&m.ty).and(allowed) != Kinds::NONE;
            union(members.into_iter().filter(possible).collect()).ty
        }
        other => other,
    }
}

/// Drops parts that demand no more than another part does.
fn drop_implied(parts: &mut Vec<Type>) {
    let is_word = |ty: &Type| match ty {
        Type::Word(_) => true,
        Type::Union(members) => members.iter().all(|m| matches!(m.ty, Type::Word(_))),
        _ => false,
    };
    let is_plain_object = |ty: &Type| matches!(ty, Type::Object(o) if o.fields.is_empty() && matches!(o.rest, Rest::Unsaid | Rest::Empty));
    let mut index = 0;
    while index < parts.len() && parts.len() > 1 {
        let implied = parts.get(index).is_some_and(|part| {
            let own = kinds(part);
            let mut others = parts.iter().enumerate().filter(|(i, _)| *i != index);
            let narrower =
                |other: &Type| kinds(other).within(own) && (!is_word(other) || other != part);
            (is_plain_object(part) || is_word(part)) && others.any(|(_, other)| narrower(other))
        });
        if implied {
            parts.remove(index);
        } else {
            index += 1;
        }
    }
}

fn merge_objects(parts: Vec<Type>) -> Vec<Type> {
    let mut out: Vec<Type> = Vec::with_capacity(parts.len());
    let mut merged: Option<(usize, Object, HashMap<String, usize>)> = None;
    for part in parts {
        match (part, &mut merged) {
            (Type::Object(object), None) if is_mergeable(&object) => {
                let names = object.fields.iter().enumerate();
                let names = names.map(|(i, f)| (f.name.clone(), i)).collect();
                merged = Some((out.len(), object, names));
                out.push(Type::Unknown);
            }
            (Type::Object(object), Some((_, into, names))) if is_mergeable(&object) => {
                merge(into, object, names);
            }
            (other, _) => out.push(other),
        }
    }
    if let Some((place, object, _)) = merged
        && let Some(slot) = out.get_mut(place)
    {
        *slot = Type::Object(object);
    }
    out
}

/// Values of other keys that have a type would have to hold for the other object's fields too.
fn is_mergeable(object: &Object) -> bool {
    match &object.rest {
        Rest::Unsaid | Rest::Empty | Rest::Closed => true,
        Rest::Typed(rest) => rest
            .iter()
            .all(|(pattern, node)| pattern.is_none() && node.ty == Type::Unknown),
    }
}

fn merge(into: &mut Object, from: Object, names: &mut HashMap<String, usize>) {
    let own: HashSet<String> = from.fields.iter().map(|f| f.name.clone()).collect();
    if from.rest == Rest::Closed {
        into.fields
            .iter_mut()
            .filter(|f| !own.contains(&f.name))
            .for_each(refuse);
    }
    let is_closed = into.rest == Rest::Closed;
    for mut field in from.fields {
        if is_closed && !names.contains_key(&field.name) {
            refuse(&mut field);
        }
        if let Some(known) = names.get(&field.name).and_then(|i| into.fields.get_mut(*i)) {
            known.optional &= field.optional;
            let mine = std::mem::take(&mut known.node.ty);
            known.node.ty = intersection(vec![mine, field.node.ty]);
            known.node.doc = known.node.doc.take().or(field.node.doc);
            for note in field.node.notes {
                if !known.node.notes.contains(&note) {
                    known.node.notes.push(note);
                }
            }
        } else {
            names.insert(field.name.clone(), into.fields.len());
            into.fields.push(field);
        }
    }
    into.rest = match (std::mem::take(&mut into.rest), from.rest) {
        (Rest::Closed, _) | (_, Rest::Closed) => Rest::Closed,
        (Rest::Unsaid | Rest::Empty, other) | (other, _) => other,
    };
}

/// Where the object is closed, the members of a union beside it can bring no fields of their own.
fn close_unions(parts: &mut [Type]) {
    let closed = parts.iter().find_map(|part| match part {
        Type::Object(Object {
            fields,
            rest: Rest::Closed,
        }) => Some(
            fields
                .iter()
                .map(|f| f.name.clone())
                .collect::<HashSet<String>>(),
        ),
        _ => None,
    });
    let Some(known) = closed else { return };
    for part in parts {
        let Type::Union(members) = part else { continue };
        let mut members = std::mem::take(members);
        members.retain_mut(|member| match &mut member.ty {
            Type::Object(object) => {
                let mut foreign = object
                    .fields
                    .iter_mut()
                    .filter(|f| !known.contains(&f.name));
                foreign.all(|field| {
                    refuse(field);
                    field.optional
                })
            }
            _ => true,
        });
        *part = union(members).ty;
    }
}

/// A field that another part of the type does not know and does not allow.
fn refuse(field: &mut Field) {
    field.node.ty = Type::Never;
}
