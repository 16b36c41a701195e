//! Where runs happen: on threads of this process, or in processes of their own. The rest of the binding sees no difference.

use crate::fault;
use crate::tools::GuestTools;
use codemode_catalog::{Catalog, ToolName};
use codemode_engine::{
    Ambient, Features, Lease, Limits, Reply, RunHandle, RunSpec, Sink, StopReason,
};
use codemode_process as process;
use codemode_program::prepare;
use napi::Result;
use std::path::Path;
use std::sync::Arc;

/// A lease on one of the two pools.
pub(crate) enum Pool {
    Thread(Lease),
    Process(process::Lease, Arc<process::ToolNames>),
}

/// Everything a run needs.
pub(crate) struct RunStart {
    pub(crate) limits: Limits,
    pub(crate) features: Features,
    pub(crate) code: String,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) sink: Arc<dyn Sink>,
}

/// What a pool has at this time.
pub(crate) struct Counts {
    pub(crate) threads: usize,
    pub(crate) stuck_threads: usize,
    pub(crate) processes: usize,
}

impl Pool {
    /// With the path of a worker: processes, or an error where they cannot be isolated.
    pub(crate) fn new(worker: Option<&str>, names: &[ToolName]) -> Result<Self> {
        let Some(worker) = worker else {
            return Ok(Self::Thread(Lease::new()));
        };
        let lease = process::Lease::new(Path::new(worker)).map_err(fault::unavailable)?;
        Ok(Self::Process(
            lease,
            Arc::new(process::ToolNames::new(names)),
        ))
    }

    pub(crate) fn start(&self, start: RunStart) -> Handle {
        let RunStart {
            limits,
            features,
            code,
            catalog,
            sink,
        } = start;
        match self {
            Self::Thread(lease) => {
                let max_chars = limits.max_source_chars;
                Handle::Thread(lease.start(RunSpec {
                    limits,
                    features,
                    tools: Arc::new(GuestTools(catalog)),
                    prepare: Box::new(move || prepare(&code, max_chars)),
                    sink,
                    ambient: Ambient::new(),
                }))
            }
            Self::Process(lease, names) => Handle::Process(lease.start(process::Spec {
                limits,
                features,
                names: names.clone(),
                code,
                sink,
            })),
        }
    }

    pub(crate) fn protections(&self) -> Vec<String> {
        match self {
            Self::Thread(_) => Vec::new(),
            Self::Process(lease, _) => lease.protections(),
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        match self {
            Self::Thread(lease) => Counts {
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
pub(crate) enum Handle {
    Thread(RunHandle),
    Process(process::RunHandle),
}

impl Handle {
    pub(crate) fn settle(&self, replies: Vec<Reply>) {
        match self {
            Self::Thread(run) => run.settle(replies),
            Self::Process(run) => run.settle(&replies),
        }
    }

    pub(crate) fn stop(&self, reason: StopReason, message: Option<String>) {
        match self {
            Self::Thread(run) => run.stop(reason, message),
            Self::Process(run) => run.stop(reason, message),
        };
    }

    pub(crate) fn pause_clock(&self) {
        match self {
            Self::Thread(run) => run.pause_clock(),
            Self::Process(run) => run.pause_clock(),
        }
    }

    pub(crate) fn resume_clock(&self) {
        match self {
            Self::Thread(run) => run.resume_clock(),
            Self::Process(run) => run.resume_clock(),
        }
    }

    /// Whether `poll` does anything.
    pub(crate) fn can_be_polled(&self) -> bool {
        matches!(self, Self::Process(_))
    }

    /// See `codemode_process::RunHandle::poll`.
    pub(crate) fn poll(&self, again: bool) {
        if let Self::Process(run) = self {
            run.poll(again);
        }
    }
}
