//! The class behind one `createCodeMode()`.
#![expect(unsafe_code, reason = "raw napi for the hub; see `hub.rs`")]

use crate::check::{self, NativeCheck};
use crate::fault;
use crate::hub::{Hub, Owner};
use crate::isolation::{Handle, InstanceTools, Pool, RunStart};
use crate::options::{NativeLimits, NativeOptions, NativeSession};
use crate::replies;
use crate::sink::RunSink;
use crate::source;
use crate::strings::Text;
use codemode_catalog::Catalog;
use codemode_engine::{Features, Limits, StopReason};
use codemode_program::{Dialect, GuestTools};
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
    tools: Arc<InstanceTools>,
    budget_tokens: usize,
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
    pool: Option<Arc<Pool>>,
    runs: HashMap<u32, Handle>,
    /// Runs whose answers JavaScript looks for by itself.
    polled: Vec<u32>,
    closed: bool,
}

impl Core {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run, whose answer JavaScript looks for soon.
    fn handle_to_settle(&self, run: u32) -> Option<Handle> {
        let mut state = self.state();
        let handle = state.runs.get(&run)?.clone();
        let polls = handle.can_be_polled() && state.polled.len() < MAX_POLLED;
        if polls && !state.polled.contains(&run) {
            state.polled.push(run);
        }
        Some(handle)
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

/// What of the catalogue is spelled out.
#[napi(object)]
pub struct NativeListing {
    /// Declarations of the listed tools.
    pub signatures: String,
    /// How many they are.
    pub listed: u32,
    /// How many tools there are.
    pub total: u32,
    /// Namespaces of the tools that are not listed, largest number first.
    pub omitted: Vec<NativeOmitted>,
}

/// Tools of one namespace that are not listed.
#[napi(object)]
pub struct NativeOmitted {
    /// Empty for names without one.
    pub namespace: String,
    /// How many.
    pub tools: u32,
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
        let Some(dialect) = Dialect::from_name(&options.dialect) else {
            return Err(fault::misuse(format!("no dialect `{}`", options.dialect)));
        };
        let catalog = Catalog::with_form(specs, dialect.form()).map_err(fault::misuse)?;
        let catalog = Arc::new(catalog);
        let tools = Arc::new(GuestTools {
            listing: catalog.clone(),
            dialect,
        });
        let pool = Pool::new(options.worker.as_deref(), &tools)?;
        // SAFETY: we are on the JavaScript thread, and `deliver` is a function of this environment.
        let hub = unsafe { Hub::new(env.raw(), deliver.raw())? };
        let core = Arc::new(Core {
            tools,
            catalog,
            budget_tokens: options.budget_tokens as usize,
            limits,
            features,
            hub,
            protections: pool.protections(),
            state: Mutex::new(State {
                pool: Some(Arc::new(pool)),
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

    /// Begins a run under a number of the caller's choice; with `session`, as a program of a session. With `here` a short
    /// program may begin on this thread; the messages queued by then, or null.
    #[napi]
    pub fn start(
        &self,
        run: u32,
        code: Text,
        limits: Option<NativeLimits>,
        here: bool,
        session: Option<NativeSession>,
    ) -> Result<Option<Unknown<'_>>> {
        let core = &self.core;
        let limits = match limits {
            Some(limits) => limits.to_limits()?,
            None => core.limits.clone(),
        };
        let session = session.map(|session| session.to_values()).transpose()?;
        let mut state = core.state();
        let Some(pool) = state.pool.clone() else {
            return Err(fault::misuse("this code mode is closed"));
        };
        let here = here && source::is_quickly_compiled(&code.0);
        let start = RunStart {
            limits,
            features: core.features,
            code: code.0,
            session,
            tools: core.tools.clone(),
            sink: Arc::new(RunSink {
                run,
                hub: core.hub.clone(),
                catalog: core.catalog.clone(),
            }),
        };
        if state.runs.is_empty() {
            // SAFETY: on the JavaScript thread.
            unsafe { core.hub.keep_alive(self.env, true) };
        }
        if !here {
            state.runs.insert(run, pool.start(start));
            return Ok(None);
        }
        drop(state);
        self.gather(|| {
            let handle = pool.start_here(start);
            core.state().runs.insert(run, handle);
        })
    }

    /// Settles calls: one line each, `<id>+<json>` or `<id>-<json string>`. With `here` the script may go on for a moment
    /// on this thread; the messages queued by then, or null.
    #[napi]
    pub fn settle(&self, run: u32, replies: Text, here: bool) -> Result<Option<Unknown<'_>>> {
        let Some(handle) = self.core.handle_to_settle(run) else {
            return Ok(None);
        };
        let replies = replies::read(&replies.0);
        if here {
            return self.gather(|| handle.settle_here(replies));
        }
        handle.settle(replies);
        Ok(None)
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

    /// Ends a run: `aborted`, `stopped`, `guardrail` or `tool_call_limit`.
    #[napi]
    pub fn stop(&self, run: u32, reason: String, message: String) -> Result<()> {
        let reason = match reason.as_str() {
            "aborted" => StopReason::Aborted,
            "stopped" => StopReason::Stopped,
            "guardrail" => StopReason::Guardrail,
            "tool_call_limit" => StopReason::ToolCalls,
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

    /// What can be told about a program without running it.
    #[napi]
    pub fn check(&self, code: Text) -> NativeCheck {
        let core = &self.core;
        check::check(&core.tools, &code.0, core.limits.max_source_chars)
    }

    /// A tool's declaration with the types it needs.
    #[napi]
    pub fn signature(&self, tool: u32) -> String {
        self.core.catalog.signature(tool as usize)
    }

    /// Counters.
    #[napi]
    pub fn diagnostics(&self) -> NativeDiagnostics {
        let state = self.core.state();
        let used = state.pool.as_deref().map(Pool::counts);
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

    /// The declarations that fit the budget, and what they leave out.
    #[napi(getter)]
    pub fn listing(&self) -> NativeListing {
        let core = &self.core;
        let fitting = core.catalog.budgeted(core.budget_tokens);
        let omitted = fitting.omitted.into_iter();
        NativeListing {
            signatures: fitting.text,
            listed: fitting.listed as u32,
            total: core.catalog.names().len() as u32,
            omitted: omitted
                .map(|space| NativeOmitted {
                    namespace: space.namespace,
                    tools: space.tools as u32,
                })
                .collect(),
        }
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

impl NativeCodeMode {
    /// The messages that `work` leads to on this thread, or null.
    fn gather(&self, work: impl FnOnce()) -> Result<Option<Unknown<'_>>> {
        // SAFETY: on the JavaScript thread; the list is a value of this call's handle scope.
        unsafe {
            let list = self.core.hub.gather(self.env, work)?;
            Ok(list.map(|list| Unknown::from_raw_unchecked(self.env, list)))
        }
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
