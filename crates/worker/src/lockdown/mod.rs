//! What a process gives up, one file for each mechanism, in the order in which it has to be done.

mod capabilities;
mod dumpable;
mod filters;
mod landlock;
mod limits;
mod namespaces;
mod no_new_privs;
mod parent;
mod seccomp;

use crate::sys;
use std::fmt;

pub use filters::{CONTROL, Entry, GUEST, INIT, OWN_PID, Test};
pub(crate) use limits::raise_stack;
pub use namespaces::Namespaces;
pub use seccomp::{Action, Filter};

/// Names of the protections in force, and whether a worker without them refuses to work.
pub const PROTECTIONS: &[(&str, bool)] = &[
    ("no-new-privs", true),
    ("not-dumpable", true),
    ("no-capabilities", true),
    ("dies-with-parent", true),
    ("rlimits", true),
    ("landlock-files", true),
    ("seccomp", true),
    // The kernel may be older, or forbid these in a container; what they add is denied by seccomp, too.
    ("landlock-tcp", false),
    ("landlock-scope", false),
    ("user-namespace", false),
    ("pid-namespace", false),
    ("net-namespace", false),
    ("ipc-namespace", false),
];

/// A protection that must hold and does not.
#[derive(Debug)]
pub struct Missing {
    /// As in `PROTECTIONS`.
    pub protection: &'static str,
    /// What the system said.
    pub reason: String,
}

impl Missing {
    fn because(protection: &'static str) -> impl Fn(std::io::Error) -> Self {
        move |error| Self {
            protection,
            reason: error.to_string(),
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.protection, self.reason)
    }
}

/// What the forked processes need of the worker's lock-down.
pub struct Worker {
    /// Names of the protections in force.
    pub protections: Vec<&'static str>,
    namespaces: Namespaces,
    guest_filter: Filter,
    pid: i32,
    /// The first process of the namespace for processes.
    init: Option<i32>,
    /// Bytes of address space before the first fork.
    address_space: u64,
}

impl Worker {
    /// A process of the worker's own that it has to end.
    pub fn init(&self) -> Option<i32> {
        self.init
    }
}

/// Locks the worker down. `parent` is the process it must not outlive; `action` what a forbidden call of a guest does.
pub fn worker(parent: i32, action: Action) -> Result<Worker, Missing> {
    let address_space = limits::address_space().map_err(Missing::because("rlimits"))?;
    let namespaces = namespaces::enter();
    no_new_privs::set().map_err(Missing::because("no-new-privs"))?;
    capabilities::drop_all().map_err(Missing::because("no-capabilities"))?;
    dumpable::clear().map_err(Missing::because("not-dumpable"))?;
    parent::die_with(Some(parent)).map_err(Missing::because("dies-with-parent"))?;
    let landlock = landlock::restrict()?;
    // Inside of the Landlock domain, which lets signals through to its own processes only: the signal of our death, too.
    let init = if namespaces.pid {
        let init = namespaces::start_init().map_err(Missing::because("pid-namespace"))?;
        Some(init)
    } else {
        None
    };
    limits::of_worker().map_err(Missing::because("rlimits"))?;
    let guest_filter = Filter::compile(GUEST, action)?;
    Filter::compile(CONTROL, action)?.install()?;
    let mut protections: Vec<_> = PROTECTIONS
        .iter()
        .filter(|(_, required)| *required)
        .map(|(name, _)| *name)
        .collect();
    protections.extend(landlock);
    protections.extend(namespaces.names());
    Ok(Worker {
        protections,
        namespaces,
        guest_filter,
        pid: sys::own_pid(),
        init,
        address_space,
    })
}

/// Locks a forked process down, whose only descriptor is 0. `room_bytes` is the address space it may take beyond the
/// worker's.
pub fn guest(worker: &Worker, room_bytes: u64) -> Result<(), Missing> {
    // The parent of the first process of a namespace is outside of it and has no id.
    let parent = (!worker.namespaces.pid).then_some(worker.pid);
    parent::die_with(parent).map_err(Missing::because("dies-with-parent"))?;
    limits::of_guest(worker.address_space.saturating_add(room_bytes))
        .map_err(Missing::because("rlimits"))?;
    worker.guest_filter.for_pid(sys::own_pid()).install()
}
