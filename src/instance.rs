//! What an instance shares with its environment's cleanup hook: its pool, its live runs, the way for their messages.
#![expect(unsafe_code, reason = "raw napi for the hub; see `hub.rs`")]

use crate::hub::{Hub, Owner};
use crate::isolation::{Handle, InstanceTools, Pool};
use codemode_catalog::Catalog;
use codemode_engine::{Features, Limits, StopReason};
use napi::sys;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// With more runs in conversation than this the pool's thread reads for all of them.
const MAX_POLLED: usize = 4;

/// What the instance and its environment's cleanup hook share. Used on the JavaScript thread only, but for the drop.
pub(crate) struct Instance {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) tools: Arc<InstanceTools>,
    pub(crate) budget_tokens: usize,
    pub(crate) limits: Limits,
    pub(crate) features: Features,
    pub(crate) hub: Arc<Hub>,
    pub(crate) state: Mutex<State>,
    /// In process isolation the protections in force.
    pub(crate) protections: Vec<String>,
    /// The environment's cleanup hook holds a reference to this.
    pub(crate) hooked: AtomicBool,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) pool: Option<Arc<Pool>>,
    pub(crate) runs: HashMap<u32, Handle>,
    /// Runs whose answers JavaScript looks for by itself.
    pub(crate) polled: Vec<u32>,
    pub(crate) closed: bool,
}

impl Instance {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run, whose answer JavaScript looks for soon.
    pub(crate) fn handle_to_settle(&self, run: u32) -> Option<Handle> {
        let mut state = self.state();
        let handle = state.runs.get(&run)?.clone();
        let polls = handle.can_be_polled() && state.polled.len() < MAX_POLLED;
        if polls && !state.polled.contains(&run) {
            state.polled.push(run);
        }
        Some(handle)
    }

    /// Reads the answers of runs in processes on this thread, so that no other has to be woken for them.
    pub(crate) fn poll_processes(&self, again: bool) {
        let mut state = self.state();
        for run in &state.polled {
            if let Some(handle) = state.runs.get(run) {
                handle.poll(again);
            }
        }
        if !again {
            state.polled.clear();
        }
    }

    /// The environment goes down: nothing crosses any more, and no guest goes on.
    fn abandon(&self) {
        self.hub.close();
        let mut state = self.state();
        state.closed = true;
        for run in state.runs.values() {
            run.stop(StopReason::Stopped, None);
        }
        state.runs.clear();
        state.pool = None;
    }
}

impl Owner for Instance {
    fn ended(&self, env: sys::napi_env, run: u32) {
        let mut state = self.state();
        state.polled.retain(|polled| *polled != run);
        if state.runs.remove(&run).is_none() || !state.runs.is_empty() {
            return;
        }
        let closed = state.closed;
        drop(state);
        if closed {
            self.hub.close();
        } else {
            // SAFETY: the hub calls its owner on the JavaScript thread.
            unsafe { self.hub.keep_alive(env, false) };
        }
    }
}

/// The environment goes down; `data` is a reference to the instance.
pub(crate) unsafe extern "C" fn cleanup(data: *mut c_void) {
    // SAFETY: the reference that `NativeCodeMode::new` gave away; Node runs a hook once.
    let instance = unsafe { Arc::from_raw(data.cast::<Instance>()) };
    instance.hooked.store(false, Ordering::SeqCst);
    instance.abandon();
}
