//! A runtime with one context: made with the intrinsics a run needs, entered by one thread at a time, dropped whole.
#![expect(unsafe_code, reason = "calls the C engine")]

use super::ctx::{Ctx, Js, Name};
use super::heap::Heap;
use super::host::{self, Host, Shared};
use super::lazy::Lazy;
use super::malloc;
use super::sys;
use super::tools_object::ToolsObject;
use super::value::Value;
use rquickjs::qjs;
use std::ffi::c_int;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicI32, Ordering};

/// Groups of the language that are left out by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Features {
    /// Typed arrays, `ArrayBuffer` and `DataView`. Never `SharedArrayBuffer` or `Atomics`.
    pub typed_arrays: bool,
    /// `WeakRef` and `FinalizationRegistry`.
    pub weak_refs: bool,
}

/// Owns a heap, the runtime in it and the host that its callbacks reach.
pub(crate) struct Runtime<H> {
    raw: NonNull<qjs::JSRuntime>,
    ctx: NonNull<qjs::JSContext>,
    // Dropped in this order: nothing in `shared` touches the heap when it is dropped.
    shared: Box<Shared<H>>,
    heap: Box<Heap>,
}

// SAFETY: the engine keeps no state outside its heap and uses no thread-local; `enter` tells it of the new stack.
// `H` is reached only through the runtime, so it moves together with it.
unsafe impl<H: Send> Send for Runtime<H> {}

/// Raises the attention flag of a runtime from any thread. Valid as long as the runtime: its owner takes it back first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attention(NonNull<AtomicI32>);

// SAFETY: an atomic; the owner upholds its lifetime (see `Run::set_attention`).
unsafe impl Send for Attention {}

impl Attention {
    pub(super) fn new(flag: NonNull<AtomicI32>) -> Self {
        Self(flag)
    }

    pub(crate) fn address(self) -> *mut AtomicI32 {
        self.0.as_ptr()
    }

    /// As `raise`, for the flag at this address, if any: it is that of a live runtime or null.
    pub(crate) fn raise_at(flag: *mut AtomicI32) {
        // SAFETY: `Run::set_attention` publishes the address and takes it back before the runtime is dropped, on the
        // thread whose signal handler calls this.
        if let Some(flag) = unsafe { flag.as_ref() } {
            flag.store(1, Ordering::SeqCst);
        }
    }

    pub(crate) fn raise(self) {
        // SAFETY: the flag lives as long as the runtime, and the owner takes it back before it drops that.
        unsafe { self.0.as_ref() }.store(1, Ordering::SeqCst);
    }
}

/// The thread is inside the runtime.
pub(crate) struct Entered<'r, H> {
    pub(crate) ctx: Ctx,
    pub(crate) host: &'r H,
    runtime: NonNull<qjs::JSRuntime>,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    None,
    Done,
    Threw,
}

impl<H: Host> Runtime<H> {
    /// `None` where memory is short.
    pub(crate) fn new(host: H, features: Features) -> Option<Self> {
        Self::build(host, features, Heap::new())
    }

    /// A runtime in this heap, which is unused.
    pub(super) fn build(host: H, features: Features, mut heap: Box<Heap>) -> Option<Self> {
        let heap_ptr: *mut Heap = &raw mut *heap;
        let functions = malloc::functions();
        // SAFETY: the heap lives in a box that outlives the runtime.
        let raw =
            NonNull::new(unsafe { qjs::JS_NewRuntime2(&raw const functions, heap_ptr.cast()) })?;
        // SAFETY: a field of the runtime; an `int` and an `AtomicI32` have the same representation.
        let attention = unsafe { NonNull::new(sys::JS_GetAttentionFlag(raw.as_ptr()).cast())? };
        let shared = Box::new(Shared::new(host, heap_ptr, attention));
        // SAFETY: the runtime is ours and fresh.
        let ctx = unsafe {
            let rt = raw.as_ptr();
            qjs::JS_UpdateStackTop(rt);
            // The collector runs from the interrupt handler, never in the middle of an allocation.
            qjs::JS_SetGCThreshold(rt, qjs::size_t::MAX);
            qjs::JS_SetCanBlock(rt, false);
            qjs::JS_SetHostPromiseRejectionTracker(rt, Some(host::rejection::<H>), ptr::null_mut());
            sys::JS_SetHintHandler(rt, host::hint::<H>);
            sys::JS_SetClockHandler(rt, host::clock::<H>);
            new_context(rt, features)?
        };
        // SAFETY: runtime and context live in this heap, with the handlers of `H`.
        Some(unsafe { Self::assemble(raw, ctx, shared, heap) })
    }

