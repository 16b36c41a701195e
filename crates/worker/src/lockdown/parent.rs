//! The process dies with its parent, whatever kills that.

use crate::sys;
use std::io::{Error, Result};

/// `parent`, where it is known, must still be there: one that died before the call would go unnoticed. After the last
/// change of credentials, which would reset it.
pub(super) fn die_with(parent: Option<i32>) -> Result<()> {
    sys::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong)?;
    match parent {
        Some(parent) if sys::parent() != parent => Err(Error::other("the parent is gone")),
        _ => Ok(()),
    }
}
