//! Frames of a hostile worker: random bytes, cut and changed frames, lies about lengths. No panic, nothing allocated
//! that was not sent.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a broken expectation ends the test"
)]

use codemode_engine::{End, Event, Failure, FailureCode, ToolCall};
use codemode_wire::{
    ControlReply, ControlRequest, FrameReader, FromGuest, Query, ToGuest, WireError, encode_events,
    encode_query, encode_ready,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Watching;

thread_local! {
    /// The biggest allocation of this thread since it was last reset.
    static BIGGEST: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: passes everything on to the system's allocator.
#[allow(unsafe_code, reason = "an allocator that watches")]
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BIGGEST.set(BIGGEST.get().max(layout.size()));
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, data: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(data, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// xorshift64*: the same inputs in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
    fn text(&mut self) -> String {
        let length = self.below(12);
        (0..length)
            .map(|_| ['a', '"', 'é', '\u{1f600}', '\0', '{'][self.below(6)])
            .collect()
    }
    fn list<T>(&mut self, most: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most)).map(|_| make(self)).collect()
    }
    fn event(&mut self) -> Event {
        match self.below(6) {
            4 => Event::Stored(self.list(4, |r| {
                let json = (r.below(3) > 0).then(|| r.text());
                (r.text(), json)
            })),
            5 => Event::Yielded,
            0 => Event::Calls(self.list(4, |r| ToolCall {
                id: r.next() as u32,
                tool: r.next() as u32,
                input: r.text(),
            })),
            1 => Event::Logs(self.list(4, Self::text)),
            2 => Event::Text(self.list(4, Self::text)),
            _ => Event::End(Box::new(self.end())),
        }
    }
    fn end(&mut self) -> End {
        let outcome = if self.below(2) == 0 {
            Ok(self.text())
        } else {
            let mut failure = Failure::new(FailureCode::ScriptError, &self.text(), self.text());
            failure.line = (self.below(2) == 0).then(|| self.next() as u32);
            Err(failure)
        };
        End {
            outcome,
            tool_calls: self.next() as u32,
            cpu_ms: self.below(1000) as f64,
            wall_ms: 0.0,
            peak_memory_bytes: self.next(),
            unhandled: self.list(4, |r| r.next() as u32),
            notes: self.list(3, Self::text),
            journal: Vec::new(),
        }
    }
    fn query(&mut self) -> Query {
        match self.below(3) {
            0 => Query::All,
            1 => Query::Search {
                text: self.text(),
                limit: self.next() as u32,
            },
            _ => Query::Describe {
                tool: self.next() as u32,
            },
        }
    }
    /// A stream of real frames.
    fn stream(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        if self.below(4) == 0 {
            encode_ready(&mut out);
        }
        let events = self.list(3, Self::event);
        encode_events(&mut out, &events);
        if self.below(4) == 0 {
            encode_query(&mut out, &self.query());
        }
        out
    }
    /// The same, after something was done to it.
    fn broken(&mut self) -> Vec<u8> {
        let mut bytes = self.stream();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            match self.below(6) {
                0 if !bytes.is_empty() => bytes[at] = self.next() as u8,
                1 => bytes.truncate(at),
                2 => bytes.insert(at, self.next() as u8),
                3 if !bytes.is_empty() => drop(bytes.remove(at)),
                // A length that lies.
                4 if bytes.len() >= at + 4 => {
                    let lie = [u32::MAX, 0, 1, 0x7fff_ffff, self.next() as u32][self.below(5)];
                    bytes[at..at + 4].copy_from_slice(&lie.to_le_bytes());
                }
                _ => {
                    let more = self.stream();
                    bytes.extend(more);
                }
            }
        }
        bytes
    }
}

const LIMIT: usize = 4096;

/// Reads a stream in pieces, to its end or its first fault. What was decoded, and whether there was a fault.
fn read(bytes: &[u8], random: &mut Random) -> (usize, bool) {
    let mut reader = FrameReader::new(LIMIT);
    let mut frames = 0;
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(1 + random.below(rest.len()));
        reader.push(piece);
        rest = more;
        loop {
            match reader.next_frame() {
                Ok(Some(frame)) => match FromGuest::decode(frame) {
                    Ok(_) => frames += 1,
                    Err(_) => return (frames, true),
                },
                Ok(None) => break,
                Err(_) => return (frames, true),
            }
        }
    }
    (frames, false)
}

#[test]
fn a_million_hostile_streams_neither_panic_nor_allocate_what_was_not_sent() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut whole, mut faults, mut biggest_input) = (0, 0, 0);
    for round in 0..1_000_000_usize {
        let bytes = if round % 4 == 0 {
            random.list(64, |r| r.next() as u8)
        } else {
            random.broken()
        };
        biggest_input = biggest_input.max(bytes.len());
        BIGGEST.set(0);
        let (frames, fault) = read(&bytes, &mut random);
        // A list of short texts takes 24 bytes in memory for 4 on the wire; vectors grow by doubling.
        let allowed = 64 * 16 + bytes.len() * 16;
        assert!(
            BIGGEST.get() <= allowed,
            "{} bytes were allocated for {} that came",
            BIGGEST.get(),
            bytes.len()
        );
        whole += usize::from(frames > 0);
        faults += usize::from(fault);
    }
    // The inputs are worth something: many get through the header, many are refused.
    assert!(
        whole > 100_000 && faults > 100_000,
        "{whole} {faults} {biggest_input}"
    );
}

#[test]
fn other_messages_survive_random_bytes_too() {
    let mut random = Random(42);
    for _ in 0..200_000 {
        let bytes = random.list(80, |r| {
            if r.below(3) == 0 {
                r.next() as u8
            } else {
                r.below(6) as u8
            }
        });
        let _ = ToGuest::decode(&bytes);
        let _ = ControlReply::decode(&bytes);
        let _ = ControlRequest::decode(&bytes);
    }
}

#[test]
fn a_frame_over_the_limit_is_refused_by_its_header_alone() {
    let mut reader = FrameReader::new(100);
    reader.push(&101_u32.to_le_bytes());
    assert_eq!(reader.next_frame(), Err(WireError::TooLong));
    let mut reader = FrameReader::new(100);
    reader.push(&100_u32.to_le_bytes());
    assert_eq!(reader.next_frame(), Ok(None));
    let mut reader = FrameReader::new(100);
    reader.push(&0_u32.to_le_bytes());
    assert_eq!(reader.next_frame(), Err(WireError::Empty));
}
