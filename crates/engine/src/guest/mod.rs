//! The host's side of one guest: what its functions do, and what it has in flight.

mod base64;
mod calls;
mod console;
mod helpers;
mod hints;
mod output;
mod rejections;
pub(crate) mod store;

use crate::Ambient;
use crate::clock::TurnClock;
use crate::js::host::{Arguments, Host, Memory};
use crate::js::{Ctx, Held, Thrown, Value};
use crate::memory::MemoryPolicy;
use crate::message::ToolCall;
use crate::prelude::Prelude;
use crate::run::Run;
use crate::stop::StopReason;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use helpers::EarlyEnd;
pub use helpers::{MAX_SEARCH_RESULTS, is_helper};
pub(crate) use output::Output;
pub use output::chars;
pub(crate) use rejections::Rejections;

type Js<T> = Result<T, Thrown>;

/// Functions of the guest, by the number that the realm gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Function {
    Log,
    Info,
    Debug,
    Warn,
    Error,
    Text,
    Btoa,
    Atob,
    StructuredClone,
    Finish,
    AllTools,
    Search,
    Describe,
    Call,
    Parallel,
    Store,
    Load,
    YieldControl,
}

impl Function {
    fn from_number(number: i32) -> Option<Self> {
        use Function::{
            AllTools, Atob, Btoa, Call, Debug, Describe, Error, Finish, Info, Load, Log, Parallel,
            Search, Store, StructuredClone, Text, Warn, YieldControl,
        };
        let all = [
            Log,
            Info,
            Debug,
            Warn,
            Error,
            Text,
            Btoa,
            Atob,
            StructuredClone,
            Finish,
            AllTools,
            Search,
            Describe,
            Call,
            Parallel,
            Store,
            Load,
            YieldControl,
        ];
        all.into_iter().find(|function| *function as i32 == number)
    }
}

/// A call that has no reply yet.
pub(crate) struct Pending {
    pub(crate) resolve: Held,
    pub(crate) reject: Held,
}

/// State of the guest's host. Callbacks of the engine re-enter it, so every field is borrowed for one statement only.
#[derive(Default)]
pub(crate) struct Guest {
    run: RefCell<Option<Arc<Run>>>,
    memory: Cell<Option<MemoryPolicy>>,
    turn: Cell<Option<TurnClock>>,
    pub(crate) ambient: RefCell<Ambient>,
    pub(crate) calls_made: Cell<u32>,
    /// Calls of this turn, not sent yet.
    pub(crate) batch: RefCell<Vec<ToolCall>>,
    pub(crate) pending: RefCell<HashMap<u32, Pending>>,
    pub(crate) output: Output,
    pub(crate) rejections: Rejections,
    last_miss: RefCell<String>,
    all_tools: OnceCell<Held>,
    pub(crate) early_end: EarlyEnd,
    pub(crate) tool_error_prototype: RefCell<Option<Held>>,
    prelude: Prelude,
}

impl Guest {
    /// Gives a spare realm its run.
    pub(crate) fn adopt(&self, run: Arc<Run>, memory: MemoryPolicy, ambient: Ambient) {
        self.output.set_budget(run.limits.max_output_chars);
        if ambient.in_session() {
            self.output.watch();
        }
        *self.ambient.borrow_mut() = ambient;
        self.memory.set(Some(memory));
        *self.run.borrow_mut() = Some(run);
    }

    /// The thread begins to work for the guest; its CPU clock is the guest's from here.
    pub(crate) fn begin_turn(&self) {
        self.turn.set(Some(TurnClock::start()));
    }

    /// CPU time since `begin_turn`.
    pub(crate) fn turn_cpu(&self) -> Duration {
        let Some(mut clock) = self.turn.get() else {
            return Duration::ZERO;
        };
        let cpu = clock.cpu();
        self.turn.set(Some(clock));
        cpu
    }

    pub(crate) fn memory_base(&self) -> usize {
        self.memory.get().map_or(0, |memory| memory.base())
    }

    /// The run; `None` only while the realm is being made.
    pub(crate) fn run(&self) -> Option<Arc<Run>> {
        self.run.borrow().clone()
    }

    fn is_stopped(&self) -> bool {
        self.run
            .borrow()
            .as_ref()
            .is_some_and(|run| run.stop.reason().is_some())
    }

    /// Ends the run for a reason of the guest's own doing; the exception cannot be caught.
    fn stop(&self, ctx: Ctx, reason: StopReason) -> Thrown {
        if let Some(run) = self.run() {
            run.stop_from_inside(reason);
        }
        ctx.throw_stop()
    }

