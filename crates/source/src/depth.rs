//! An upper bound of how deep a text can make the parser recurse, found without recursion.
//!
//! The bound must never be too low: the parser has no limit of its own, and a native stack that overflows kills the
//! process. It may be too high. A bracket counts while it is open. Inside a bracket, every token that lets an
//! expression or a statement nest or chain without one (operators, `=>`, `if`, two words in a row) counts until what
//! it belongs to has surely ended. Where only a parser knows whether a `/` divides or begins a regular expression,
//! nothing is taken back from there on: every further sign counts.

mod level;
mod literals;
mod words;

use level::{Level, Levels};
use words::Slash;

/// The highest bound a program may have.
pub(crate) const LIMIT: u32 = 3_000;

const TOO_DEEP: &str = "the program is nested too deeply, or one expression in it is too long";
const SLASH: &str =
    "this `/` may divide or begin a regular expression, and the program is too long to find out";
const HTML: &str = "an HTML-like comment is not allowed here";

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

/// Measures a text.
pub(crate) fn measure(text: &str) -> Depth {
    let mut scan = Scan {
        text,
        bytes: text.as_bytes(),
        at: 0,
        levels: Levels::new(),
        last: Kind::Start,
        last_word: "",
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
    /// The text of the last token if it is a word.
    last_word: &'t str,
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

impl<'t> Scan<'t> {
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
            b' ' | b'\t' | 0x0b | 0x0c => self.at += 1,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'#' | b'\\' | 0x80.. => self.word(),
            b'0'..=b'9' => self.number(),
            b'"' | b'\'' => self.string(byte),
            b'`' => {
                self.before_token(Kind::Value, "");
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
    fn before_token(&mut self, kind: Kind, word: &str) {
        let is_word = kind == Kind::Word;
        if std::mem::take(&mut self.ended) {
            if !(is_word && matches!(word, "else" | "while")) {
                self.levels.end_statement();
            }
        } else if is_word && self.new_line && self.ends_operand() {
            if words::begins_statement(word) {
                self.levels.end_statement();
            } else if !words::continues(word) {
                self.levels.end_expression();
            }
        }
        self.before = self.last;
        self.last = kind;
        self.new_line = false;
    }

    fn token(&mut self, kind: Kind, length: usize) {
        self.before_token(kind, "");
        self.at += length;
    }

    /// Whether the last token ends an operand, so that a word on a new line begins something else.
    fn ends_operand(&self) -> bool {
        match self.last {
            Kind::Value | Kind::Member | Kind::Close(b']' | b'}') => true,
            Kind::Close(_) => !self.control_closed,
            Kind::Word => !words::is_prefix(self.last_word) && words::is_plain(self.last_word),
            _ => false,
        }
    }

    fn word(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let first = rest.chars().next().unwrap_or(' ');
        if !first.is_ascii() && !first.is_alphanumeric() {
            self.odd_char(first);
            return;
        }
        let length = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '\\')))
            .unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        // A character that begins no name is an error the parser may read over, so such a word proves nothing.
        let after_dot = self.last == Kind::Dot && words::is_plain(word);
        let after_word = matches!(self.last, Kind::Word | Kind::Member);
        self.before_token(if after_dot { Kind::Member } else { Kind::Word }, word);
        self.at += length;
        self.last_word = word;
        if after_dot {
            return;
        }
        if words::nests_statement(word) {
            self.levels.nest();
        }
        if after_word || words::is_prefix(word) {
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
        self.before_token(Kind::Value, "");
        while self.byte(0).is_ascii_alphanumeric() || self.byte(0) == b'_' {
            self.at += 1;
        }
    }

    fn open(&mut self, byte: u8) {
        let condition = byte == b'('
            && match self.last {
                Kind::Word => {
                    words::takes_condition(self.last_word)
                        || (self.last_word == "await" && self.before == Kind::Word)
                }
                _ => false,
            };
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
            Kind::Value | Kind::Member | Kind::Close(b']') => Slash::Division,
            Kind::Close(b')') if !self.control_closed => Slash::Division,
            Kind::Word => words::slash_after(self.last_word),
            Kind::Close(b'}') | Kind::Murky | Kind::Dot => Slash::Unsure,
            _ => Slash::Regex,
        }
    }

    fn sign(&mut self, byte: u8) {
        let next = self.byte(1);
        match byte {
            b'.' if next == b'.' => {
                self.token(Kind::Operator, 1);
                self.levels.chain(1);
            }
            b'.' => {
                self.token(Kind::Dot, 1);
                self.levels.chain(1);
            }
            b'?' if next == b'.' && !self.byte(2).is_ascii_digit() => {
                self.token(Kind::Dot, 2);
                self.levels.chain(1);
            }
            b'<' if self
                .text
                .get(self.at..)
                .is_some_and(|rest| rest.starts_with("<!--")) =>
            {
                self.doubt(self.at, HTML);
            }
            b'-' if self.new_line_or_start() && next == b'-' && self.byte(2) == b'>' => {
                self.doubt(self.at, HTML);
            }
            b'+' | b'-' if next == byte => {
                let kind = self.kind_of_postfix(Kind::Operator);
                self.token(kind, 2);
                self.levels.chain(2);
            }
            b'!' if next != b'=' => {
                let kind = self.kind_of_postfix(Kind::Operator);
                self.token(kind, 1);
                self.levels.chain(1);
            }
            b':' => self.colon(),
            _ => self.operator(byte),
        }
    }

    fn new_line_or_start(&self) -> bool {
        self.new_line || self.last == Kind::Start
    }

    /// A sign that is postfix behind an operand on the same line and prefix elsewhere.
    fn kind_of_postfix(&self, prefix: Kind) -> Kind {
        if self.new_line {
            return prefix;
        }
        match self.slash_means() {
            Slash::Division => Kind::Value,
            Slash::Regex => prefix,
            Slash::Unsure => Kind::Murky,
        }
    }

    /// A name and a colon is a label, unless the name stands where only a key or a choice can.
    fn colon(&mut self) {
        let key = matches!(
            self.before,
            Kind::Comma | Kind::Operator | Kind::Open(b'(' | b'[')
        );
        let label = self.last == Kind::Word && !key;
        self.token(Kind::Colon, 1);
        if label {
            self.levels.nest();
        } else {
            self.levels.chain(1);
        }
    }

    fn operator(&mut self, byte: u8) {
        let previous = self
            .at
            .checked_sub(1)
            .and_then(|at| self.bytes.get(at))
            .copied();
        let joined = self.last == Kind::Operator || self.last == Kind::Murky;
        let is_arrow = byte == b'>' && previous == Some(b'=') && joined;
        self.token(
            if byte == b'>' && !is_arrow {
                Kind::Murky
            } else {
                Kind::Operator
            },
            1,
        );
        match byte {
            b'<' => self.levels.open_angle(),
            b'>' if !is_arrow => self.levels.close_angle(),
            // The tail of `==`, `<=`, `=>` nests nothing more.
            b'=' | b'>' if joined && previous.is_some_and(|p| !p.is_ascii_whitespace()) => {}
            _ => self.levels.chain(1),
        }
    }
}
