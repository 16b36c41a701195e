//! The lists of allowed system calls, as data. Each entry says which code needs it; a test compares them with what a
//! locked-down process can do.

/// Stands for the id of the process that the filter is installed in.
pub const OWN_PID: u32 = 0x7fff_1d1d;

/// A condition on an argument, by its low 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// The argument with this number is this.
    Is(u8, u32),
    /// Of the argument with this number, the bits of the mask are these.
    Bits(u8, u32, u32),
}

/// One allowed call.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// As in the manual.
    pub name: &'static str,
    /// On the architecture of this build.
    pub number: i64,
    /// All must hold; of entries with the same number any one.
    pub when: &'static [Test],
    /// Which code needs it.
    pub why: &'static str,
}

macro_rules! entries {
    ($($name:literal $number:ident [$($when:expr),*] $why:literal;)*) => {
        &[$(Entry {
            name: $name,
            number: libc::$number as i64,
            when: &[$($when),*],
            why: $why,
        }),*]
    };
}

const NO_EXEC: Test = Test::Bits(2, libc::PROT_EXEC as u32, 0);
const ANONYMOUS: Test = Test::Bits(3, libc::MAP_ANONYMOUS as u32, libc::MAP_ANONYMOUS as u32);

/// The process of a run. It has one descriptor, 0.
pub const GUEST: &[Entry] = entries! {
    "recvfrom" SYS_recvfrom [Test::Is(0, 0)] "frames of the host";
    "sendto" SYS_sendto [Test::Is(0, 0), Test::Is(4, 0)] "frames to the host; no address, so nowhere else";
    "brk" SYS_brk [] "malloc: the heap";
    "mmap" SYS_mmap [NO_EXEC, ANONYMOUS] "malloc: large blocks; never a file, never code";
    "munmap" SYS_munmap [] "free: large blocks";
    "mremap" SYS_mremap [] "realloc: large blocks";
    "madvise" SYS_madvise [] "free: gives pages back";
    "clock_gettime" SYS_clock_gettime [] "the CPU clock of the guest, which the vDSO does not have";
    "setitimer" SYS_setitimer [Test::Is(0, libc::ITIMER_PROF as u32)] "the CPU limit, set when the program is known";
    "rt_sigreturn" SYS_rt_sigreturn [] "the end of the handler for the host's signal and the CPU timer";
    "rt_sigprocmask" SYS_rt_sigprocmask [] "abort()";
    "getpid" SYS_getpid [] "abort()";
    "gettid" SYS_gettid [] "abort()";
    "tgkill" SYS_tgkill [Test::Is(0, OWN_PID), Test::Is(2, libc::SIGABRT as u32)] "abort(): itself, and that signal only";
    "exit_group" SYS_exit_group [] "the end of the run";
};

/// The worker after its lock-down, and a forked process until its own.
pub const CONTROL: &[Entry] = entries! {
    "recvmsg" SYS_recvmsg [] "requests of the host, with the socket of a new process";
    "recvfrom" SYS_recvfrom [] "a forked process: see GUEST";
    "sendto" SYS_sendto [] "replies to the host";
    "clone" SYS_clone [Test::Is(0, (libc::CLONE_CHILD_SETTID | libc::CLONE_CHILD_CLEARTID | libc::SIGCHLD) as u32)] "fork()";
    "wait4" SYS_wait4 [] "reaping";
    "kill" SYS_kill [Test::Is(1, libc::SIGKILL as u32)] "the worker's end, which is that of what it forked";
    "dup3" SYS_dup3 [] "a forked process: its socket becomes descriptor 0";
    "close" SYS_close [] "the socket of a process that was forked";
    "fcntl" SYS_fcntl [Test::Is(1, libc::F_GETFD as u32)] "debug builds: the standard library looks before it closes";
    "close_range" SYS_close_range [] "a forked process: every descriptor but 0";
    "prctl" SYS_prctl [Test::Is(0, libc::PR_SET_PDEATHSIG as u32)] "a forked process: dies with the worker";
    "prctl" SYS_prctl [Test::Is(0, libc::PR_SET_NO_NEW_PRIVS as u32)] "a forked process: before its filter";
    "getppid" SYS_getppid [] "a forked process: is the worker still there";
    "prlimit64" SYS_prlimit64 [Test::Is(0, 0)] "a forked process: its limits";
    "seccomp" SYS_seccomp [Test::Is(0, libc::SECCOMP_SET_MODE_FILTER)] "a forked process: its filter";
    "set_robust_list" SYS_set_robust_list [] "fork() in the C library";
    "rseq" SYS_rseq [] "fork() in the C library";
    "futex" SYS_futex [] "locks of the C library around fork()";
    "brk" SYS_brk [] "malloc";
    "mmap" SYS_mmap [NO_EXEC, ANONYMOUS] "malloc";
    "munmap" SYS_munmap [] "free";
    "mremap" SYS_mremap [] "realloc";
    "madvise" SYS_madvise [] "free";
    "clock_gettime" SYS_clock_gettime [] "see GUEST";
    "setitimer" SYS_setitimer [] "see GUEST";
    "getrandom" SYS_getrandom [] "malloc and hash tables, at first use";
    "rt_sigreturn" SYS_rt_sigreturn [] "see GUEST";
    "rt_sigprocmask" SYS_rt_sigprocmask [] "fork() and abort()";
    "getpid" SYS_getpid [] "the filter of a forked process";
    "gettid" SYS_gettid [] "fork() and abort()";
    "tgkill" SYS_tgkill [] "abort()";
    "exit_group" SYS_exit_group [] "the end";
};

/// The first process of the namespace, which only waits.
pub const INIT: &[Entry] = entries! {
    "ppoll" SYS_ppoll [] "waits for its end";
    "rt_sigreturn" SYS_rt_sigreturn [] "a signal handler's end";
    "exit_group" SYS_exit_group [] "the end";
};
