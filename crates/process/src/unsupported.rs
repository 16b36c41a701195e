//! Systems without a sandbox of ours in this version: everything is refused.

use crate::{Spec, Unavailable};
use codemode_engine::{Reply, StopReason};
use std::convert::Infallible;
use std::path::Path;

/// There is none.
pub struct Lease(Infallible);

impl Lease {
    /// Always refuses.
    pub fn new(_worker: &Path) -> Result<Self, Unavailable> {
        let system = std::env::consts::OS;
        Err(Unavailable(format!(
            "there is no sandbox for {system} in this version, only for Linux"
        )))
    }

    /// Cannot be called.
    pub fn start(&self, _spec: Spec) -> RunHandle {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn protections(&self) -> Vec<String> {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn processes(&self) -> usize {
        match self.0 {}
    }
}

impl Lease {
    /// There are none.
    pub fn processes_left() -> usize {
        0
    }
}

/// There is none.
#[derive(Clone)]
pub struct RunHandle(Infallible);

impl RunHandle {
    /// Cannot be called.
    pub fn settle(&self, _replies: &[Reply]) {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn stop(&self, _reason: StopReason, _message: Option<String>) -> bool {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn pause_clock(&self) {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn resume_clock(&self) {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn poll(&self, _again: bool) {
        match self.0 {}
    }
}
