//! Where runs happen: on threads of this process, or in processes of their own. The rest of the binding sees no difference.

use crate::fault;
use codemode_catalog::Catalog;
use codemode_engine::{
    Ambient, Features, Lease, Limits, Reply, RunHandle, RunSpec, Seat, SessionValues, Sink,
    StopReason,
};
use codemode_process as process;
use codemode_program::{GuestTools, prepare, within};
use napi::Result;
use std::path::Path;
use std::sync::Arc;

/// The tools of one instance.
pub(crate) type InstanceTools = GuestTools<Arc<Catalog>>;

/// A lease on one of the two pools.
pub(crate) enum Pool {
    /// With the JavaScript thread's place in it.
    Thread(Lease, Arc<Seat>),
    Process(process::Lease, Arc<process::ToolSet>),
}

/// Everything a run needs.
pub(crate) struct RunStart {
    pub(crate) limits: Limits,
    pub(crate) features: Features,
    pub(crate) code: String,
    /// Of a program of a session.
    pub(crate) session: Option<SessionValues>,
    pub(crate) tools: Arc<InstanceTools>,
    pub(crate) sink: Arc<dyn Sink>,
}

impl RunStart {
    fn for_thread(self) -> RunSpec {
        let max_chars = self.limits.max_source_chars;
        let code = self.code;
        // A kept program is not measured again.
        let key = within(&code, max_chars).ok().map(|()| code.as_str().into());
        let ambient = Ambient::new();
        RunSpec {
            limits: self.limits,
            features: self.features,
            tools: self.tools,
            prepare: Box::new(move || prepare(&code, max_chars)),
            key,
            sink: self.sink,
            ambient: match self.session {
                Some(values) => ambient.with_session(values),
                None => ambient,
            },
        }
    }
}

/// What a pool has at this time.
pub(crate) struct Counts {
    pub(crate) threads: usize,
    pub(crate) stuck_threads: usize,
    pub(crate) processes: usize,
}

impl Pool {
    /// With the path of a worker: processes, or an error where they cannot be isolated.
    pub(crate) fn new(worker: Option<&str>, tools: &InstanceTools) -> Result<Self> {
        let Some(worker) = worker else {
            let lease = Lease::new();
            let seat = Arc::new(lease.seat());
            return Ok(Self::Thread(lease, seat));
        };
        let lease = process::Lease::new(Path::new(worker)).map_err(fault::unavailable)?;
        let tools = process::ToolSet::new(tools.listing.clone(), tools.dialect);
        Ok(Self::Process(lease, Arc::new(tools)))
    }

    pub(crate) fn start(&self, start: RunStart) -> Handle {
        match self {
            Self::Thread(lease, seat) => {
                Handle::Thread(lease.start(start.for_thread()), seat.clone())
            }
            Self::Process(lease, tools) => Handle::Process(lease.start(process::Spec {
                limits: start.limits,
                features: start.features,
                tools: tools.clone(),
                session: start.session,
                code: start.code,
                sink: start.sink,
            })),
        }
    }

    /// As `start`; a program on a thread may begin on the JavaScript thread, which this is.
    pub(crate) fn start_here(&self, start: RunStart) -> Handle {
        match self {
            Self::Thread(lease, seat) => {
                Handle::Thread(lease.start_here(start.for_thread(), seat), seat.clone())
            }
            Self::Process(..) => self.start(start),
        }
    }

    pub(crate) fn protections(&self) -> Vec<String> {
        match self {
            Self::Thread(..) => Vec::new(),
            Self::Process(lease, _) => lease.protections(),
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        match self {
            Self::Thread(lease, _) => Counts {
                threads: lease.threads(),
                stuck_threads: lease.stuck_threads(),
                processes: 0,
            },
            Self::Process(lease, _) => Counts {
                threads: 0,
                stuck_threads: 0,
                processes: lease.processes(),
            },
        }
    }

    /// Of an instance that was closed: only what is stuck, or has not ended yet.
    pub(crate) fn counts_of_nobody() -> Counts {
        Counts {
            threads: 0,
            stuck_threads: Lease::new().stuck_threads(),
            processes: process::Lease::processes_left(),
        }
    }
}

/// A run of either pool.
#[derive(Clone)]
pub(crate) enum Handle {
    Thread(RunHandle, Arc<Seat>),
    Process(process::RunHandle),
}

impl Handle {
    pub(crate) fn settle(&self, replies: Vec<Reply>) {
        match self {
            Self::Thread(run, _) => run.settle(replies),
            Self::Process(run) => run.settle(&replies),
        }
    }

    /// As `settle`; a program on a thread may go on on the JavaScript thread, which this is.
    pub(crate) fn settle_here(&self, replies: Vec<Reply>) {
        match self {
            Self::Thread(run, seat) => run.settle_here(replies, seat),
            Self::Process(run) => run.settle(&replies),
        }
    }

    pub(crate) fn stop(&self, reason: StopReason, message: Option<String>) {
        match self {
            Self::Thread(run, _) => run.stop(reason, message),
            Self::Process(run) => run.stop(reason, message),
        };
    }

    pub(crate) fn pause_clock(&self) {
        match self {
            Self::Thread(run, _) => run.pause_clock(),
            Self::Process(run) => run.pause_clock(),
        }
    }

    pub(crate) fn resume_clock(&self) {
        match self {
            Self::Thread(run, _) => run.resume_clock(),
            Self::Process(run) => run.resume_clock(),
        }
    }

    /// Whether `poll` does anything.
    pub(crate) fn can_be_polled(&self) -> bool {
        matches!(self, Self::Process(..))
    }

    /// See `codemode_process::RunHandle::poll`.
    pub(crate) fn poll(&self, again: bool) {
        if let Self::Process(run) = self {
            run.poll(again);
        }
    }
}
