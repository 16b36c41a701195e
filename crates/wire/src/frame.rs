//! Bytes of a stream to frames.

use crate::cursor::WireError;
use crate::from_guest::CHUNK;
use codemode_engine::Limits;

/// No frame is longer, whatever the limits of a run.
pub const MAX_FRAME: usize = 1 << 30;
const HEADER: usize = 4;
/// Used-up bytes at the front of the buffer are moved out at this many.
const COMPACT: usize = 64 << 10;

/// The longest frame a guest with these limits has a reason to send: a result, a line, a call with its arguments or what
/// it stores, three bytes a character, and room for what goes with it.
pub fn guest_frame_limit(limits: &Limits, max_store_chars: u64) -> usize {
    let chars = limits.max_output_chars.max(limits.max_tool_arg_chars);
    let chars = chars.max(max_store_chars);
    let bytes = chars
        .saturating_mul(3)
        .saturating_add(CHUNK as u64 + (64 << 10));
    usize::try_from(bytes).unwrap_or(MAX_FRAME).min(MAX_FRAME)
}

/// Collects bytes and gives frames. Holds what was pushed and no more: a header alone allocates nothing.
#[derive(Debug, Default)]
pub struct FrameReader {
    buffer: Vec<u8>,
    at: usize,
    limit: usize,
}

impl FrameReader {
    /// Refuses frames longer than `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// From the next frame on.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Adds what came.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.at == self.buffer.len() {
            self.buffer.clear();
            self.at = 0;
        } else if self.at >= COMPACT {
            self.buffer.drain(..self.at);
            self.at = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Bytes that belong to no complete frame yet.
    pub fn pending(&self) -> usize {
        self.buffer.len() - self.at
    }

    /// The next complete frame, kind first.
    pub fn next_frame(&mut self) -> Result<Option<&[u8]>, WireError> {
        let rest = self.buffer.get(self.at..).unwrap_or_default();
        let Some((header, rest)) = rest.split_first_chunk::<HEADER>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*header) as usize;
        if length == 0 {
            return Err(WireError::Empty);
        }
        if length > self.limit {
            return Err(WireError::TooLong);
        }
        if rest.len() < length {
            return Ok(None);
        }
        let start = self.at + HEADER;
        self.at = start + length;
        Ok(self.buffer.get(start..self.at))
    }
}
