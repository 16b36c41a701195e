//! Namespaces of our own, where the kernel allows them: no ids, no processes, no network and no IPC of the host.
//!
//! The worker stays outside of the namespace for processes, so that the ids of the processes it forks are the host's.
//! The first process inside does nothing; when it ends, with the worker, the kernel ends every other.

use super::{Action, Filter, INIT, parent};
use crate::sys::{self, Forked};
use libc::{CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWUSER};
use std::io::{Read, Result, Write};

/// Which ones are in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one for each kind")]
pub struct Namespaces {
    /// Ids, capabilities.
    pub user: bool,
    /// Processes.
    pub pid: bool,
    /// Network.
    pub net: bool,
    /// System V IPC and message queues.
    pub ipc: bool,
}

impl Namespaces {
    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [
            (self.user, "user-namespace"),
            (self.pid, "pid-namespace"),
            (self.net, "net-namespace"),
            (self.ipc, "ipc-namespace"),
        ];
        all.into_iter()
            .filter_map(|(in_force, name)| in_force.then_some(name))
    }
}

/// A user namespace gives an ordinary user the right to the others; root may have them without.
pub(super) fn enter() -> Namespaces {
    let user = sys::unshare(CLONE_NEWUSER).is_ok();
    let enter = |flag| sys::unshare(flag).is_ok();
    Namespaces {
        user,
        pid: enter(CLONE_NEWPID),
        net: enter(CLONE_NEWNET),
        ipc: enter(CLONE_NEWIPC),
    }
}

/// The first process of the namespace for processes. Without it none can be forked there.
pub(super) fn start_init() -> Result<i32> {
    let (mut done, mut tell) = std::io::pipe()?;
    let Forked::Parent(pid) = sys::fork()? else {
        let dies = parent::die_with(None).is_ok();
        let locked = Filter::compile(INIT, Action::Kill);
        // Told only then: a worker that dies before would leave a process that nothing ends.
        if dies && tell.write_all(&[1]).is_ok() && sys::close_from(0).is_ok() {
            let _ = locked.and_then(|filter| filter.install());
            sys::sleep_for_ever();
        }
        sys::exit(1)
    };
    drop(tell);
    done.read_exact(&mut [0])?;
    Ok(pid)
}
