//! The worker process: started without a shell, without an environment, without descriptors; asked to fork and to reap.

use crate::run::Kind;
use crate::spec::Unavailable;
use crate::sys::{self, Interest, Poll};
use codemode_wire::{ControlReply, ControlRequest};
use std::collections::VecDeque;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

/// The longest datagram of a worker.
const MAX_REPLY: usize = 4096;

pub(crate) struct Worker {
    pub(crate) token: u64,
    pub(crate) started: Instant,
    /// Names of the protections, once it is ready.
    pub(crate) protections: Option<Vec<String>>,
    /// No new processes from this one; it ends with its last.
    pub(crate) retired: bool,
    /// See `State::distrust`.
    pub(crate) distrusted: bool,
    /// Processes it forked, or was asked to, and has not reaped.
    pub(crate) processes: usize,
    process: Child,
    fd: OwnedFd,
    poll: Arc<Poll>,
    queue: VecDeque<(Vec<u8>, Option<OwnedFd>)>,
}

impl Worker {
    /// Starts one. Call it on a thread that lives as long as the worker should: it dies with that thread.
    pub(crate) fn spawn(token: u64, path: &Path, poll: Arc<Poll>) -> Result<Self, Unavailable> {
        let refused = |what: &str, error: std::io::Error| Unavailable(format!("{what}: {error}"));
        let (fd, theirs) =
            sys::socket_pair(true).map_err(|e| refused("a socket for the worker", e))?;
        let mut command = Command::new(path);
        command
            .arg(std::process::id().to_string())
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        // Dates print in the host's time zone; nothing else of its environment is given.
        if let Some(zone) = std::env::var_os("TZ") {
            command.env("TZ", zone);
        }
        let process = command.spawn().map_err(|error| {
            refused(
                &format!("the worker `{}` cannot be started", path.display()),
                error,
            )
        })?;
        let interest = Interest {
            read: true,
            write: false,
        };
        poll.add(&fd, token, interest)
            .map_err(|e| refused("waiting for the worker", e))?;
        Ok(Self {
            token,
            started: Instant::now(),
            protections: None,
            retired: false,
            distrusted: false,
            processes: 0,
            process,
            fd,
            poll,
            queue: VecDeque::new(),
        })
    }

    /// Asks for a process. The socket is its end.
    pub(crate) fn fork(&mut self, token: u64, kind: Kind, socket: OwnedFd) {
        let request = ControlRequest::Fork {
            token,
            features: kind.features,
            room_bytes: kind.room_bytes,
        };
        self.processes += 1;
        self.send(request.encode(), Some(socket));
    }

    /// Asks for the status of a process that has ended or was killed.
    pub(crate) fn reap(&mut self, pid: i32) {
        self.send(ControlRequest::Reap { pid }.encode(), None);
    }

    fn send(&mut self, bytes: Vec<u8>, socket: Option<OwnedFd>) {
        self.queue.push_back((bytes, socket));
        self.flush();
    }

    /// Writes what there is room for.
    pub(crate) fn flush(&mut self) {
        while let Some((bytes, socket)) = self.queue.front() {
            match sys::send_datagram(&self.fd, bytes, socket.as_ref().map(AsFd::as_fd)) {
                Ok(true) => drop(self.queue.pop_front()),
                Ok(false) => break,
                // Gone: the reader finds out.
                Err(_) => self.queue.clear(),
            }
        }
        let write = !self.queue.is_empty();
        self.poll
            .change(&self.fd, self.token, Interest { read: true, write });
    }

    /// The next reply; `Ok(None)` for none now, `Err` where the worker is gone or says what it must not say.
    pub(crate) fn receive(&mut self) -> Result<Option<ControlReply>, ()> {
        let mut buffer = [0; MAX_REPLY];
        match sys::receive(&self.fd, &mut buffer) {
            Ok(None) => Ok(None),
            Ok(Some(0)) | Err(_) => Err(()),
            Ok(Some(length)) => {
                let bytes = buffer.get(..length).unwrap_or_default();
                ControlReply::decode(bytes).map(Some).map_err(drop)
            }
        }
    }

    /// Closes its socket, at which it ends what it forked and itself. The process is to be waited for.
    pub(crate) fn close(self) -> Child {
        self.poll.remove(&self.fd);
        self.process
    }
}
