//! The system calls of the worker behind safe functions.
#![expect(unsafe_code, reason = "system calls without a safe interface in std")]

use libc::{c_int, c_ulong, c_void};
use std::io::{Error, Result};
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::time::Duration;

fn check(status: c_int) -> Result<c_int> {
    if status < 0 {
        Err(Error::last_os_error())
    } else {
        Ok(status)
    }
}

/// prctl(2) with integers.
pub fn prctl(option: c_int, value: c_ulong) -> Result<c_int> {
    // SAFETY: the options used here take integers; unused arguments must be zero.
    check(unsafe { libc::prctl(option, value, 0 as c_ulong, 0 as c_ulong, 0 as c_ulong) })
}

/// In which process fork(2) returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forked {
    /// The new one.
    Child,
    /// The caller, with the id of the new one.
    Parent(i32),
}

/// fork(2). The worker has one thread, so the child may do everything that its parent could.
pub fn fork() -> Result<Forked> {
    // SAFETY: no other thread can hold a lock of the child's copy.
    match check(unsafe { libc::fork() })? {
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(pid)),
    }
}

/// Waits for a child; its status as wait(2) gives it.
pub fn wait(pid: i32) -> Result<i32> {
    let mut status = 0;
    loop {
        // SAFETY: writes one integer of ours.
        match check(unsafe { libc::waitpid(pid, &raw mut status, 0) }) {
            Ok(_) => return Ok(status),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Ends a process.
pub fn kill(pid: i32) -> Result<()> {
    // SAFETY: a process that we forked and did not reap.
    check(unsafe { libc::kill(pid, libc::SIGKILL) }).map(drop)
}

/// The parent's id; 0 where the parent is outside of our namespace.
pub fn parent() -> i32 {
    // SAFETY: reads an id.
    unsafe { libc::getppid() }
}

/// The own id.
pub fn own_pid() -> i32 {
    // SAFETY: reads an id.
    unsafe { libc::getpid() }
}

/// Sets a limit, soft and hard.
pub fn set_limit(resource: u32, value: u64) -> Result<()> {
    let limit = libc::rlimit {
        rlim_cur: value,
        rlim_max: value,
    };
    // SAFETY: reads one struct of ours.
    check(unsafe { libc::setrlimit(resource as _, &raw const limit) }).map(drop)
}

/// The soft limit.
pub fn limit(resource: u32) -> Result<u64> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: writes one struct of ours.
    check(unsafe { libc::getrlimit(resource as _, &raw mut limit) })?;
    Ok(limit.rlim_cur)
}

/// unshare(2).
pub fn unshare(flags: c_int) -> Result<()> {
    // SAFETY: changes namespaces of this process only.
    check(unsafe { libc::unshare(flags) }).map(drop)
}

/// Closes every descriptor from `first` on. Nothing here owns one of them afterwards.
pub fn close_from(first: u32) -> Result<()> {
    // SAFETY: the callers leak or forget whatever owned the descriptors.
    let status = unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) };
    check(status as c_int).map(drop)
}

/// Makes `socket` descriptor 0.
pub fn become_stdin(socket: &OwnedFd) -> Result<()> {
    // SAFETY: replaces descriptor 0, which nothing in this process owns.
    check(unsafe { libc::dup3(socket.as_raw_fd(), 0, 0) }).map(drop)
}

/// recv(2); 0 is the end of the stream.
pub fn receive(fd: RawFd, buffer: &mut [u8], block: bool) -> Result<usize> {
    let flags = if block { 0 } else { libc::MSG_DONTWAIT };
    // SAFETY: writes at most the length of the buffer.
    let length = unsafe { libc::recv(fd, buffer.as_mut_ptr().cast(), buffer.len(), flags) };
    usize::try_from(length).map_err(|_| Error::last_os_error())
}

