//! Edits that keep every line: bytes overwritten in place, and short texts put between tokens.

use std::borrow::Cow;

/// Where texts were put in, so that an offset of the result leads back to the original.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Insertions(Vec<(u32, u32)>);

impl Insertions {
    /// One text of `length` bytes in front of everything.
    pub(crate) fn shift(length: u32) -> Self {
        Self(vec![(0, length)])
    }

    /// Offset in the original of an offset in the result; inside a put-in text, the place where it was put.
    pub(crate) fn origin(&self, offset: u32) -> u32 {
        let mut shift = 0;
        for &(at, length) in &self.0 {
            if offset < at + shift {
                break;
            }
            shift += length.min(offset - at - shift);
        }
        offset - shift
    }

    /// Offset in the result of the first text put in at this offset of the original.
    pub(crate) fn moved(&self, offset: u32) -> u32 {
        let before = self.0.iter().take_while(|(at, _)| *at < offset);
        offset + before.map(|(_, length)| length).sum::<u32>()
    }
}

/// Edits collected against one text.
#[derive(Debug)]
pub(crate) struct Patch {
    bytes: Vec<u8>,
    inserts: Vec<(u32, Cow<'static, str>)>,
    touched: bool,
}

impl Patch {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            bytes: text.as_bytes().to_vec(),
            inserts: Vec::new(),
            touched: false,
        }
    }

    /// Overwrites with spaces; line ends stay.
    pub(crate) fn blank(&mut self, start: u32, end: u32) {
        self.touched = true;
        let Some(region) = self.bytes.get_mut(start as usize..end as usize) else {
            return;
        };
        for byte in region {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }

    /// Sets one byte of a region that was blanked.
    pub(crate) fn put(&mut self, at: u32, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(at as usize)
            && *slot == b' '
        {
            *slot = byte;
        }
    }

    /// Puts a text without line ends in front of the byte at `at`; texts at one place keep their order.
    pub(crate) fn insert(&mut self, at: u32, text: impl Into<Cow<'static, str>>) {
        self.touched = true;
        self.inserts.push((at, text.into()));
    }

    pub(crate) fn is_touched(&self) -> bool {
        self.touched
    }

    /// The edited text with `prefix` and `suffix` around it, and the way back (without the prefix).
    pub(crate) fn finish(mut self, prefix: &str, suffix: &str) -> (String, Insertions) {
        self.inserts.sort_by_key(|(at, _)| *at);
        // Regions are blanked whole, token by token, so that no character is cut.
        let text = String::from_utf8(self.bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let added: usize = self.inserts.iter().map(|(_, text)| text.len()).sum();
        let mut out = String::with_capacity(prefix.len() + text.len() + added + suffix.len());
        out.push_str(prefix);
        let mut done = 0;
        for (at, insert) in &self.inserts {
            let at = (*at as usize).min(text.len());
            out.push_str(text.get(done..at).unwrap_or_default());
            out.push_str(insert);
            done = at;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        out.push_str(suffix);
        let places = self
            .inserts
            .iter()
            .map(|(at, text)| (*at, text.len() as u32))
            .collect();
        (out, Insertions(places))
    }
}
