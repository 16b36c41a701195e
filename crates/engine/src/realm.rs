//! A fresh global environment: the language without what is unsafe or useless here, and the few functions of ours.

use crate::guest::{Function, Guest, store};
use crate::js::slice::Hatch;
use crate::js::{Ctx, Entered, Held, Image, Lazy, Runtime, Thrown, Value};
use crate::memory::MemoryPolicy;
use crate::prelude;
use crate::run::Run;
use crate::{Ambient, Features};
use std::ffi::CStr;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

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

/// Globals that few programs need.
static LAZY: [Lazy<Guest>; 3] = [
    Lazy::function(c"finish", 1, Function::Finish as i16),
    Lazy::function(c"exit", 1, Function::Finish as i16),
    Lazy::value(c"ALL_TOOLS", Function::AllTools as i16),
];

impl Realm {
    /// `None` where memory is short.
    pub(crate) fn new(features: Features) -> Option<Self> {
        let (runtime, prototype) = match image(features) {
            Some(image) => image.instantiate(Guest::default())?,
            None => {
                let mut runtime = Runtime::new(Guest::default(), features)?;
                let prototype = furnish(&mut runtime, features)?;
                (runtime, prototype)
            }
        };
        *runtime.host().tool_error_prototype.borrow_mut() = Some(prototype);
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
        let named = name_tools(&run);
        self.runtime.host().adopt(run, policy, ambient);
        self.runtime.enter(|entered| {
            entered.ctx.seed_random(seed);
            // Short of memory the names are missing, and the run is stopped for that.
            if named && add_names(entered).is_err() {
                drop(entered.ctx.take_exception());
            }
        });
    }

    /// The turn that follows is left at `until`.
    pub(crate) fn open_exit(&mut self, hatch: &Hatch<'_>, until: Instant) {
        self.runtime.heap().exit.open(hatch, until);
    }

    /// The turn is over; false where it was left.
    pub(crate) fn close_exit(&mut self) -> bool {
        self.runtime.heap().exit.close()
    }

    pub(crate) fn heap_bytes(&mut self) -> usize {
        self.runtime.heap().used()
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

/// The realm of these features to copy from. `None` where allocations are watched one by one, or memory was short.
fn image(features: Features) -> Option<&'static Image> {
    static IMAGES: [OnceLock<Option<Image>>; 4] = [const { OnceLock::new() }; 4];
    if cfg!(feature = "fault-injection") {
        return None;
    }
    let index = usize::from(features.typed_arrays) | usize::from(features.weak_refs) << 1;
    let capture = || Image::capture(features, &|runtime| furnish(runtime, features));
    IMAGES.get(index)?.get_or_init(capture).as_ref()
}

/// Gives `ToolError.prototype`.
fn furnish(runtime: &mut Runtime<Guest>, features: Features) -> Option<Held> {
    runtime
        .enter(|entered| equip(entered, features).map(Held::new))
        .ok()
}

fn equip(entered: &Entered<'_, Guest>, features: Features) -> Js<Value> {
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
    entered.lazy_globals(&LAZY)?;
    tool_error_prototype(entered, ctx)
}

/// Whether the run's program finds its tools under other names too.
fn name_tools(run: &Run) -> bool {
    run.tools.object().is_some() || run.tools.functions().is_some()
}

fn add_names(entered: &Entered<'_, Guest>) -> Js<()> {
    let Some(run) = entered.host.run() else {
        return Ok(());
    };
    let global = entered.ctx.global();
    if let Some(name) = run.tools.object() {
        global.define_fixed(name, global.get(c"tools")?)?;
    }
    if run.tools.functions().is_some() {
        entered.add_functions()?;
    }
    Ok(())
}

fn console(entered: &Entered<'_, Guest>) -> Js<Value> {
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
fn tool_error_prototype(entered: &Entered<'_, Guest>, ctx: Ctx) -> Js<Value> {
    let prototype = ctx.object_with_prototype(&entered.prototype_of(c"Error")?)?;
    prototype.define(c"name", ctx.string("ToolError")?)?;
    Ok(prototype)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_realm_is_copied_from_an_image() {
        for (typed_arrays, weak_refs) in
            [(false, false), (true, false), (false, true), (true, true)]
        {
            let features = Features {
                typed_arrays,
                weak_refs,
            };
            let image = image(features);
            assert!(
                image.is_some() != cfg!(feature = "fault-injection"),
                "{features:?}"
            );
        }
    }
}
