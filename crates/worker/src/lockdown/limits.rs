//! Resource limits: no files, no processes, no core, a bounded address space.

use crate::sys;
use std::io::{Error, Result};

/// Descriptors of the worker: its own, one on its way, and some for the C library.
const WORKER_FILES: u64 = 32;
/// The native stack: the greatest stack limit of a guest, and a reserve for our own frames.
const STACK: u64 = codemode_engine::MAX_STACK_BYTES + (4 << 20);

/// As early as possible: how far a stack may grow is asked when it grows.
pub(crate) fn raise_stack() -> Result<()> {
    if sys::limit(libc::RLIMIT_STACK as _)? < STACK {
        sys::set_limit(libc::RLIMIT_STACK as _, STACK)?;
    }
    Ok(())
}

/// Bytes of address space this process has now. Needs `/proc`, so before Landlock.
pub(super) fn address_space() -> Result<u64> {
    let text = std::fs::read_to_string("/proc/self/statm")?;
    let pages = text.split(' ').next().and_then(|pages| pages.parse().ok());
    let pages: u64 = pages.ok_or_else(|| Error::other("/proc/self/statm is not readable"))?;
    Ok(pages.saturating_mul(sys::page_bytes()))
}

/// After Landlock, whose rule set is a descriptor.
pub(super) fn of_worker() -> Result<()> {
    sys::set_limit(libc::RLIMIT_CORE as _, 0)?;
    sys::set_limit(libc::RLIMIT_FSIZE as _, 0)?;
    sys::set_limit(libc::RLIMIT_MEMLOCK as _, 0)?;
    sys::set_limit(libc::RLIMIT_MSGQUEUE as _, 0)?;
    sys::set_limit(libc::RLIMIT_NOFILE as _, WORKER_FILES)
}

pub(super) fn of_guest(address_space: u64) -> Result<()> {
    sys::set_limit(libc::RLIMIT_AS as _, address_space.saturating_add(STACK))?;
    sys::set_limit(libc::RLIMIT_NPROC as _, 0)?;
    sys::set_limit(libc::RLIMIT_NOFILE as _, 0)
}