    /// Connects a runtime with its host.
    ///
    /// # Safety
    /// `raw` and `ctx` live in `heap`, their handlers are those of `H`, and nobody else uses them.
    pub(super) unsafe fn assemble(
        raw: NonNull<qjs::JSRuntime>,
        ctx: NonNull<qjs::JSContext>,
        mut shared: Box<Shared<H>>,
        mut heap: Box<Heap>,
    ) -> Self {
        let opaque: *mut Shared<H> = &raw mut *shared;
        // SAFETY: the flag is a part of the runtime that allocates here; `opaque` lives in a box that is dropped after
        // the last entry.
        unsafe {
            heap.set_attention(shared.attention);
            let interrupt = Some(host::interrupt::<H> as _);
            qjs::JS_SetInterruptHandler(raw.as_ptr(), interrupt, opaque.cast());
            qjs::JS_SetContextOpaque(ctx.as_ptr(), opaque.cast());
        }
        Self {
            raw,
            ctx,
            shared,
            heap,
        }
    }

    /// Runs `body` inside the runtime, on this thread's stack.
    pub(crate) fn enter<R>(&mut self, body: impl FnOnce(&Entered<'_, H>) -> R) -> R {
        // SAFETY: `&mut self` makes this the only entry.
        unsafe { qjs::JS_UpdateStackTop(self.raw.as_ptr()) };
        // SAFETY: inside the runtime until `body` returns.
        let ctx = unsafe { Ctx::from_raw(self.ctx) };
        body(&Entered {
            ctx,
            host: &self.shared.host,
            runtime: self.raw,
        })
    }

    pub(crate) fn host(&self) -> &H {
        &self.shared.host
    }

    pub(crate) fn heap(&mut self) -> &mut Heap {
        &mut self.heap
    }

    pub(super) fn shared(&self) -> &Shared<H> {
        &self.shared
    }

    pub(super) fn address(&self) -> usize {
        self.raw.as_ptr() as usize
    }

    pub(super) fn context_address(&self) -> usize {
        self.ctx.as_ptr() as usize
    }

    pub(crate) fn set_stack_limit(&mut self, bytes: usize) {
        // SAFETY: sets a field.
        unsafe { qjs::JS_SetMaxStackSize(self.raw.as_ptr(), bytes as _) };
    }

    pub(crate) fn attention(&self) -> Attention {
        Attention(self.shared.attention)
    }
}

impl<H: Host> Entered<'_, H> {
    /// A frozen function that ends in `Host::call_function` with this number.
    pub(crate) fn function(&self, name: &str, length: i32, number: i32) -> Js<Value> {
        host::new_function(self.ctx, name, length, host::function::<H>, number)
    }

    /// The `tools` object: no prototype, cannot be changed, its members come from `Host::find_tool`.
    pub(crate) fn tools_object(&self) -> Js<Value> {
        let (ctx, runtime) = (self.ctx, self.runtime.as_ptr());
        let definition = qjs::JSClassDef {
            class_name: c"Tools".as_ptr(),
            finalizer: None,
            gc_mark: None,
            call: None,
            exotic: ptr::from_ref(&ToolsObject::<H>::METHODS).cast_mut(),
        };
        let mut class = 0;
        // SAFETY: the methods are static; the engine only reads them. The class is new in this runtime.
        let object = unsafe {
            qjs::JS_NewClassID(runtime, &raw mut class);
            ctx.check(qjs::JS_NewClass(runtime, class, &raw const definition))?;
            ctx.own(qjs::JS_NewObjectProtoClass(ctx.raw(), qjs::JS_NULL, class))?
        };
        ctx.prevent_extensions(&object)?;
        let shared = self.shared();
        shared.tools.set(object.address());
        shared.class.set(class);
        Ok(object)
    }

