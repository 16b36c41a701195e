//! Systems that lack something, made by filters in front of the worker: it refuses with the reason, or works with less.

use crate::common::{WORKER, limits, result_of, run};
use codemode_process::{Lease, Unavailable};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};
use std::path::Path;

/// Name, and what it proves.
pub(crate) const ALL: &[(&str, &str)] = &[
    (
        "no-landlock",
        "a kernel without Landlock is refused by name",
    ),
    ("no-seccomp", "a kernel without seccomp is refused by name"),
    (
        "no-namespaces",
        "a container without namespaces works, and says that it has none",
    ),
    ("nobody", "an ordinary user has every required protection"),
];

/// System calls with these numbers fail with this error, here and in what is started from here.
fn without(numbers: &[i64], errno: i32) {
    let rules = numbers.iter().map(|number| (*number, Vec::new())).collect();
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let fails = SeccompAction::Errno(errno.cast_unsigned());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, fails, arch).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    apply_filter(&program).unwrap();
}

fn lease() -> Result<Lease, Unavailable> {
    Lease::new(Path::new(WORKER))
}

fn refused_for(protection: &str) -> bool {
    lease().is_err_and(|error| error.0.starts_with(protection))
}

/// The names of what is in force, where a program runs.
fn works() -> Option<Vec<String>> {
    let lease = lease().ok()?;
    let seen = run(&lease, "return 1 + 1", limits());
    (result_of(&seen) == "2").then(|| lease.protections())
}

/// Exit code 0 where the system is as `ALL` says.
pub(crate) fn enter(system: &str) -> ! {
    let good = match system {
        "no-landlock" => {
            without(&[libc::SYS_landlock_create_ruleset], libc::ENOSYS);
            refused_for("landlock-files")
        }
        "no-seccomp" => {
            without(&[libc::SYS_seccomp], libc::EINVAL);
            refused_for("seccomp")
        }
        "no-namespaces" => {
            without(&[libc::SYS_unshare], libc::EPERM);
            works().is_some_and(|names| !names.iter().any(|name| name.ends_with("-namespace")))
        }
        "nobody" => {
            // SAFETY: changes the ids of this process, which has one thread.
            unsafe {
                libc::setgid(65_534);
                libc::setuid(65_534);
            }
            works().is_some_and(|names| names.iter().any(|name| name == "seccomp"))
        }
        _ => false,
    };
    std::process::exit(i32::from(!good))
}