    fn structured_clone(&self, ctx: Ctx, arguments: &Arguments<'_>) -> Js<Value> {
        if arguments.len() == 0 {
            return Err(ctx.throw_type_error("structuredClone needs one argument"));
        }
        let clone = self.prelude.structured_clone(ctx)?;
        ctx.call(&clone, &ctx.undefined(), &[&arguments.get(0)])
    }
}

impl Host for Guest {
    fn call_function(&self, ctx: Ctx, function: i32, arguments: &Arguments<'_>) -> Js<Value> {
        if self.is_stopped() {
            return Err(ctx.throw_stop());
        }
        match Function::from_number(function) {
            Some(Function::Log | Function::Info | Function::Debug) => self.log(ctx, "", arguments),
            Some(Function::Warn) => self.log(ctx, "warn: ", arguments),
            Some(Function::Error) => self.log(ctx, "error: ", arguments),
            Some(Function::Text) => self.text(ctx, arguments),
            Some(Function::Btoa) => base64::encode(ctx, &arguments.get(0)),
            Some(Function::Atob) => base64::decode(ctx, &arguments.get(0)),
            Some(Function::StructuredClone) => self.structured_clone(ctx, arguments),
            Some(Function::Finish) => self.finish(ctx, &arguments.get(0)),
            Some(Function::AllTools) => self.all_tools(ctx),
            Some(Function::Search) => self.search(ctx, arguments),
            Some(Function::Describe) => self.describe(ctx, &arguments.get(0)),
            Some(Function::Call) => self.call_by_name(ctx, arguments),
            Some(Function::Parallel) => self.parallel(ctx, &arguments.get(0)),
            Some(Function::Store) => self.store(ctx, arguments),
            Some(Function::Load) => self.load(ctx, arguments),
            Some(Function::YieldControl) => Ok(self.yield_control(ctx)),
            None => Err(ctx.throw_type_error("no such function")),
        }
    }

    fn call_tool(&self, ctx: Ctx, tool: i32, arguments: &Arguments<'_>) -> Js<Value> {
        if self.is_stopped() {
            return Err(ctx.throw_stop());
        }
        let tool = u32::try_from(tool).unwrap_or(0);
        self.make_call(ctx, tool, &arguments.get(0))
    }

    fn find_tool(&self, name: &str) -> Option<i32> {
        let found = self
            .run
            .borrow()
            .as_ref()
            .and_then(|run| run.tools.find(name));
        if found.is_none() {
            name.clone_into(&mut self.last_miss.borrow_mut());
        }
        found.and_then(|index| i32::try_from(index).ok())
    }

    fn tool_names(&self) -> Vec<String> {
        self.run
            .borrow()
            .as_ref()
            .map_or_else(Vec::new, |run| run.tools.names())
    }

    fn find_helper(&self, name: &str) -> Option<(i32, i32)> {
        helpers::find(name).map(|(function, arity)| (function as i32, arity))
    }

    fn find_function(&self, name: &str) -> Option<i32> {
        let run = self.run()?;
        let found = run.tools.functions()?.find(name)?;
        i32::try_from(found).ok()
    }

    fn function_names(&self) -> Vec<String> {
        self.run().map_or_else(Vec::new, |run| {
            let functions = run.tools.functions();
            functions.map_or_else(Vec::new, crate::message::Functions::names)
        })
    }

    fn interrupted(&self, memory: &mut Memory) -> bool {
        let Some(run) = self.run() else { return false };
        run.look();
        if run.stop.reason().is_some() {
            return true;
        }
        if let Some(mut policy) = self.memory.get() {
            let admitted = policy.admits(memory);
            self.memory.set(Some(policy));
            if !admitted {
                run.stop_from_inside(StopReason::Memory);
                return true;
            }
        }
        if run.cpu_is_over(self.turn_cpu()) {
            run.stop_from_inside(StopReason::CpuTimeout);
            return true;
        }
        false
    }

    fn now_ms(&self) -> i64 {
        self.ambient.borrow_mut().now_ms()
    }

    fn undefined_hint(&self, name: &str) -> Option<String> {
        let run = self.run();
        let functions = run.as_ref().and_then(|run| run.tools.functions());
        functions
            .and_then(|functions| functions.unknown(name))
            .or_else(|| hints::undefined(name))
    }

    fn uncallable_tool_hint(&self) -> Option<String> {
        let name = self.last_miss.borrow();
        self.run
            .borrow()
            .as_ref()
            .map(|run| run.tools.unknown(&name))
    }

    fn rejection(&self, _ctx: Ctx, promise: &Value, reason: &Value, handled: bool) {
        if self.early_end.is(reason) {
            self.early_end.track(handled);
        } else {
            self.rejections.track(promise, reason, handled);
        }
    }

    fn panicked(&self) {
        if let Some(run) = self.run() {
            run.stop_from_inside(StopReason::Internal);
        }
    }
}
