//! System calls behind safe functions.
#![expect(unsafe_code, reason = "system calls without a safe interface in std")]

use libc::c_int;
use std::io::{Error, ErrorKind, Result};
use std::mem;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;
use std::time::Duration;

fn check(status: c_int) -> Result<c_int> {
    if status < 0 {
        Err(Error::last_os_error())
    } else {
        Ok(status)
    }
}

fn owned(status: c_int) -> Result<OwnedFd> {
    // SAFETY: a descriptor that a system call just made for us.
    check(status).map(|fd| unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Two connected sockets. Ours does not block; the other end does.
pub(crate) fn socket_pair(datagrams: bool) -> Result<(OwnedFd, OwnedFd)> {
    let kind = if datagrams {
        libc::SOCK_SEQPACKET
    } else {
        libc::SOCK_STREAM
    };
    let mut pair = [0; 2];
    // SAFETY: writes two descriptors, which are ours.
    let (ours, theirs) = unsafe {
        let kind = kind | libc::SOCK_CLOEXEC;
        check(libc::socketpair(libc::AF_UNIX, kind, 0, pair.as_mut_ptr()))?;
        let [ours, theirs] = pair;
        (OwnedFd::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs))
    };
    // SAFETY: sets a flag of a descriptor of ours.
    check(unsafe { libc::fcntl(ours.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) })?;
    Ok((ours, theirs))
}

/// recv(2) without blocking; 0 is the end of the stream, `None` nothing now.
pub(crate) fn receive(fd: &OwnedFd, buffer: &mut [u8]) -> Result<Option<usize>> {
    loop {
        let flags = libc::MSG_DONTWAIT;
        // SAFETY: writes at most the length of the buffer.
        let length = unsafe {
            libc::recv(
                fd.as_raw_fd(),
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                flags,
            )
        };
        match usize::try_from(length) {
            Ok(length) => return Ok(Some(length)),
            Err(_) => match Error::last_os_error() {
                error if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                error if error.kind() == ErrorKind::Interrupted => {}
                error => return Err(error),
            },
        }
    }
}

/// send(2) without blocking; how much was taken.
pub(crate) fn send(fd: &OwnedFd, bytes: &[u8]) -> Result<usize> {
    loop {
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        // SAFETY: reads the length of the buffer.
        let length =
            unsafe { libc::send(fd.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), flags) };
        match usize::try_from(length) {
            Ok(length) => return Ok(length),
            Err(_) => match Error::last_os_error() {
                error if error.kind() == ErrorKind::WouldBlock => return Ok(0),
                error if error.kind() == ErrorKind::Interrupted => {}
                error => return Err(error),
            },
        }
    }
}

/// One datagram, with a descriptor where one is given; false where there is no room now.
pub(crate) fn send_datagram(
    fd: &OwnedFd,
    bytes: &[u8],
    passed: Option<BorrowedFd<'_>>,
) -> Result<bool> {
    const SPACE: usize = 64;
    #[repr(align(8))]
    struct Control([u8; SPACE]);
    let mut control = Control([0; SPACE]);
    let mut piece = libc::iovec {
        iov_base: bytes.as_ptr().cast_mut().cast(),
        iov_len: bytes.len(),
    };
    // SAFETY: a message header may be all zero; the pointers in it outlive the call; one descriptor fits in the space.
    let sent = unsafe {
        let mut message: libc::msghdr = mem::zeroed();
        message.msg_iov = &raw mut piece;
        message.msg_iovlen = 1;
        if let Some(passed) = passed {
            message.msg_control = (&raw mut control.0).cast();
            message.msg_controllen = libc::CMSG_SPACE(size_of::<c_int>() as u32) as _;
            if let Some(header) = libc::CMSG_FIRSTHDR(&raw const message).as_mut() {
                header.cmsg_level = libc::SOL_SOCKET;
                header.cmsg_type = libc::SCM_RIGHTS;
                header.cmsg_len = libc::CMSG_LEN(size_of::<c_int>() as u32) as _;
                ptr::write_unaligned(libc::CMSG_DATA(header).cast(), passed.as_raw_fd());
            }
        }
        libc::sendmsg(
            fd.as_raw_fd(),
            &raw const message,
            libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL,
        )
    };
    if sent >= 0 {
        return Ok(true);
    }
    match Error::last_os_error() {
        error if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
            Ok(false)
        }
        error => Err(error),
    }
}

