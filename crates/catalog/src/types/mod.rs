//! Schemas as TypeScript types: first a tree, then its text.

mod build;
mod combine;
mod hoist;
mod notes;
mod object;
mod print;

pub(crate) use hoist::{Names, Printed, Registry, Side, in_full};

/// A type with what its author says about it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Node {
    pub(crate) ty: Type,
    /// The description, as it was written.
    pub(crate) doc: Option<String>,
    /// What a type cannot say: ranges, formats, defaults.
    pub(crate) notes: Vec<String>,
}

impl Node {
    pub(crate) fn is_bare(&self) -> bool {
        self.doc.is_none() && self.notes.is_empty()
    }
}

impl From<Type> for Node {
    fn from(ty: Type) -> Self {
        Self {
            ty,
            ..Self::default()
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Type {
    #[default]
    Unknown,
    Never,
    Word(Word),
    /// One value: its text and the kind of value it is.
    Literal(String, Kinds),
    Array(Box<Node>),
    /// Items, how many of them must be there, and the type of the others.
    Tuple(Vec<Node>, usize, Option<Box<Node>>),
    Object(Object),
    Union(Vec<Node>),
    Intersection(Vec<Type>),
    /// A definition of the schema, printed by name, and the kinds of values it may have.
    Named(usize, Kinds),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    String,
    Number,
    Boolean,
    Null,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Object {
    pub(crate) fields: Vec<Field>,
    pub(crate) rest: Rest,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) optional: bool,
    pub(crate) node: Node,
}

/// The keys an object has beside its fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Rest {
    /// Nothing is said: a literal with other keys is taken for a mistake.
    #[default]
    Unsaid,
    /// Nothing is said, but the list of fields is there and empty: an author who takes no fields.
    Empty,
    Closed,
    /// Any key, or the keys that match an expression, with the type of their values.
    Typed(Vec<(Option<String>, Node)>),
}

/// A set of kinds of JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const STRING: Self = Self(1);
    pub(crate) const NUMBER: Self = Self(2);
    pub(crate) const BOOLEAN: Self = Self(4);
    pub(crate) const NULL: Self = Self(8);
    pub(crate) const ARRAY: Self = Self(16);
    pub(crate) const OBJECT: Self = Self(32);
    pub(crate) const ALL: Self = Self(63);

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The kind of one value.
    pub(crate) fn of(value: &serde_json::Value) -> Self {
        use serde_json::Value;
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(_) => Self::NUMBER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// The kind of values that a JSON type has.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "object" => Self::OBJECT,
            "array" => Self::ARRAY,
            "string" => Self::STRING,
            "boolean" => Self::BOOLEAN,
            "null" => Self::NULL,
            _ => Self::NUMBER,
        }
    }

    pub(crate) fn within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
}

impl Word {
    pub(crate) fn kinds(self) -> Kinds {
        match self {
            Self::String => Kinds::STRING,
            Self::Number => Kinds::NUMBER,
            Self::Boolean => Kinds::BOOLEAN,
            Self::Null => Kinds::NULL,
        }
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Null => "null",
        }
    }
}
