//! Lowering the priority of a thread that computes for long, so that the host's event loop and short guests go first.

/// A thread of this process.
pub(crate) struct Thread {
    #[cfg(target_os = "linux")]
    id: libc::pid_t,
}

#[cfg(target_os = "linux")]
impl Thread {
    /// Above the default of 0; 19 is the lowest priority there is.
    const NICE: libc::c_int = 10;

    #[expect(unsafe_code, reason = "no safe interface to thread ids in std")]
    #[expect(clippy::unnecessary_wraps, reason = "other systems have none")]
    pub(crate) fn current() -> Option<Self> {
        // SAFETY: reads the id of the calling thread.
        let id = unsafe { libc::gettid() };
        Some(Self { id })
    }

    /// True where the system did it.
    #[expect(unsafe_code, reason = "no safe interface to thread priorities in std")]
    pub(crate) fn lower(&self) -> bool {
        // On Linux `PRIO_PROCESS` with a thread id is that thread alone, see setpriority(2).
        // SAFETY: changes a priority; a thread that is gone gives an error.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, self.id.cast_unsigned(), Self::NICE) == 0 }
    }
}

#[cfg(not(target_os = "linux"))]
impl Thread {
    pub(crate) fn current() -> Option<Self> {
        None
    }

    pub(crate) fn lower(&self) -> bool {
        false
    }
}
