//! The class behind one `createCodeMode()`.
#![expect(unsafe_code, reason = "raw napi for the hub; see `hub.rs`")]

use crate::fault;
use crate::hub::{Hub, Owner};
use crate::isolation::{Handle, Pool, RunStart};
use crate::options::{NativeLimits, NativeOptions};
use crate::sink::RunSink;
use crate::strings::Text;
use codemode_catalog::Catalog;
use codemode_engine::{Features, Limits, Reply, StopReason};
use napi::bindgen_prelude::{Env, Function, JsValue, Unknown};
use napi::{Result, sys};
use napi_derive::napi;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// With more runs in conversation than this the pool's thread reads for all of them.
const MAX_POLLED: usize = 4;

/// What the instance and its environment's cleanup hook share. Used on the JavaScript thread only, but for the drop.
struct Core {
    catalog: Arc<Catalog>,
    limits: Limits,
    features: Features,
    hub: Arc<Hub>,
    state: Mutex<State>,
    /// In process isolation the protections in force.
    protections: Vec<String>,
    /// The environment's cleanup hook holds a reference to this.
    hooked: AtomicBool,
}

#[derive(Default)]
struct State {
    pool: Option<Pool>,
    runs: HashMap<u32, Handle>,
    /// Runs whose answers JavaScript looks for by itself.
    polled: Vec<u32>,
    closed: bool,
}

