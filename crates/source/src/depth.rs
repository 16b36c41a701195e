//! An upper bound of how deep a text can make the parser recurse, found without recursion.
//!
//! The bound must never be too low: the parser has no limit of its own, and a native stack that overflows kills the
//! process. It may be too high. A bracket counts while it is open. Inside a bracket, every token that lets an
//! expression or a statement nest or chain without one (operators, `=>`, `if`, two words in a row) counts until what
//! it belongs to has surely ended. Where only a parser knows whether a `/` divides or begins a regular expression,
//! nothing is taken back from there on: every further sign counts.

mod level;
mod literals;
mod signs;
mod words;

use level::{Level, Levels};
use words::{Meaning, meaning};

/// The highest bound a program may have.
pub(crate) const LIMIT: u32 = 3_000;

const TOO_DEEP: &str = "the program is nested too deeply, or one expression in it is too long";
const SLASH: &str =
    "this `/` may divide or begin a regular expression, and the program is too long to find out";

/// What the scan found.
#[derive(Debug)]
pub(crate) struct Depth {
    pub(crate) bound: u32,
    /// Where the bound passed the limit, and why, if it did.
    pub(crate) passed: Option<(u32, &'static str)>,
    /// The innermost bracket still open at the end, and its offset. Good enough for a hint, no more.
    pub(crate) open: Option<(char, u32)>,
    /// The first closing bracket that fits no opening one. Also only a hint.
    pub(crate) stray: Option<u32>,
}

/// The kind of the last token, as far as the next one depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Start,
    Word,
    /// A name behind a dot: never a keyword.
    Member,
    /// A number, a string, a template, a regular expression, or a postfix operator.
    Value,
    Open(u8),
    Close(u8),
    Colon,
    Operator,
    /// A sign behind which a `/` may be either.
    Murky,
    Dot,
    Comma,
    Semicolon,
}

/// What a `/` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slash {
    Division,
    Regex,
    /// Depends on what only a parser knows.
    Unsure,
}

/// Measures a text.
pub(crate) fn measure(text: &str) -> Depth {
    let mut scan = Scan {
        text,
        bytes: text.as_bytes(),
        at: 0,
        levels: Levels::new(),
        last: Kind::Start,
        last_word: Meaning::NAME,
        before: Kind::Start,
        control_closed: false,
        new_line: false,
        ended: false,
        unsure: None,
        bound: 1,
        stray: None,
    };
    while scan.step() {
        scan.bound = scan.bound.max(scan.levels.total());
        if scan.bound > LIMIT {
            break;
        }
    }
    let top = scan.levels.top();
    let opener = if top.opener == b'$' {
        '`'
    } else {
        top.opener as char
    };
    Depth {
        bound: scan.bound,
        passed: (scan.bound > LIMIT).then(|| {
            scan.unsure
                .unwrap_or((scan.at.min(text.len()) as u32, TOO_DEEP))
        }),
        stray: scan.stray,
        open: (top.opener != 0 && scan.unsure.is_none()).then_some((opener, top.start)),
    }
}

struct Scan<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    levels: Levels,
    last: Kind,
    /// What the last word means.
    last_word: Meaning,
    /// The kind of the token before the last.
    before: Kind,
    /// The last `)` closed a condition.
    control_closed: bool,
    /// A line ended since the last token.
    new_line: bool,
    /// The last token was a `;`, and what follows may still belong to the same statement.
    ended: bool,
    /// Since where, and why, it is no longer known what is code: nothing may be taken back.
    unsure: Option<(u32, &'static str)>,
    bound: u32,
    stray: Option<u32>,
}

