//! Attempts of forbidden things, made from inside the lock-down: each in a process of its own, locked down by the code that
//! locks down the process of a run. A test of its own making, since a process with threads cannot be locked down.
#![allow(
    unsafe_code,
    missing_docs,
    clippy::print_stdout,
    clippy::exit,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::undocumented_unsafe_blocks,
    reason = "attacks on itself; a broken expectation ends the test"
)]

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(target_os = "linux")]
mod common;

#[cfg(target_os = "linux")]
mod systems;

#[cfg(target_os = "linux")]
mod linux {
    use codemode_worker::lockdown::{self, Action, CONTROL, GUEST, PROTECTIONS};
    use codemode_worker::sys::{self, Forked};
    use std::io::Error;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};
    use std::ptr;

    type Attempt = fn() -> i64;

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
    const FORBIDDEN: &[(&str, bool, Attempt)] = &[
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
    const LISTED: &[(&str, Option<Attempt>)] = &[
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
    const WRONG: &[(&str, Attempt)] = &[
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

    fn attempt(name: &str) -> Attempt {
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

    /// In the process that makes the attempt: 0 where it works, the error else.
    fn code(attempt: Attempt) -> i32 {
        match attempt() {
            -1 => Error::last_os_error().raw_os_error().unwrap_or(99),
            _ => 0,
        }
    }

    /// `probes --inside <name> <free|deny|kill>`: exit code of the attempt, 200 + the signal that ended it.
    fn inside(name: &str, mode: &str) -> ! {
        let attempt = attempt(name);
        let action = match mode {
            "free" => sys::exit(code(attempt)),
            "deny" => Action::Deny,
            _ => Action::Kill,
        };
        let Ok(worker) = lockdown::worker(sys::parent(), action) else {
            sys::exit(120)
        };
        match sys::fork() {
            Ok(Forked::Child) => {
                let _ = sys::close_from(1);
                if lockdown::guest(&worker, 1 << 30).is_err() {
                    sys::exit(121);
                }
                if name == "everything" {
                    sys::exit(attempt() as i32);
                }
                if name == "abort" {
                    unsafe { libc::abort() };
                }
                if name == "memory" {
                    let size = 4_usize << 30;
                    let block = unsafe {
                        libc::mmap(
                            ptr::null_mut(),
                            size,
                            3,
                            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                            -1,
                            0,
                        )
                    };
                    sys::exit(i32::from(block == libc::MAP_FAILED));
                }
                sys::exit(code(attempt))
            }
            Ok(Forked::Parent(pid)) => {
                let status = sys::wait(pid).unwrap_or(-1);
                if libc::WIFSIGNALED(status) {
                    sys::exit(200 + libc::WTERMSIG(status));
                }
                sys::exit(libc::WEXITSTATUS(status))
            }
            Err(_) => sys::exit(122),
        }
    }

    fn probe(name: &str, mode: &str) -> i32 {
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--inside", name, mode])
            .stdin(Stdio::null())
            .status()
            .unwrap();
        status
            .code()
            .unwrap_or_else(|| -status.signal().unwrap_or(1))
    }

    /// Processes of this program that are nobody's child any more.
    fn left() -> i32 {
        let own = std::env::current_exe().unwrap();
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let ours = processes.filter(|entry| {
            let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let orphan = stat
                .rsplit_once(") ")
                .is_some_and(|(_, fields)| fields.split(' ').nth(1) == Some("1"));
            orphan && std::fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == own)
        });
        ours.count() as i32
    }

    struct Tests {
        passed: u32,
        failed: u32,
    }

    impl Tests {
        fn expect(&mut self, name: &str, good: bool, got: i32) {
            if good {
                self.passed += 1;
            } else {
                self.failed += 1;
                println!("test {name} ... FAILED: {got}");
            }
        }
    }

    const SIGSYS: i32 = 200 + libc::SIGSYS;

    pub(crate) fn main() {
        let args: Vec<String> = std::env::args().collect();
        if let [_, flag, system] = &args[..]
            && flag == "--on"
        {
            crate::systems::enter(system);
        }
        if let [_, flag, name, mode] = &args[..]
            && flag == "--inside"
        {
            inside(name, mode);
        }
        let mut tests = Tests {
            passed: 0,
            failed: 0,
        };
        for (name, works, _) in FORBIDDEN {
            let free = probe(name, "free");
            tests.expect(
                &format!("{name}: works without a lock-down"),
                !works || free == 0,
                free,
            );
            let denied = probe(name, "deny");
            tests.expect(&format!("{name}: denied"), denied == libc::EPERM, denied);
            let killed = probe(name, "kill");
            tests.expect(
                &format!("{name}: ends the process"),
                killed == SIGSYS,
                killed,
            );
        }
        let wrong = LISTED
            .iter()
            .filter_map(|(name, attempt)| attempt.map(|_| *name));
        for name in wrong.chain(WRONG.iter().map(|(name, _)| *name)) {
            let killed = probe(name, "kill");
            tests.expect(
                &format!("{name}, wrong arguments: ends the process"),
                killed == SIGSYS,
                killed,
            );
        }
        let open = probe("everything", "deny");
        tests.expect("every call that is on no list is denied", open == 0, open);
        let aborted = probe("abort", "kill");
        tests.expect("abort() works", aborted == 200 + libc::SIGABRT, aborted);
        let memory = probe("memory", "kill");
        tests.expect(
            "address space over the limit is refused",
            memory == 1,
            memory,
        );
        std::thread::sleep(std::time::Duration::from_millis(300));
        let left = left();
        tests.expect(
            "the first process of a namespace ends with its worker",
            left == 0,
            left,
        );
        for (system, what) in crate::systems::ALL {
            let code = Command::new(std::env::current_exe().unwrap())
                .args(["--on", system])
                .status()
                .unwrap()
                .code();
            tests.expect(what, code == Some(0), code.unwrap_or(-1));
        }
        lists(&mut tests);
        println!(
            "\ntest result: {}. {} passed; {} failed; 0 ignored; 0 measured; 0 filtered out",
            if tests.failed == 0 { "ok" } else { "FAILED" },
            tests.passed,
            tests.failed
        );
        std::process::exit(i32::from(tests.failed > 0));
    }

    /// The lists and this test cannot drift apart.
    fn lists(tests: &mut Tests) {
        let names: Vec<_> = GUEST.iter().map(|entry| entry.name).collect();
        let tested: Vec<_> = LISTED.iter().map(|(name, _)| *name).collect();
        tests.expect(
            "the list of a run's process is the one that is tested",
            names == tested,
            0,
        );
        let conditions = GUEST
            .iter()
            .zip(LISTED)
            .all(|(entry, (_, wrong))| entry.when.is_empty() != wrong.is_some());
        tests.expect("each condition is tested", conditions, 0);
        for entry in GUEST.iter().chain(CONTROL) {
            tests.expect(&format!("{} says why", entry.name), entry.why.len() > 3, 0);
        }
        let within = GUEST
            .iter()
            .all(|entry| CONTROL.iter().any(|other| other.number == entry.number));
        tests.expect("a forked process may do no more than its worker", within, 0);
        let required: Vec<_> = PROTECTIONS
            .iter()
            .filter(|(_, required)| *required)
            .map(|(name, _)| *name)
            .collect();
        tests.expect(
            "seccomp and Landlock are required",
            required.contains(&"seccomp") && required.contains(&"landlock-files"),
            0,
        );
    }
}
