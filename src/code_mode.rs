//! The class behind one `createCodeMode()`.
#![expect(unsafe_code, reason = "raw napi for the hub; see `hub.rs`")]

use crate::check::{self, NativeCheck};
use crate::fault;
use crate::hub::{Hub, Owner};
use crate::instance::{Instance, State, cleanup};
use crate::isolation::{Pool, RunStart};
use crate::options::{NativeLimits, NativeOptions, NativeSession};
use crate::replies;
use crate::reports::{NativeDiagnostics, NativeListing, NativeName, NativeOmitted};
use crate::sink::RunSink;
use crate::source;
use crate::strings::Text;
use codemode_catalog::Catalog;
use codemode_engine::StopReason;
use codemode_program::{Dialect, GuestTools};
use napi::bindgen_prelude::{Env, Function, JsValue, Unknown};
use napi::{Result, sys};
use napi_derive::napi;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// One instance; its methods are for the JavaScript thread that made it.
#[napi]
pub struct NativeCodeMode {
    instance: Arc<Instance>,
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
        let instance = Arc::new(Instance {
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
        let owner: Weak<dyn Owner> = Arc::downgrade(&(instance.clone() as Arc<dyn Owner>));
        instance.hub.set_owner(owner);
        let hook = Arc::into_raw(instance.clone()).cast_mut().cast::<c_void>();
        // SAFETY: the hook's reference is given back by the hook, or by `Drop` after it removed the hook.
        unsafe { sys::napi_add_env_cleanup_hook(env.raw(), Some(cleanup), hook) };
        Ok(Self {
            instance,
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
        let instance = &self.instance;
        let limits = match limits {
            Some(limits) => limits.to_limits()?,
            None => instance.limits.clone(),
        };
        let session = session.map(|session| session.to_values()).transpose()?;
        let mut state = instance.state();
        let Some(pool) = state.pool.clone() else {
            return Err(fault::misuse("this code mode is closed"));
        };
        let here = here && source::is_quickly_compiled(&code.0);
        let start = RunStart {
            limits,
            features: instance.features,
            code: code.0,
            session,
            tools: instance.tools.clone(),
            sink: Arc::new(RunSink {
                run,
                hub: instance.hub.clone(),
                catalog: instance.catalog.clone(),
            }),
        };
        if state.runs.is_empty() {
            // SAFETY: on the JavaScript thread.
            unsafe { instance.hub.keep_alive(self.env, true) };
        }
        if !here {
            state.runs.insert(run, pool.start(start));
            return Ok(None);
        }
        drop(state);
        self.gather(|| {
            let handle = pool.start_here(start);
            instance.state().runs.insert(run, handle);
        })
    }

    /// Settles calls: one line each, `<id>+<json>` or `<id>-<json string>`. With `here` the script may go on for a moment
    /// on this thread; the messages queued by then, or null.
    #[napi]
    pub fn settle(&self, run: u32, replies: Text, here: bool) -> Result<Option<Unknown<'_>>> {
        let Some(handle) = self.instance.handle_to_settle(run) else {
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
        self.instance.poll_processes(again);
        // SAFETY: on the JavaScript thread; the list is a value of this call's handle scope.
        unsafe {
            let list = self.instance.hub.poll(self.env, again)?;
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
        if let Some(handle) = self.instance.state().runs.get(&run) {
            handle.stop(reason, Some(message));
        }
        Ok(())
    }

    /// Stops the wall clock of a run. Pauses nest.
    #[napi]
    pub fn pause_clock(&self, run: u32) {
        if let Some(handle) = self.instance.state().runs.get(&run) {
            handle.pause_clock();
        }
    }

    /// Lets the wall clock of a run go on.
    #[napi]
    pub fn resume_clock(&self, run: u32) {
        if let Some(handle) = self.instance.state().runs.get(&run) {
            handle.resume_clock();
        }
    }

    /// The problem with arguments as JSON text, or null.
    #[napi]
    pub fn validate(&self, tool: u32, input: Text) -> Option<String> {
        self.instance
            .catalog
            .validate(tool as usize, &input.0)
            .err()
    }

    /// What can be told about a program without running it.
    #[napi]
    pub fn check(&self, code: Text) -> NativeCheck {
        let instance = &self.instance;
        check::check(&instance.tools, &code.0, instance.limits.max_source_chars)
    }

    /// A tool's declaration with the types it needs.
    #[napi]
    pub fn signature(&self, tool: u32) -> String {
        self.instance.catalog.signature(tool as usize)
    }

    /// Counters.
    #[napi]
    pub fn diagnostics(&self) -> NativeDiagnostics {
        let state = self.instance.state();
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
                self.instance.protections.clone()
            },
        }
    }

    /// Stops every live run, whose ENDs still come, and gives the pool back.
    #[napi]
    pub fn close(&self) {
        let mut state = self.instance.state();
        state.closed = true;
        for run in state.runs.values() {
            run.stop(StopReason::Stopped, Some("the code mode was closed".into()));
        }
        state.pool = None;
        let idle = state.runs.is_empty();
        drop(state);
        if idle {
            self.instance.hub.close();
        }
    }

    /// The declarations that fit the budget, and what they leave out.
    #[napi(getter)]
    pub fn listing(&self) -> NativeListing {
        let instance = &self.instance;
        let fitting = instance.catalog.budgeted(instance.budget_tokens);
        let omitted = fitting.omitted.into_iter();
        NativeListing {
            signatures: fitting.text,
            listed: fitting.listed as u32,
            total: instance.catalog.names().len() as u32,
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
        let names = self.instance.catalog.names().iter();
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
            let list = self.instance.hub.gather(self.env, work)?;
            Ok(list.map(|list| Unknown::from_raw_unchecked(self.env, list)))
        }
    }
}

impl Drop for NativeCodeMode {
    /// Garbage collected, on the JavaScript thread. A live run keeps the instance alive, so there is none.
    fn drop(&mut self) {
        self.instance.hub.close();
        if self.instance.hooked.swap(false, Ordering::SeqCst) {
            let hook = Arc::as_ptr(&self.instance).cast_mut().cast::<c_void>();
            // SAFETY: the pair given to `napi_add_env_cleanup_hook`, which did not run; its reference comes back here.
            unsafe {
                sys::napi_remove_env_cleanup_hook(self.env, Some(cleanup), hook);
                drop(Arc::from_raw(hook.cast::<Instance>()));
            }
        }
    }
}
