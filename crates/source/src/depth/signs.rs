//! Operators, dots and colons.

use super::{Kind, Scan, Slash};

const HTML: &str = "an HTML-like comment is not allowed here";

impl Scan<'_> {
    pub(super) fn sign(&mut self, byte: u8) {
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
