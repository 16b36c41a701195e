//! What is attempted from inside the lock-down, by name: forbidden calls, and the calls that are left.

use codemode_worker::lockdown::GUEST;
use std::io::Error;
use std::ptr;

/// One system call, or what leads to some; -1 where it was refused.
pub(crate) type Attempt = fn() -> i64;

macro_rules! call {
    ($number:ident $(, $argument:expr)*) => {
        || unsafe { libc::syscall(libc::$number $(, $argument)*) }
    };
}

const PATH: *const libc::c_char = c"/etc/passwd".as_ptr();
const ROOT: *const libc::c_char = c"/".as_ptr();
const NONE: *const u8 = ptr::null();
const PAGE: usize = 4096;

/// Forbidden. `true`: without a lock-down it works here, so that a denial is ours (the other ones need rights, devices or
/// arguments that a test does not have).
pub(crate) const FORBIDDEN: &[(&str, bool, Attempt)] = &[
    (
        "open a file",
        true,
        call!(SYS_openat, libc::AT_FDCWD, PATH, 0),
    ),
    (
        "open a directory",
        true,
        call!(SYS_openat, libc::AT_FDCWD, ROOT, libc::O_DIRECTORY),
    ),
    (
        "open /proc/self/mem",
        true,
        call!(SYS_openat, libc::AT_FDCWD, c"/proc/self/mem".as_ptr(), 0),
    ),
    (
        "open /proc/self/environ",
        true,
        call!(
            SYS_openat,
            libc::AT_FDCWD,
            c"/proc/self/environ".as_ptr(),
            0
        ),
    ),
    (
        "create a file",
        true,
        call!(
            SYS_openat,
            libc::AT_FDCWD,
            c"/tmp/codemode-probe".as_ptr(),
            libc::O_CREAT | libc::O_RDWR,
            0o600
        ),
    ),
    (
        "openat2",
        false,
        call!(SYS_openat2, libc::AT_FDCWD, PATH, NONE, 0),
    ),
    ("stat", true, || {
        let mut room = [0_u8; 256];
        unsafe {
            libc::syscall(
                libc::SYS_newfstatat,
                libc::AT_FDCWD,
                ROOT,
                room.as_mut_ptr(),
                0,
            )
        }
    }),
    ("statx", true, || {
        let mut room = [0_u8; 256];
        unsafe {
            libc::syscall(
                libc::SYS_statx,
                libc::AT_FDCWD,
                ROOT,
                0,
                0xfff,
                room.as_mut_ptr(),
            )
        }
    }),
    ("readlink", true, || {
        let mut room = [0_u8; 64];
        unsafe {
            libc::syscall(
                libc::SYS_readlinkat,
                libc::AT_FDCWD,
                c"/proc/self/exe".as_ptr(),
                room.as_mut_ptr(),
                64,
            )
        }
    }),
    (
        "unlink",
        false,
        call!(SYS_unlinkat, libc::AT_FDCWD, c"/tmp/none".as_ptr(), 0),
    ),
    ("mkdir", false, call!(SYS_mkdirat, libc::AT_FDCWD, ROOT, 0)),
    (
        "memfd_create",
        true,
        call!(SYS_memfd_create, c"x".as_ptr(), 0),
    ),
    ("memfd_secret", false, call!(SYS_memfd_secret, 0)),
    (
        "socket, TCP",
        true,
        call!(SYS_socket, libc::AF_INET, libc::SOCK_STREAM, 0),
    ),
    (
        "socket, Unix",
        true,
        call!(SYS_socket, libc::AF_UNIX, libc::SOCK_STREAM, 0),
    ),
    (
        "socket, netlink",
        true,
        call!(SYS_socket, libc::AF_NETLINK, libc::SOCK_RAW, 0),
    ),
    (
        "socket, vsock",
        false,
        call!(SYS_socket, 40, libc::SOCK_STREAM, 0),
    ),
    ("socketpair", true, || {
        let mut pair = [0_i32; 2];
        unsafe {
            libc::syscall(
                libc::SYS_socketpair,
                libc::AF_UNIX,
                libc::SOCK_STREAM,
                0,
                pair.as_mut_ptr(),
            )
        }
    }),
    ("connect", false, call!(SYS_connect, 0, NONE, 0)),
    ("bind", false, call!(SYS_bind, 0, NONE, 0)),
    (
        "sendmsg with a descriptor",
        false,
        call!(SYS_sendmsg, 0, NONE, 0),
    ),
    (
        "recvmsg with a descriptor",
        false,
        call!(SYS_recvmsg, 0, NONE, 0),
    ),
    ("fork", true, call!(SYS_clone, libc::SIGCHLD, 0, 0, 0, 0)),
    (
        "a thread",
        false,
        call!(
            SYS_clone,
            libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND,
            0,
            0,
            0,
            0
        ),
    ),
    ("clone3", false, call!(SYS_clone3, NONE, 0)),
    (
        "execve",
        false,
        call!(SYS_execve, c"/bin/none".as_ptr(), NONE, NONE),
    ),
    (
        "execveat",
        false,
        call!(
            SYS_execveat,
            0,
            c"".as_ptr(),
            NONE,
            NONE,
            libc::AT_EMPTY_PATH
        ),
    ),
    (
        "ptrace",
        false,
        call!(SYS_ptrace, libc::PTRACE_ATTACH, 1, 0, 0),
    ),
    (
        "process_vm_readv",
        false,
        call!(SYS_process_vm_readv, 1, NONE, 0, NONE, 0, 0),
    ),
    (
        "process_vm_writev",
        false,
        call!(SYS_process_vm_writev, 1, NONE, 0, NONE, 0, 0),
    ),
    ("kill the parent", true, || unsafe {
        libc::syscall(libc::SYS_kill, libc::getpid(), 0)
    }),
    ("kill every process", false, call!(SYS_kill, -1, 0)),
    ("tkill", false, call!(SYS_tkill, 1, 0)),
    (
        "rt_sigqueueinfo",
        false,
        call!(SYS_rt_sigqueueinfo, 1, 0, NONE),
    ),
    ("pidfd_open", false, call!(SYS_pidfd_open, 1, 0)),
    ("pidfd_getfd", false, call!(SYS_pidfd_getfd, 0, 0, 0)),
    (
        "pidfd_send_signal",
        false,
        call!(SYS_pidfd_send_signal, 0, 0, NONE, 0),
    ),
    ("mount", false, call!(SYS_mount, NONE, ROOT, NONE, 0, NONE)),
    ("pivot_root", false, call!(SYS_pivot_root, ROOT, ROOT)),
    ("chroot", false, call!(SYS_chroot, c"/none".as_ptr())),
    ("unshare", true, call!(SYS_unshare, 0)),
    ("setns", false, call!(SYS_setns, 0, 0)),
    ("bpf", false, call!(SYS_bpf, 0, NONE, 0)),
    ("io_uring_setup", false, call!(SYS_io_uring_setup, 1, NONE)),
    (
        "io_uring_enter",
        false,
        call!(SYS_io_uring_enter, 0, 0, 0, 0, NONE, 0),
    ),
    ("userfaultfd", false, call!(SYS_userfaultfd, 1)),
    (
        "perf_event_open",
        false,
        call!(SYS_perf_event_open, NONE, 0, -1, -1, 0),
    ),
    ("keyctl", false, call!(SYS_keyctl, 0, 0, 0)),
    ("seccomp", false, call!(SYS_seccomp, 2, 0, NONE)),
    (
        "landlock_create_ruleset",
        true,
        call!(SYS_landlock_create_ruleset, NONE, 0, 1),
    ),
    (
        "prctl",
        true,
        call!(SYS_prctl, libc::PR_GET_DUMPABLE, 0, 0, 0, 0),
    ),
    ("setuid", false, call!(SYS_setuid, 1_000_000)),
    ("capset", false, call!(SYS_capset, NONE, NONE)),
    ("personality", true, call!(SYS_personality, 0xffff_ffff_u32)),
    ("ioctl", false, call!(SYS_ioctl, 0, 0x5412, NONE)),
    ("fcntl", true, call!(SYS_fcntl, 0, libc::F_GETFL)),
    ("dup", true, call!(SYS_dup, 0)),
    ("pipe", true, || {
        let mut pair = [0_i32; 2];
        unsafe { libc::syscall(libc::SYS_pipe2, pair.as_mut_ptr(), 0) }
    }),
    ("eventfd", true, call!(SYS_eventfd2, 0, 0)),
    ("epoll_create", true, call!(SYS_epoll_create1, 0)),
    ("read", false, call!(SYS_read, 0, NONE, 0)),
    ("write", false, call!(SYS_write, 0, NONE, 0)),
    ("mprotect to code", true, || unsafe {
        let page = libc::mmap(
            ptr::null_mut(),
            PAGE,
            libc::PROT_READ,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        libc::syscall(
            libc::SYS_mprotect,
            page,
            PAGE,
            libc::PROT_READ | libc::PROT_EXEC,
        )
    }),
    (
        "higher limits",
        false,
        call!(
            SYS_prlimit64,
            0,
            libc::RLIMIT_NOFILE,
            [64_u64; 2].as_ptr(),
            NONE
        ),
    ),
    (
        "limits of another",
        false,
        call!(SYS_prlimit64, 1, libc::RLIMIT_NOFILE, NONE, NONE),
    ),
    ("shmget", true, call!(SYS_shmget, 0, PAGE, 0o1600)),
    (
        "modify_ldt, vm86 and such: a number that is none",
        false,
        || unsafe { libc::syscall(1023) },
    ),
];

/// Every entry of the list with the wrong arguments, where it asks for arguments.
pub(crate) const LISTED: &[(&str, Option<Attempt>)] = &[
    ("recvfrom", Some(call!(SYS_recvfrom, 1, NONE, 0, 0, 0, 0))),
    (
        "sendto",
        Some(call!(SYS_sendto, 0, NONE, 0, 0, c"addr".as_ptr(), 4)),
    ),
    ("brk", None),
    (
        "mmap",
        Some(call!(
            SYS_mmap,
            0,
            PAGE,
            libc::PROT_READ | libc::PROT_EXEC,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0
        )),
    ),
    ("munmap", None),
    ("mremap", None),
    ("madvise", None),
    ("clock_gettime", None),
    (
        "setitimer",
        Some(call!(SYS_setitimer, libc::ITIMER_REAL, NONE, NONE)),
    ),
    ("rt_sigreturn", None),
    ("rt_sigprocmask", None),
    ("getpid", None),
    ("gettid", None),
    ("tgkill", Some(call!(SYS_tgkill, 1, 1, libc::SIGABRT))),
    ("exit_group", None),
];

/// What else must not go with an allowed call.
pub(crate) const WRONG: &[(&str, Attempt)] = &[
    (
        "mmap of a file",
        call!(SYS_mmap, 0, PAGE, libc::PROT_READ, libc::MAP_PRIVATE, 0, 0),
    ),
    (
        "sendto another descriptor",
        call!(SYS_sendto, 1, NONE, 0, 0, 0, 0),
    ),
    ("another signal to itself", || unsafe {
        libc::syscall(
            libc::SYS_tgkill,
            libc::getpid(),
            libc::getpid(),
            libc::SIGUSR1,
        )
    }),
    ("abort of another", call!(SYS_tgkill, 3, 3, libc::SIGABRT)),
];

pub(crate) fn attempt(name: &str) -> Attempt {
    let listed = LISTED
        .iter()
        .filter_map(|(other, attempt)| attempt.map(|attempt| (*other, attempt)));
    let all = FORBIDDEN
        .iter()
        .map(|(other, _, attempt)| (*other, *attempt))
        .chain(listed)
        .chain(WRONG.iter().copied());
    all.into_iter()
        .find(|(other, _)| *other == name)
        .map_or(everything as Attempt, |(_, attempt)| attempt)
}

/// Every number that is on no list, in one process; its exit code counts those that are not denied.
fn everything() -> i64 {
    // The kernel's own trampolines for uprobes, which it asks no filter about: from anywhere else they are fatal.
    const UPROBES: [i64; 2] = [335, 336];
    let uprobe = |number: i64| cfg!(target_arch = "x86_64") && UPROBES.contains(&number);
    let listed = |number: i64| GUEST.iter().any(|entry| entry.number == number);
    let allowed = |number: i64| listed(number) || uprobe(number);
    let open = (0..1024)
        .filter(|number| !allowed(*number))
        .filter(|number| {
            let result = unsafe { libc::syscall(*number, 0, 0, 0, 0, 0, 0) };
            result != -1 || Error::last_os_error().raw_os_error() != Some(libc::EPERM)
        });
    open.count() as i64
}
