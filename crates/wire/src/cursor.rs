//! Fields out of bytes, and into them.

use std::fmt;

/// What was wrong with a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireError {
    /// A frame longer than the reader takes.
    TooLong,
    /// A frame without a kind.
    Empty,
    /// A kind that nobody sends.
    Kind(u8),
    /// The frame ended inside a field, or a length does not fit in what is there.
    Short,
    /// The frame has bytes after its last field.
    Long,
    /// Text that is not UTF-8.
    Text,
    /// A number that stands for nothing.
    Value,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => f.write_str("a frame is too long"),
            Self::Empty => f.write_str("a frame is empty"),
            Self::Kind(kind) => write!(f, "no frame has the kind {kind}"),
            Self::Short => f.write_str("a frame ends inside a field"),
            Self::Long => f.write_str("a frame has bytes after its last field"),
            Self::Text => f.write_str("text is not UTF-8"),
            Self::Value => f.write_str("a number stands for nothing"),
        }
    }
}

impl std::error::Error for WireError {}

type Wire<T> = Result<T, WireError>;

/// Reads the fields of one frame.
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Wire<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(WireError::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Wire<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(WireError::Short)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self) -> Wire<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u32(&mut self) -> Wire<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Wire<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A finite number that is not negative.
    pub(crate) fn amount(&mut self) -> Wire<f64> {
        let value = f64::from_bits(self.u64()?);
        if value.is_finite() && value >= 0.0 {
            Ok(value)
        } else {
            Err(WireError::Value)
        }
    }

    pub(crate) fn flag(&mut self) -> Wire<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(WireError::Value),
        }
    }

    pub(crate) fn text(&mut self) -> Wire<&'a str> {
        let length = self.u32()? as usize;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| WireError::Text)
    }

    pub(crate) fn string(&mut self) -> Wire<String> {
        self.text().map(str::to_owned)
    }

    pub(crate) fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Wire<T>) -> Wire<Option<T>> {
        if self.flag()? {
            read(self).map(Some)
        } else {
            Ok(None)
        }
    }

    /// A list whose items take at least `least` bytes each: what cannot be there is not allocated for.
    pub(crate) fn list<T>(
        &mut self,
        least: usize,
        mut read: impl FnMut(&mut Self) -> Wire<T>,
    ) -> Wire<Vec<T>> {
        let length = self.u32()? as usize;
        if length > self.rest.len() / least.max(1) {
            return Err(WireError::Short);
        }
        (0..length).map(|_| read(self)).collect()
    }

    pub(crate) fn end(self) -> Wire<()> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(WireError::Long)
        }
    }
}

/// Writes one frame at the end of a buffer.
pub(crate) struct Writer<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>, kind: u8) -> Self {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        out.push(kind);
        Self { out, start }
    }

    pub(crate) fn u8(&mut self, value: u8) {
        self.out.push(value);
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn amount(&mut self, value: f64) {
        let value = if value.is_finite() {
            value.max(0.0)
        } else {
            0.0
        };
        self.u64(value.to_bits());
    }

    pub(crate) fn flag(&mut self, value: bool) {
        self.u8(u8::from(value));
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.u32(text.len() as u32);
        self.raw(text.as_bytes());
    }

    pub(crate) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }

    pub(crate) fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.u32(items.len() as u32);
        for item in items {
            write(self, item);
        }
    }

    /// Fills in the length.
    pub(crate) fn finish(self) {
        let length = (self.out.len() - self.start - 4) as u32;
        if let Some(header) = self.out.get_mut(self.start..self.start + 4) {
            header.copy_from_slice(&length.to_le_bytes());
        }
    }
}
