//! No core file, and no other process of the same user may attach or read the memory.

use crate::sys;
use std::io::Result;

/// After the last change of credentials, which would reset it.
pub(super) fn clear() -> Result<()> {
    sys::prctl(libc::PR_SET_DUMPABLE, 0).map(drop)
}
