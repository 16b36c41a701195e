//! What a word means to the scan: a set of properties.

/// Properties of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meaning(u16);

impl Meaning {
    /// Certainly one name to every reader, and no keyword.
    pub(super) const NAME: Self = Self(0);
    /// Begins a statement and stands nowhere inside an expression.
    pub(super) const BEGINS: Self = Self(1);
    /// Nests a statement without a bracket.
    pub(super) const NESTS: Self = Self(1 << 1);
    /// Its parentheses hold a condition, not arguments.
    pub(super) const CONDITION: Self = Self(1 << 2);
    /// Needs something behind it: an operand, a name, a type or a body.
    pub(super) const PREFIX: Self = Self(1 << 3);
    /// Goes on with the expression, the type or the statement before it.
    pub(super) const CONTINUES: Self = Self(1 << 4);
    /// Behind a `;` it may still belong to the statement before.
    pub(super) const CLAUSE: Self = Self(1 << 5);
    /// A `/` behind it begins a regular expression.
    pub(super) const REGEX: Self = Self(1 << 6);
    /// Only a parser knows what a `/` behind it is.
    pub(super) const UNSURE: Self = Self(1 << 7);
    /// `await`, which may stand between `for` and its parenthesis.
    pub(super) const AWAIT: Self = Self(1 << 8);
    /// Not a name to every reader: an odd character or an escape is in it.
    pub(super) const ODD: Self = Self(1 << 9 | Self::UNSURE.0 | Self::PREFIX.0);

    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

type Entry = (&'static str, Meaning);

const BEGINS: Meaning = Meaning::BEGINS;
const PREFIX: Meaning = Meaning::PREFIX;
const PREFIX_REGEX: Meaning = PREFIX.and(Meaning::REGEX);
const PREFIX_UNSURE: Meaning = PREFIX.and(Meaning::UNSURE);
const BEGINS_PREFIX: Meaning = BEGINS.and(PREFIX);
const BEGINS_REGEX: Meaning = BEGINS.and(PREFIX_REGEX);
const OPERATOR_REGEX: Meaning = Meaning::CONTINUES.and(PREFIX_REGEX);
const OPERATOR_UNSURE: Meaning = Meaning::CONTINUES.and(PREFIX_UNSURE);
const NESTS_CONDITION: Meaning = Meaning::NESTS.and(Meaning::CONDITION).and(Meaning::UNSURE);
const CLAUSE: Meaning = Meaning::NESTS.and(Meaning::CONTINUES).and(Meaning::CLAUSE);

const A: &[Entry] = &[
    ("as", OPERATOR_UNSURE),
    ("async", PREFIX_UNSURE),
    ("await", PREFIX_UNSURE.and(Meaning::AWAIT)),
    ("abstract", PREFIX),
    ("asserts", PREFIX),
    ("accessor", PREFIX),
];
const C: &[Entry] = &[
    ("const", BEGINS_PREFIX),
    ("case", PREFIX_REGEX),
    ("class", PREFIX),
    ("catch", Meaning::CONTINUES),
    ("continue", BEGINS),
];
const D: &[Entry] = &[
    ("do", Meaning::NESTS.and(PREFIX_REGEX)),
    ("delete", PREFIX_REGEX),
    ("default", PREFIX_REGEX),
    ("declare", PREFIX),
];
const E: &[Entry] = &[
    ("else", CLAUSE.and(PREFIX_REGEX)),
    ("extends", OPERATOR_REGEX),
    ("export", PREFIX),
    ("enum", PREFIX),
];
const F: &[Entry] = &[
    ("for", NESTS_CONDITION),
    ("from", PREFIX.and(Meaning::CONTINUES)),
    ("function", PREFIX),
    ("finally", Meaning::CONTINUES),
];
const I: &[Entry] = &[
    ("if", NESTS_CONDITION.and(Meaning::CONTINUES)),
    ("in", OPERATOR_REGEX),
    ("instanceof", OPERATOR_REGEX),
    ("is", OPERATOR_UNSURE),
    ("import", PREFIX),
    ("infer", PREFIX_UNSURE),
    ("implements", PREFIX.and(Meaning::CONTINUES)),
    ("interface", PREFIX),
];
const N_TO_R: &[Entry] = &[
    ("new", PREFIX_REGEX),
    ("of", OPERATOR_UNSURE),
    ("return", BEGINS_REGEX),
    ("namespace", PREFIX),
    ("override", PREFIX),
    ("public", PREFIX),
    ("private", PREFIX),
    ("protected", PREFIX),
    ("readonly", PREFIX_UNSURE),
];
const S: &[Entry] = &[
    ("static", PREFIX_UNSURE),
    ("switch", BEGINS),
    ("satisfies", OPERATOR_UNSURE),
    ("set", PREFIX_UNSURE),
];
const T: &[Entry] = &[
    ("typeof", PREFIX_REGEX),
    ("try", BEGINS),
    ("throw", BEGINS_REGEX),
    ("type", PREFIX),
];
const W: &[Entry] = &[
    ("while", CLAUSE.and(Meaning::CONDITION).and(Meaning::UNSURE)),
    ("with", NESTS_CONDITION),
];
const OTHERS: &[Entry] = &[
    ("var", BEGINS_PREFIX),
    ("void", PREFIX_UNSURE),
    ("let", PREFIX_UNSURE),
    ("yield", PREFIX_UNSURE),
    ("get", PREFIX_UNSURE),
    ("keyof", PREFIX_UNSURE),
    ("break", BEGINS),
    ("module", PREFIX),
    ("unique", PREFIX),
    ("using", PREFIX),
];

/// What a word of ASCII letters, digits, `_` and `$` means.
pub(super) fn meaning(word: &str) -> Meaning {
    if !(2..=10).contains(&word.len()) {
        return Meaning::NAME;
    }
    let entries = match word.as_bytes().first() {
        Some(b'a') => A,
        Some(b'c') => C,
        Some(b'd') => D,
        Some(b'e') => E,
        Some(b'f') => F,
        Some(b'i') => I,
        Some(b'n'..=b'r') => N_TO_R,
        Some(b's') => S,
        Some(b't') => T,
        Some(b'w') => W,
        Some(b'v' | b'l' | b'y' | b'g' | b'k' | b'b' | b'm' | b'u') => OTHERS,
        _ => return Meaning::NAME,
    };
    entries
        .iter()
        .find(|(known, _)| *known == word)
        .map_or(Meaning::NAME, |(_, meaning)| *meaning)
}
