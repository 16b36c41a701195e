//! Strings, templates, regular expressions and comments: text without brackets that count.

use super::{Kind, Scan, level::Level, words::Meaning};

const STRING: &str = "Unterminated string";
const TEMPLATE: &str = "Unterminated template";
const REGEX: &str = "Unterminated regular expression";

impl Scan<'_> {
    pub(super) fn string(&mut self, quote: u8) {
        let start = self.at;
        self.before_token(Kind::Value, Meaning::NAME);
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' if self.byte(1) == b'\r' && self.byte(2) == b'\n' => self.at += 3,
                b'\\' => self.at += 2,
                b'\n' | b'\r' => break,
                _ => self.at += 1,
            }
            if byte == quote {
                return;
            }
        }
        // What a parser makes of the rest is its own affair: it may go on to find more mistakes.
        self.doubt(start, STRING);
    }

    /// The text of a template up to its end or its next `${`.
    pub(super) fn template(&mut self) {
        let start = self.at;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => self.at += 2,
                b'`' => {
                    self.at += 1;
                    self.last = Kind::Value;
                    return;
                }
                b'$' if self.byte(1) == b'{' => {
                    self.at += 2;
                    self.levels.push(Level::new(b'$', start as u32, false));
                    self.last = Kind::Open(b'{');
                    return;
                }
                _ => self.at += 1,
            }
        }
        self.doubt(start, TEMPLATE);
    }

    pub(super) fn line_comment(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += rest
            .find(['\n', '\r', '\u{2028}', '\u{2029}'])
            .unwrap_or(rest.len());
    }

    pub(super) fn block_comment(&mut self) {
        let rest = self.text.get(self.at + 2..).unwrap_or_default();
        let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
        let comment = rest.get(..length).unwrap_or_default();
        self.new_line |= comment.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
        self.at += 2 + length;
    }

    pub(super) fn regex(&mut self) {
        let start = self.at;
        self.before_token(Kind::Value, Meaning::NAME);
        self.at += 1;
        let mut in_class = false;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' if !matches!(self.byte(1), b'\n' | b'\r') => self.at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => break,
                b'\n' | b'\r' => {
                    self.doubt(start, REGEX);
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.at += 1;
        while self.byte(0).is_ascii_alphabetic() {
            self.at += 1;
        }
    }
}