/// kill(2); a process that is gone is no error.
pub(crate) fn kill(pid: i32, signal: c_int) {
    if pid > 0 {
        // SAFETY: sends a signal to a process of ours, whose id is taken until the worker reaps it.
        unsafe { libc::kill(pid, signal) };
    }
}

/// What is waited for at a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Interest {
    pub(crate) read: bool,
    pub(crate) write: bool,
}

/// epoll(7), level-triggered.
pub(crate) struct Poll(OwnedFd);

impl Poll {
    pub(crate) fn new() -> Result<Self> {
        // SAFETY: makes a descriptor.
        owned(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) }).map(Self)
    }

    fn control(
        &self,
        operation: c_int,
        fd: &OwnedFd,
        token: u64,
        interest: Interest,
    ) -> Result<()> {
        let mut events = 0;
        if interest.read {
            events |= libc::EPOLLIN as u32;
        }
        if interest.write {
            events |= libc::EPOLLOUT as u32;
        }
        let mut event = libc::epoll_event { events, u64: token };
        // SAFETY: reads one struct of ours.
        check(unsafe {
            libc::epoll_ctl(
                self.0.as_raw_fd(),
                operation,
                fd.as_raw_fd(),
                &raw mut event,
            )
        })
        .map(drop)
    }

    pub(crate) fn add(&self, fd: &OwnedFd, token: u64, interest: Interest) -> Result<()> {
        self.control(libc::EPOLL_CTL_ADD, fd, token, interest)
    }

    pub(crate) fn change(&self, fd: &OwnedFd, token: u64, interest: Interest) {
        // Fails only for a descriptor that was removed, which nobody waits for any more.
        let _ = self.control(libc::EPOLL_CTL_MOD, fd, token, interest);
    }

    pub(crate) fn remove(&self, fd: &OwnedFd) {
        let _ = self.control(libc::EPOLL_CTL_DEL, fd, 0, Interest::default());
    }

    /// Tokens of what is ready; empty at the timeout.
    pub(crate) fn wait(&self, timeout: Option<Duration>, ready: &mut Vec<u64>) {
        const MOST: usize = 64;
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; MOST];
        let timeout = timeout.map_or(-1, |timeout| {
            // Up, so that what is due then is due.
            c_int::try_from(timeout.as_micros().div_ceil(1000)).unwrap_or(c_int::MAX)
        });
        // SAFETY: writes at most `MOST` structs.
        let count = unsafe {
            libc::epoll_wait(
                self.0.as_raw_fd(),
                events.as_mut_ptr(),
                MOST as c_int,
                timeout,
            )
        };
        ready.clear();
        ready.extend(
            events
                .iter()
                .take(usize::try_from(count).unwrap_or(0))
                .map(|event| event.u64),
        );
    }
}

/// eventfd(2): wakes the thread that waits.
pub(crate) struct Waker(OwnedFd);

impl Waker {
    pub(crate) fn new() -> Result<Self> {
        // SAFETY: makes a descriptor.
        owned(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) }).map(Self)
    }

    pub(crate) fn fd(&self) -> &OwnedFd {
        &self.0
    }

    pub(crate) fn wake(&self) {
        let one = 1_u64;
        // SAFETY: reads eight bytes of ours.
        unsafe { libc::write(self.0.as_raw_fd(), (&raw const one).cast(), 8) };
    }

    pub(crate) fn reset(&self) {
        let mut count = 0_u64;
        // SAFETY: writes eight bytes of ours.
        unsafe { libc::read(self.0.as_raw_fd(), (&raw mut count).cast(), 8) };
    }
}

/// Bytes of a page of memory.
pub(crate) fn page_bytes() -> u64 {
    // SAFETY: reads a constant of the system.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(bytes).unwrap_or(4096)
}
