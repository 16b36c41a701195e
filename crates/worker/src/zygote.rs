//! The worker: warms up, locks itself down, then forks and reaps on request.

use crate::guest::{self, Prepared};
use crate::lockdown::{self, Action};
use crate::sys::{self, Forked};
use crate::warm_up;
use codemode_engine::{Features, Solo};
use codemode_wire::{ControlReply, ControlRequest};
use std::os::fd::OwnedFd;

/// The socket to the host.
const CONTROL: i32 = 0;
/// The longest datagram of the host.
const MAX_REQUEST: usize = 256;
/// The exit code of a worker or a forked process that could not be locked down.
const EXIT_NOT_LOCKED: i32 = 70;

/// What is forked.
struct Zygote {
    lockdown: lockdown::Worker,
    /// One of each kind that was asked for.
    solos: Vec<Solo>,
    cores: usize,
    /// Forked and not reaped.
    children: Vec<i32>,
}

/// `codemode-worker <id of the host's process>`, with its socket as descriptor 0.
pub(crate) fn main() -> ! {
    // What a panic has to say would go to a descriptor that is not ours.
    std::panic::set_hook(Box::new(|_| {}));
    let parent = std::env::args().nth(1).and_then(|id| id.parse().ok());
    let Some(parent) = parent else {
        sys::exit(EXIT_NOT_LOCKED);
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let made = prepare(parent, cores);
    let mut zygote = match made {
        Ok(zygote) => zygote,
        Err(reason) => {
            reply(&ControlReply::Refused { reason });
            sys::exit(EXIT_NOT_LOCKED);
        }
    };
    let names = zygote.lockdown.protections.iter();
    reply(&ControlReply::Ready {
        version: env!("CARGO_PKG_VERSION").into(),
        protections: names.map(|name| (*name).into()).collect(),
    });
    zygote.serve()
}

fn prepare(parent: i32, cores: usize) -> Result<Zygote, String> {
    let failed = |what: &'static str| move |error: std::io::Error| format!("{what}: {error}");
    sys::close_from(3).map_err(failed("closing descriptors"))?;
    sys::install_signals().map_err(failed("signal handlers"))?;
    lockdown::raise_stack().map_err(failed("rlimits"))?;
    warm_up::run();
    let solo = Solo::new(Features::default()).ok_or("the system gave no memory")?;
    let lockdown = lockdown::worker(parent, Action::Kill).map_err(|missing| missing.to_string())?;
    Ok(Zygote {
        lockdown,
        solos: vec![solo],
        cores,
        children: Vec::new(),
    })
}

fn reply(reply: &ControlReply) {
    if sys::send(CONTROL, &reply.encode()).is_err() {
        sys::exit(0);
    }
}

impl Zygote {
    /// Kills and reaps what was forked, so that nothing is left to whoever inherits orphans, and ends.
    fn end(&self) -> ! {
        for pid in self.children.iter().copied().chain(self.lockdown.init()) {
            let _ = sys::kill(pid);
        }
        while sys::wait(-1).is_ok() {}
        sys::exit(0)
    }

    /// Ends with the host.
    fn serve(&mut self) -> ! {
        let mut buffer = [0; MAX_REQUEST];
        loop {
            let (length, socket) = match sys::receive_with_fd(CONTROL, &mut buffer) {
                Ok((0, _)) | Err(_) => self.end(),
                Ok(received) => received,
            };
            let request = ControlRequest::decode(buffer.get(..length).unwrap_or_default());
            match (request, socket) {
                (
                    Ok(ControlRequest::Fork {
                        token,
                        features,
                        room_bytes,
                    }),
                    Some(socket),
                ) => self.fork(token, features, room_bytes, socket),
                (Ok(ControlRequest::Reap { pid }), _) => {
                    let status = sys::wait(pid).unwrap_or(-1);
                    self.children.retain(|other| *other != pid);
                    reply(&ControlReply::Exited { pid, status });
                }
                _ => self.end(),
            }
        }
    }

    fn fork(&mut self, token: u64, features: Features, room_bytes: u64, socket: OwnedFd) {
        let Some(index) = self.solo_of(features) else {
            return reply(&ControlReply::NotForked {
                token,
                errno: libc::ENOMEM,
            });
        };
        match sys::fork() {
            Ok(Forked::Child) => {
                let solo = self.solos.swap_remove(index);
                let prepared = Prepared::new(self.cores);
                let alone = sys::become_stdin(&socket).and_then(|()| {
                    std::mem::forget(socket);
                    sys::close_from(1)
                });
                if alone.is_err() || lockdown::guest(&self.lockdown, room_bytes).is_err() {
                    sys::exit(EXIT_NOT_LOCKED);
                }
                guest::serve(solo, prepared)
            }
            Ok(Forked::Parent(pid)) => {
                drop(socket);
                self.children.push(pid);
                reply(&ControlReply::Forked { token, pid });
            }
            Err(error) => reply(&ControlReply::NotForked {
                token,
                errno: error.raw_os_error().unwrap_or(0),
            }),
        }
    }

    /// The realm that a process of this kind gets its copy of.
    fn solo_of(&mut self, features: Features) -> Option<usize> {
        let found = self
            .solos
            .iter()
            .position(|solo| solo.features() == features);
        if found.is_none() {
            self.solos.push(Solo::new(features)?);
        }
        found.or(self.solos.len().checked_sub(1))
    }
}