impl Core {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the answers of runs in processes on this thread, so that no other has to be woken for them.
    fn poll_processes(&self, again: bool) {
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

impl Owner for Core {
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

/// Counters of one instance.
#[napi(object)]
pub struct NativeDiagnostics {
    /// Runs without an end.
    pub live_runs: u32,
    /// Threads of the pool, while this instance uses it.
    pub worker_threads: u32,
    /// Threads that did not come back from a stopped run.
    pub stuck_threads: u32,
    /// Processes of the pool, while this instance uses it.
    pub child_processes: u32,
    /// Protections of those processes.
    pub protections: Vec<String>,
}

/// Names of one tool.
#[napi(object)]
pub struct NativeName {
    /// As registered.
    pub name: String,
    /// The identifier that also reaches it.
    pub alias: Option<String>,
}

/// One instance; its methods are for the JavaScript thread that made it.
#[napi]
pub struct NativeCodeMode {
    core: Arc<Core>,
    env: sys::napi_env,
}

#[napi]
impl NativeCodeMode {
    /// Reads the tools' schemas and opens the way for messages.
    #[napi(constructor)]
    pub fn new(
        env: Env,
        options: NativeOptions,
        deliver: Function<'_, Unknown<'_>, Unknown<'_>>,
    ) -> Result<Self> {
        crate::trace::install();
        let limits = options.limits.to_limits()?;
        let features = options.features();
        let specs = options.tools.into_iter().map(Into::into).collect();
        let catalog = Arc::new(Catalog::new(specs).map_err(fault::misuse)?);
        let pool = Pool::new(options.worker.as_deref(), catalog.names())?;
        // SAFETY: we are on the JavaScript thread, and `deliver` is a function of this environment.
        let hub = unsafe { Hub::new(env.raw(), deliver.raw())? };
        let core = Arc::new(Core {
            catalog,
            limits,
            features,
            hub,
            protections: pool.protections(),
            state: Mutex::new(State {
                pool: Some(pool),
                ..State::default()
            }),
            hooked: AtomicBool::new(true),
        });
        let owner: Weak<dyn Owner> = Arc::downgrade(&(core.clone() as Arc<dyn Owner>));
        core.hub.set_owner(owner);
        let hook = Arc::into_raw(core.clone()).cast_mut().cast::<c_void>();
        // SAFETY: the hook's reference is given back by the hook, or by `Drop` after it removed the hook.
        unsafe { sys::napi_add_env_cleanup_hook(env.raw(), Some(cleanup), hook) };
        Ok(Self {
            core,
            env: env.raw(),
        })
    }

    /// Begins a run under a number of the caller's choice.
    #[napi]
    pub fn start(&self, run: u32, code: Text, limits: Option<NativeLimits>) -> Result<()> {
        let core = &self.core;
        let limits = match limits {
            Some(limits) => limits.to_limits()?,
            None => core.limits.clone(),
        };
        let mut state = core.state();
        let Some(pool) = &state.pool else {
            return Err(fault::misuse("this code mode is closed"));
        };
        let handle = pool.start(RunStart {
            limits,
            features: core.features,
            code: code.0,
            catalog: core.catalog.clone(),
            sink: Arc::new(RunSink {
                run,
                hub: core.hub.clone(),
                catalog: core.catalog.clone(),
            }),
        });
        state.runs.insert(run, handle);
        if state.runs.len() == 1 {
            // SAFETY: on the JavaScript thread.
            unsafe { core.hub.keep_alive(self.env, true) };
        }
        Ok(())
    }

    /// Settles calls: one line each, `<id>+<json>` or `<id>-<json string>`.
    #[napi]
    pub fn settle(&self, run: u32, replies: Text) {
        let mut state = self.core.state();
        if let Some(handle) = state.runs.get(&run) {
            handle.settle(replies.0.lines().filter_map(reply).collect());
            if handle.can_be_polled()
                && state.polled.len() < MAX_POLLED
                && !state.polled.contains(&run)
            {
                state.polled.push(run);
            }
        }
    }

    /// The messages queued now, or null. With `again` nothing wakes the loop until the next call, which must come soon.
    #[napi]
    pub fn poll(&self, again: bool) -> Result<Option<Unknown<'_>>> {
        self.core.poll_processes(again);
        // SAFETY: on the JavaScript thread; the list is a value of this call's handle scope.
        unsafe {
            let list = self.core.hub.poll(self.env, again)?;
            Ok(list.map(|list| Unknown::from_raw_unchecked(self.env, list)))
        }
    }

    /// Ends a run: `aborted`, `stopped` or `guardrail`.
    #[napi]
    pub fn stop(&self, run: u32, reason: String, message: String) -> Result<()> {
        let reason = match reason.as_str() {
            "aborted" => StopReason::Aborted,
            "stopped" => StopReason::Stopped,
            "guardrail" => StopReason::Guardrail,
            other => return Err(fault::misuse(format!("no stop reason `{other}`"))),
        };
        if let Some(handle) = self.core.state().runs.get(&run) {
            handle.stop(reason, Some(message));
        }
        Ok(())
    }

    /// Stops the wall clock of a run. Pauses nest.
    #[napi]
    pub fn pause_clock(&self, run: u32) {
        if let Some(handle) = self.core.state().runs.get(&run) {
            handle.pause_clock();
        }
    }

    /// Lets the wall clock of a run go on.
    #[napi]
    pub fn resume_clock(&self, run: u32) {
        if let Some(handle) = self.core.state().runs.get(&run) {
            handle.resume_clock();
        }
    }

    /// The problem with arguments as JSON text, or null.
    #[napi]
    pub fn validate(&self, tool: u32, input: Text) -> Option<String> {
        self.core.catalog.validate(tool as usize, &input.0).err()
    }

    /// Counters.
    #[napi]
    pub fn diagnostics(&self) -> NativeDiagnostics {
        let state = self.core.state();
        let used = state.pool.as_ref().map(Pool::counts);
        let counts = used.unwrap_or_else(Pool::counts_of_nobody);
        NativeDiagnostics {
            live_runs: state.runs.len() as u32,
            worker_threads: counts.threads as u32,
            stuck_threads: counts.stuck_threads as u32,
            child_processes: counts.processes as u32,
            protections: if state.closed {
                Vec::new()
            } else {
                self.core.protections.clone()
            },
        }
    }

    /// Stops every live run, whose ENDs still come, and gives the pool back.
    #[napi]
    pub fn close(&self) {
        let mut state = self.core.state();
        state.closed = true;
        for run in state.runs.values() {
            run.stop(StopReason::Stopped, Some("the code mode was closed".into()));
        }
        state.pool = None;
        let idle = state.runs.is_empty();
        drop(state);
        if idle {
            self.core.hub.close();
        }
    }

    /// Declarations of one value `tools`.
    #[napi(getter)]
    pub fn signatures(&self) -> String {
        self.core.catalog.signatures()
    }

    /// Printed names.
    #[napi(getter)]
    pub fn names(&self) -> Vec<NativeName> {
        let names = self.core.catalog.names().iter();
        names
            .map(|name| NativeName {
                name: name.name.clone(),
                alias: name.alias.clone(),
            })
            .collect()
    }
}

impl Drop for NativeCodeMode {
    /// Garbage collected, on the JavaScript thread. A live run keeps the instance alive, so there is none.
    fn drop(&mut self) {
        self.core.hub.close();
        if self.core.hooked.swap(false, Ordering::SeqCst) {
            let hook = Arc::as_ptr(&self.core).cast_mut().cast::<c_void>();
            // SAFETY: the pair given to `napi_add_env_cleanup_hook`, which did not run; its reference comes back here.
            unsafe {
                sys::napi_remove_env_cleanup_hook(self.env, Some(cleanup), hook);
                drop(Arc::from_raw(hook.cast::<Core>()));
            }
        }
    }
}

unsafe extern "C" fn cleanup(data: *mut c_void) {
    // SAFETY: the reference that `NativeCodeMode::new` gave away; Node runs a hook once.
    let core = unsafe { Arc::from_raw(data.cast::<Core>()) };
    core.hooked.store(false, Ordering::SeqCst);
    core.abandon();
}

/// One line of `settle`.
fn reply(line: &str) -> Option<Reply> {
    let mark = line.find(|c: char| !c.is_ascii_digit())?;
    let (id, rest) = line.split_at_checked(mark)?;
    let id = id.parse().ok()?;
    let outcome = match rest.split_at_checked(1)? {
        ("+", json) => Ok(json.to_owned()),
        ("-", json) => Err(json.to_owned()),
        _ => return None,
    };
    Some(Reply { id, outcome })
}
