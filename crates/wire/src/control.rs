//! What a host and its worker process say to each other about the processes of runs. One datagram each.

use crate::cursor::{Cursor, WireError, Writer};
use codemode_engine::Features;

const FORK: u8 = 1;
const REAP: u8 = 2;

const READY: u8 = 1;
const REFUSED: u8 = 2;
const FORKED: u8 = 3;
const NOT_FORKED: u8 = 4;
const EXITED: u8 = 5;

/// Host to worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ControlRequest {
    /// Make a process for a run; its socket comes with the datagram.
    Fork {
        /// Comes back in the reply.
        token: u64,
        /// Of the realm in it.
        features: Features,
        /// Its address space beyond what the worker has, in bytes.
        room_bytes: u64,
    },
    /// Wait for the end of a process, which was killed or has ended.
    Reap {
        /// As `Forked` named it.
        pid: i32,
    },
}

/// Worker to host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ControlReply {
    /// Locked down; nothing was run before.
    Ready {
        /// Of the worker; must be the host's own.
        version: String,
        /// Names of the protections in force.
        protections: Vec<String>,
    },
    /// A protection that must hold does not; the worker ends.
    Refused {
        /// Which, and why.
        reason: String,
    },
    /// The process of a `Fork`.
    Forked {
        /// Of the request.
        token: u64,
        /// As the host sees it; stays taken until `Reap`.
        pid: i32,
    },
    /// The system gave no process.
    NotForked {
        /// Of the request.
        token: u64,
        /// Of the system.
        errno: i32,
    },
    /// The answer to `Reap`.
    Exited {
        /// Of the request.
        pid: i32,
        /// As wait(2) gives it; -1 where there was no such process.
        status: i32,
    },
}

fn message(kind: u8, write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, kind);
    write(&mut writer);
    writer.finish();
    // A datagram has a length of its own.
    out.drain(..4);
    out
}

impl ControlRequest {
    /// As one datagram.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Fork {
                token,
                features,
                room_bytes,
            } => message(FORK, |writer| {
                writer.u64(*token);
                writer.flag(features.typed_arrays);
                writer.flag(features.weak_refs);
                writer.u64(*room_bytes);
            }),
            Self::Reap { pid } => message(REAP, |writer| writer.u32(pid.cast_unsigned())),
        }
    }

    /// Reads one datagram.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let mut cursor = Cursor::new(bytes);
        let request = match cursor.u8().map_err(|_| WireError::Empty)? {
            FORK => Self::Fork {
                token: cursor.u64()?,
                features: Features {
                    typed_arrays: cursor.flag()?,
                    weak_refs: cursor.flag()?,
                },
                room_bytes: cursor.u64()?,
            },
            REAP => Self::Reap {
                pid: cursor.u32()?.cast_signed(),
            },
            other => return Err(WireError::Kind(other)),
        };
        cursor.end()?;
        Ok(request)
    }
}

impl ControlReply {
    /// As one datagram.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Ready {
                version,
                protections,
            } => message(READY, |writer| {
                writer.text(version);
                writer.list(protections, |writer, name| writer.text(name));
            }),
            Self::Refused { reason } => message(REFUSED, |writer| writer.text(reason)),
            Self::Forked { token, pid } => message(FORKED, |writer| {
                writer.u64(*token);
                writer.u32(pid.cast_unsigned());
            }),
            Self::NotForked { token, errno } => message(NOT_FORKED, |writer| {
                writer.u64(*token);
                writer.u32(errno.cast_unsigned());
            }),
            Self::Exited { pid, status } => message(EXITED, |writer| {
                writer.u32(pid.cast_unsigned());
                writer.u32(status.cast_unsigned());
            }),
        }
    }

    /// Reads one datagram.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let mut cursor = Cursor::new(bytes);
        let reply = match cursor.u8().map_err(|_| WireError::Empty)? {
            READY => Self::Ready {
                version: cursor.string()?,
                protections: cursor.list(4, Cursor::string)?,
            },
            REFUSED => Self::Refused {
                reason: cursor.string()?,
            },
            FORKED => Self::Forked {
                token: cursor.u64()?,
                pid: cursor.u32()?.cast_signed(),
            },
            NOT_FORKED => Self::NotForked {
                token: cursor.u64()?,
                errno: cursor.u32()?.cast_signed(),
            },
            EXITED => Self::Exited {
                pid: cursor.u32()?.cast_signed(),
                status: cursor.u32()?.cast_signed(),
            },
            other => return Err(WireError::Kind(other)),
        };
        cursor.end()?;
        Ok(reply)
    }
}
