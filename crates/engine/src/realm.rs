//! A fresh global environment: the language without what is unsafe or useless here, and the few functions of ours.

use crate::guest::{Function, Guest, store};
use crate::js::{Ctx, Entered, Held, Runtime, Thrown};
use crate::memory::MemoryPolicy;
use crate::prelude;
use crate::run::Run;
use crate::{Ambient, Features};
use std::ffi::CStr;
use std::sync::Arc;

type Js<T> = Result<T, Thrown>;

/// A runtime that belongs to one run at most, and to no other after it.
pub(crate) struct Realm {
    runtime: Runtime<Guest>,
}

/// Globals of the base objects that no program needs: each had memory-safety bugs, or makes code at run time.
const REMOVED: [&CStr; 10] = [
    c"eval",
    c"DisposableStack",
    c"AsyncDisposableStack",
    c"SuppressedError",
    c"SharedArrayBuffer",
    c"Atomics",
    c"performance",
    c"DOMException",
    c"WeakMap",
    c"WeakSet",
];
/// Own properties of `Error` that hand out call sites or cost time on every throw.
const REMOVED_OF_ERROR: [&CStr; 3] = [
    c"prepareStackTrace",
    c"captureStackTrace",
    c"stackTraceLimit",
];
/// Young functions of `Iterator` with a history of memory-safety bugs.
const REMOVED_OF_ITERATOR: [&CStr; 3] = [c"concat", c"zip", c"zipKeyed"];

impl Realm {
    /// `None` where memory is short.
    pub(crate) fn new(features: Features) -> Option<Self> {
        let mut runtime = Runtime::new(Guest::default(), features)?;
        runtime.enter(|entered| furnish(entered, features)).ok()?;
        Some(Self { runtime })
    }

    /// Gives the realm to a run; its limits hold from here.
    pub(crate) fn adopt(&mut self, run: Arc<Run>, mut ambient: Ambient) {
        let seed = ambient.seed();
        if ambient.in_session() {
            self.runtime.enter(|entered| {
                // Only memory can be short here; the guest's first allocation meets the same.
                if store::furnish(entered).is_err() {
                    drop(entered.ctx.take_exception());
                }
            });
        }
        let limit = usize::try_from(run.limits.memory_limit_bytes).unwrap_or(usize::MAX);
        let stack = usize::try_from(run.limits.stack_limit_bytes).unwrap_or(usize::MAX);
        let heap = self.runtime.heap();
        heap.reset_peak();
        let policy = MemoryPolicy::new(heap.used(), limit);
        heap.set_trigger(policy.trigger());
        heap.set_hard(policy.hard());
        #[cfg(feature = "fault-injection")]
        heap.faults.arm();
        self.runtime.set_stack_limit(stack);
        self.runtime.host().adopt(run, policy, ambient);
        self.runtime.enter(|entered| entered.ctx.seed_random(seed));
    }

    pub(crate) fn runtime(&mut self) -> &mut Runtime<Guest> {
        &mut self.runtime
    }

    pub(crate) fn guest(&self) -> &Guest {
        self.runtime.host()
    }

    /// The most bytes the guest held above a fresh realm.
    pub(crate) fn peak_bytes(&mut self) -> u64 {
        let base = self.guest().memory_base();
        self.runtime.heap().peak().saturating_sub(base) as u64
    }

    /// An allocation was refused since the realm was made.
    pub(crate) fn was_refused(&mut self) -> bool {
        self.runtime.heap().refused()
    }
}

impl Drop for Realm {
    /// Before the heap goes, nobody may raise its flag any more; also where a panic drops the realm.
    fn drop(&mut self) {
        if let Some(run) = self.guest().run() {
            run.set_attention(None);
        }
    }
}

fn furnish(entered: &Entered<'_, Guest>, features: Features) -> Js<()> {
    let ctx = entered.ctx;
    let global = ctx.global();
    for name in REMOVED {
        let weak = name == c"WeakMap" || name == c"WeakSet";
        if !(weak && features.weak_refs) {
            global.delete(name)?;
        }
    }
    let error = global.get(c"Error")?;
    for name in REMOVED_OF_ERROR {
        error.delete(name)?;
    }
    let iterator = global.get(c"Iterator")?;
    for name in REMOVED_OF_ITERATOR {
        iterator.delete(name)?;
    }
    if features.typed_arrays {
        prelude::TYPED_ARRAYS.evaluate(ctx)?;
    }
    global.define_fixed(c"tools", entered.tools_object()?)?;
    global.define_fixed(c"console", console(entered)?)?;
    let functions = [
        (c"text", "text", Function::Text),
        (c"btoa", "btoa", Function::Btoa),
        (c"atob", "atob", Function::Atob),
        (
            c"structuredClone",
            "structuredClone",
            Function::StructuredClone,
        ),
    ];
    for (key, name, function) in functions {
        global.define(key, entered.function(name, 1, function as i32)?)?;
    }
    let prototype = tool_error_prototype(entered, ctx)?;
    *entered.host.tool_error_prototype.borrow_mut() = Some(prototype);
    Ok(())
}

fn console(entered: &Entered<'_, Guest>) -> Js<crate::js::Value> {
    let ctx = entered.ctx;
    let console = ctx.object_with_prototype(&ctx.null())?;
    let functions = [
        (c"log", "log", Function::Log),
        (c"info", "info", Function::Info),
        (c"debug", "debug", Function::Debug),
        (c"warn", "warn", Function::Warn),
        (c"error", "error", Function::Error),
    ];
    for (key, name, function) in functions {
        console.define_fixed(key, entered.function(name, 0, function as i32)?)?;
    }
    ctx.freeze(&console)?;
    Ok(console)
}

/// `ToolError.prototype`; there is no constructor for the guest, who has no use for one.
fn tool_error_prototype(entered: &Entered<'_, Guest>, ctx: Ctx) -> Js<Held> {
    let prototype = ctx.object_with_prototype(&entered.prototype_of(c"Error")?)?;
    prototype.define(c"name", ctx.string("ToolError")?)?;
    Ok(Held::new(prototype))
}