impl Scan<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Takes one token or one run of spaces; false at the end.
    fn step(&mut self) -> bool {
        let Some(&byte) = self.bytes.get(self.at) else {
            return false;
        };
        if self.unsure.is_some() {
            self.levels.chain(u32::from(!byte.is_ascii_whitespace()));
            self.at += 1;
            return true;
        }
        match byte {
            b'\n' | b'\r' => {
                self.new_line = true;
                self.at += 1;
            }
            b' ' | b'\t' | 0x0b | 0x0c => {
                while matches!(self.byte(0), b' ' | b'\t' | 0x0b | 0x0c) {
                    self.at += 1;
                }
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'#' | b'\\' | 0x80.. => self.word(),
            b'0'..=b'9' => self.number(),
            b'"' | b'\'' => self.string(byte),
            b'`' => {
                self.before_token(Kind::Value, Meaning::NAME);
                self.levels.chain(1);
                self.at += 1;
                self.template();
            }
            b'(' | b'[' | b'{' => self.open(byte),
            b')' | b']' | b'}' => self.close(byte),
            b'/' => self.slash(),
            b',' => {
                self.token(Kind::Comma, 1);
                self.levels.end_item();
            }
            b';' => {
                self.token(Kind::Semicolon, 1);
                self.ended = true;
            }
            0..=0x1f | 0x7f => self.odd_char(byte as char),
            _ => self.sign(byte),
        }
        true
    }

    /// Notes a token that begins here: what has surely ended before it is taken back.
    fn before_token(&mut self, kind: Kind, word: Meaning) {
        let is_word = kind == Kind::Word;
        if std::mem::take(&mut self.ended) {
            if !word.has(Meaning::CLAUSE) {
                self.levels.end_statement();
            }
        } else if is_word && self.new_line && self.ends_operand() {
            if word.has(Meaning::BEGINS) {
                self.levels.end_statement();
            } else if !word.has(Meaning::CONTINUES) {
                self.levels.end_expression();
            }
        }
        self.before = self.last;
        self.last = kind;
        self.new_line = false;
    }

    fn token(&mut self, kind: Kind, length: usize) {
        self.before_token(kind, Meaning::NAME);
        self.at += length;
    }

    /// Whether the last token ends an operand, so that a word on a new line begins something else.
    fn ends_operand(&self) -> bool {
        match self.last {
            Kind::Value | Kind::Member | Kind::Close(b']' | b'}') => true,
            Kind::Close(_) => !self.control_closed,
            Kind::Word => !self.last_word.has(Meaning::PREFIX),
            _ => false,
        }
    }

    fn word(&mut self) {
        let start = self.at;
        let mut plain = true;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' => self.at += 1,
                b'#' | b'\\' => {
                    plain = false;
                    self.at += 1;
                }
                0x80.. => {
                    let rest = self.text.get(self.at..).unwrap_or_default();
                    let next = rest.chars().next().unwrap_or(' ');
                    if !next.is_alphanumeric() {
                        if self.at == start {
                            self.odd_char(next);
                            return;
                        }
                        break;
                    }
                    plain = false;
                    self.at += next.len_utf8();
                }
                _ => break,
            }
        }
        // A character that begins no name is an error the parser may read over, so such a word proves nothing.
        let word = self.text.get(start..self.at).unwrap_or_default();
        let word = if plain { meaning(word) } else { Meaning::ODD };
        let after_word = matches!(self.last, Kind::Word | Kind::Member);
        if plain && self.last == Kind::Dot {
            self.before_token(Kind::Member, Meaning::NAME);
            return;
        }
        self.before_token(Kind::Word, word);
        self.last_word = word;
        if word.has(Meaning::NESTS) {
            self.levels.nest();
        }
        if after_word || word.has(Meaning::PREFIX) {
            self.levels.chain(1);
        }
    }

    /// A character that is neither ASCII nor of a name: a space to some readers, an error to others.
    fn odd_char(&mut self, found: char) {
        self.new_line |= matches!(found, '\u{2028}' | '\u{2029}');
        self.levels.chain(1);
        self.at += found.len_utf8();
    }

    fn doubt(&mut self, at: usize, why: &'static str) {
        self.unsure.get_or_insert((at as u32, why));
    }

    fn number(&mut self) {
        self.before_token(Kind::Value, Meaning::NAME);
        while self.byte(0).is_ascii_alphanumeric() || self.byte(0) == b'_' {
            self.at += 1;
        }
    }

    fn open(&mut self, byte: u8) {
        let condition = byte == b'('
            && self.last == Kind::Word
            && (self.last_word.has(Meaning::CONDITION)
                || (self.last_word.has(Meaning::AWAIT) && self.before == Kind::Word));
        let start = self.at as u32;
        self.token(Kind::Open(byte), 1);
        if byte != b'{' {
            // A call or an index chains onto what stands before it.
            self.levels.chain(1);
        }
        self.levels.push(Level::new(byte, start, condition));
    }

    fn close(&mut self, byte: u8) {
        self.token(Kind::Close(byte), 1);
        self.ended = false;
        let Some(closed) = self.levels.pop(byte) else {
            self.stray.get_or_insert(self.at as u32 - 1);
            return;
        };
        self.control_closed = closed.control;
        if closed.opener == b'$' {
            self.template();
        }
    }

    fn slash(&mut self) {
        match self.byte(1) {
            b'/' => self.line_comment(),
            b'*' => self.block_comment(),
            _ => match self.slash_means() {
                Slash::Division => {
                    self.token(Kind::Operator, 1);
                    self.levels.chain(1);
                }
                Slash::Regex => self.regex(),
                Slash::Unsure => self.doubt(self.at, SLASH),
            },
        }
    }

    fn slash_means(&self) -> Slash {
        match self.last {
            Kind::Close(b')') if !self.control_closed => Slash::Division,
            Kind::Word if self.last_word.has(Meaning::REGEX) => Slash::Regex,
            Kind::Word if self.last_word.has(Meaning::UNSURE) => Slash::Unsure,
            Kind::Word | Kind::Value | Kind::Member | Kind::Close(b']') => Slash::Division,
            Kind::Close(b'}') | Kind::Murky | Kind::Dot => Slash::Unsure,
            _ => Slash::Regex,
        }
    }
}