    fn shared(&self) -> &Shared<H> {
        // SAFETY: the context's opaque pointer is the `Shared` of this runtime.
        unsafe { &*qjs::JS_GetContextOpaque(self.ctx.raw()).cast::<Shared<H>>() }
    }

    /// Puts an object behind the global one whose members come from `Host::find_function`. After `tools_object`.
    pub(crate) fn add_functions(&self) -> Js<()> {
        let (ctx, global) = (self.ctx, self.ctx.global());
        let prototype = self.prototype_of(c"Object")?;
        // SAFETY: the class was made by `tools_object`; the prototype is borrowed.
        let scope = unsafe {
            let class = self.shared().class.get();
            ctx.own(qjs::JS_NewObjectProtoClass(
                ctx.raw(),
                prototype.raw(),
                class,
            ))?
        };
        ctx.prevent_extensions(&scope)?;
        global.set_prototype(&scope)
    }

    /// Defines globals that are made when they are first asked for.
    pub(crate) fn lazy_globals(&self, globals: &'static [Lazy<H>]) -> Js<()> {
        let (ctx, global) = (self.ctx, self.ctx.global());
        let count = globals.len() as c_int;
        // SAFETY: a `Lazy` is an entry of the engine's list and lives for ever.
        ctx.check(unsafe {
            let entries = globals.as_ptr().cast();
            qjs::JS_SetPropertyFunctionList(ctx.raw(), global.raw(), entries, count)
        })
    }

    /// Runs the next job of the queue.
    pub(crate) fn run_job(&self) -> Job {
        let mut ctx = ptr::null_mut();
        // SAFETY: inside the runtime.
        let status = unsafe { qjs::JS_ExecutePendingJob(self.runtime.as_ptr(), &raw mut ctx) };
        match status {
            0 => Job::None,
            status if status < 0 => Job::Threw,
            _ => Job::Done,
        }
    }

    /// The prototype of a built-in, e.g. `Error.prototype`.
    pub(crate) fn prototype_of(&self, constructor: Name) -> Js<Value> {
        self.ctx.global().get(constructor)?.get(c"prototype")
    }
}

/// # Safety
/// `rt` is a live runtime without contexts.
unsafe fn new_context(
    rt: *mut qjs::JSRuntime,
    features: Features,
) -> Option<NonNull<qjs::JSContext>> {
    // SAFETY: each call takes a live context; a failure leaves a heap that the caller drops whole.
    unsafe {
        let raw = NonNull::new(qjs::JS_NewContextRaw(rt))?;
        let ctx = raw.as_ptr();
        // `RegExpCompiler` is for `new RegExp(text)`. There is no `Eval`: neither `eval` nor the function constructors.
        qjs::JS_AddIntrinsicRegExpCompiler(ctx);
        let mut failed = qjs::JS_AddIntrinsicBaseObjects(ctx)
            | qjs::JS_AddIntrinsicDate(ctx)
            | qjs::JS_AddIntrinsicRegExp(ctx)
            | qjs::JS_AddIntrinsicJSON(ctx)
            | qjs::JS_AddIntrinsicProxy(ctx)
            | qjs::JS_AddIntrinsicMapSet(ctx)
            | qjs::JS_AddIntrinsicPromise(ctx);
        if features.typed_arrays {
            failed |= qjs::JS_AddIntrinsicTypedArrays(ctx);
        }
        if features.weak_refs {
            failed |= qjs::JS_AddIntrinsicWeakRef(ctx);
        }
        (failed == 0).then_some(raw)
    }
}
