//! The frames between a host and the isolated process of a run.
//!
//! A frame is four bytes of length (little-endian, of what follows), one byte of kind, and fields: integers
//! little-endian, text as a length of four bytes and UTF-8. Both ends are always of one version: the worker says its
//! version before anything else, and the host refuses another.
//!
//! Nothing read is trusted: a frame over the reader's limit is refused by its header, a list's length is checked
//! against the bytes that are there before anything is allocated for it, and what is left over is an error.

mod control;
mod cursor;
mod frame;
mod from_guest;
mod to_guest;

pub use control::{ControlReply, ControlRequest};
pub use cursor::WireError;
pub use frame::{FrameReader, MAX_FRAME, guest_frame_limit};
pub use from_guest::{
    CHUNK, FromGuest, MAX_QUERIES, Query, encode_events, encode_query, encode_ready,
};
pub use to_guest::{
    Session, Start, ToGuest, encode_answer, encode_replies, encode_start, encode_stop, encode_tools,
};