/// Sends all of it.
pub fn send(fd: RawFd, mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        // SAFETY: reads the length of the buffer.
        let sent =
            unsafe { libc::send(fd, bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) };
        match usize::try_from(sent) {
            Ok(sent) => bytes = bytes.get(sent..).unwrap_or_default(),
            Err(_) => {
                let error = Error::last_os_error();
                if error.kind() != std::io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    }
    Ok(())
}

/// One datagram, and the descriptor that came with it. 0 bytes: the other end is closed.
pub fn receive_with_fd(fd: RawFd, buffer: &mut [u8]) -> Result<(usize, Option<OwnedFd>)> {
    const SPACE: usize = 64;
    #[repr(align(8))]
    struct Control([u8; SPACE]);
    let mut control = Control([0; SPACE]);
    let mut piece = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    // SAFETY: a message header may be all zero; the pointers in it outlive the call. A descriptor in the answer is
    // new and ours.
    unsafe {
        let mut message: libc::msghdr = mem::zeroed();
        message.msg_iov = &raw mut piece;
        message.msg_iovlen = 1;
        message.msg_control = (&raw mut control.0).cast::<c_void>();
        message.msg_controllen = SPACE as _;
        let length = loop {
            let length = libc::recvmsg(fd, &raw mut message, libc::MSG_CMSG_CLOEXEC);
            match usize::try_from(length) {
                Ok(length) => break length,
                Err(_) => {
                    let error = Error::last_os_error();
                    if error.kind() != std::io::ErrorKind::Interrupted {
                        return Err(error);
                    }
                }
            }
        };
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        let passed = header.as_ref().and_then(|header| {
            let rights = header.cmsg_level == libc::SOL_SOCKET
                && header.cmsg_type == libc::SCM_RIGHTS
                && header.cmsg_len as u64 == u64::from(libc::CMSG_LEN(size_of::<RawFd>() as u32));
            rights.then(|| ptr::read_unaligned(libc::CMSG_DATA(header).cast::<RawFd>()))
        });
        Ok((length, passed.map(|fd| OwnedFd::from_raw_fd(fd))))
    }
}

/// Ends this process at once.
pub fn exit(code: i32) -> ! {
    // SAFETY: does not return.
    unsafe { libc::_exit(code) }
}

/// Waits for a signal that ends the process, for ever.
pub fn sleep_for_ever() -> ! {
    loop {
        // Not pause(2), which not every architecture has.
        // SAFETY: waits; no descriptor and no time is given.
        unsafe { libc::ppoll(ptr::null_mut(), 0, ptr::null(), ptr::null()) };
    }
}

extern "C" fn on_alarm(_signal: c_int) {
    codemode_engine::raise_alarm();
}

/// The host's signal and the CPU timer's raise the engine's alarm; every other one has its default, so that a crash is seen as
/// what it is.
pub fn install_signals() -> Result<()> {
    // SAFETY: the handler touches atomics only; the structs are ours.
    unsafe {
        for signal in 1..libc::SIGSYS {
            if signal != libc::SIGKILL && signal != libc::SIGSTOP {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = on_alarm as extern "C" fn(c_int) as usize;
        action.sa_flags = libc::SA_RESTART;
        for signal in [libc::SIGUSR1, libc::SIGPROF] {
            check(libc::sigaction(signal, &raw const action, ptr::null_mut()))?;
        }
        // The standard library's stack for its overflow handler, which is gone.
        let off = libc::stack_t {
            ss_sp: ptr::null_mut(),
            ss_flags: libc::SS_DISABLE,
            ss_size: 0,
        };
        check(libc::sigaltstack(&raw const off, ptr::null_mut()))?;
    }
    Ok(())
}

/// Sends SIGPROF after this much CPU time of the process, and then again and again.
pub fn set_cpu_timer(first: Duration, interval: Duration) -> Result<()> {
    let time = |duration: Duration| libc::timeval {
        tv_sec: duration.as_secs() as _,
        tv_usec: duration.subsec_micros().into(),
    };
    let timer = libc::itimerval {
        it_interval: time(interval),
        it_value: time(first),
    };
    // SAFETY: reads one struct of ours.
    check(unsafe { libc::setitimer(libc::ITIMER_PROF, &raw const timer, ptr::null_mut()) })
        .map(drop)
}

/// Gives up every capability.
pub fn drop_capabilities() -> Result<()> {
    const VERSION_3: u32 = 0x2008_0522;
    #[repr(C)]
    struct Header {
        version: u32,
        pid: c_int,
    }
    let header = Header {
        version: VERSION_3,
        pid: 0,
    };
    // Effective, permitted and inheritable, twice 32 bits each.
    let none = [0_u32; 6];
    // SAFETY: the structures of capset(2) for the version in the header.
    let status = unsafe { libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr()) };
    check(status as c_int).map(drop)
}

/// Bytes of a page of memory.
pub fn page_bytes() -> u64 {
    // SAFETY: reads a constant of the system.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(bytes).unwrap_or(4096)
}
