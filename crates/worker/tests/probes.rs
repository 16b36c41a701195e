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
mod attempts;

#[cfg(target_os = "linux")]
mod common;

#[cfg(target_os = "linux")]
mod systems;

#[cfg(target_os = "linux")]
mod linux {
    use crate::attempts::{Attempt, FORBIDDEN, LISTED, WRONG, attempt};
    use codemode_worker::lockdown::{self, Action, CONTROL, GUEST, PROTECTIONS};
    use codemode_worker::sys::{self, Forked};
    use std::io::Error;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};
    use std::ptr;

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
