//! No capability, also where the host runs as root, and none over the namespace of our own.

use crate::sys;
use std::io::Result;

pub(super) fn drop_all() -> Result<()> {
    sys::drop_capabilities()
}
