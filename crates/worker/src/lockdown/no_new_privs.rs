//! No program that this process could start gets more rights than it has. Landlock and seccomp ask for it.

use crate::sys;
use std::io::Result;

pub(super) fn set() -> Result<()> {
    sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1).map(drop)
}
