//! What the engine calls: the functions the guest sees, the `tools` object, the interrupt, clock and hint handlers.
#![expect(unsafe_code, reason = "C callbacks")]

use super::ctx::{Ctx, Js, Thrown};
use super::heap::Heap;
use super::sys;
use super::value::Value;
use rquickjs::qjs;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicI32, Ordering};

/// The host of one runtime. Called re-entrantly (a getter of the guest's arguments may call a tool), hence `&self`.
pub(crate) trait Host {
    /// A function installed by `Realm` under a number.
    fn call_function(&self, ctx: Ctx, function: i32, arguments: &Arguments<'_>) -> Js<Value>;
    fn call_tool(&self, ctx: Ctx, tool: i32, arguments: &Arguments<'_>) -> Js<Value>;
    /// The tool behind a property of `tools`; where there is none, the name is remembered for the next hint.
    fn find_tool(&self, name: &str) -> Option<i32>;
    fn tool_names(&self) -> Vec<String>;
    /// The number (see `call_function`) and arity of a member of `tools` that is no tool; a tool of its name hides it.
    fn find_helper(&self, name: &str) -> Option<(i32, i32)>;
    /// The tool behind a global function.
    fn find_function(&self, name: &str) -> Option<i32>;
    fn function_names(&self) -> Vec<String>;
    /// The attention flag was up, or it was time to look. True stops the guest.
    fn interrupted(&self, memory: &mut Memory) -> bool;
    fn now_ms(&self) -> i64;
    /// The message for a variable that is not defined.
    fn undefined_hint(&self, name: &str) -> Option<String>;
    /// The message for a call of a property of `tools` that is no tool.
    fn uncallable_tool_hint(&self) -> Option<String>;
    /// A promise was rejected without a handler, or got one after all.
    fn rejection(&self, ctx: Ctx, promise: &Value, reason: &Value, handled: bool);
    /// The host's own code panicked; the run must end as a fault.
    fn panicked(&self);
}

/// A function that was made for a property, as an owned reference.
#[derive(Clone, Copy)]
pub(super) struct Member {
    pub(super) function: qjs::JSValue,
    /// A tool; helpers are not listed.
    pub(super) enumerable: bool,
}

/// What one runtime's callbacks share; the context's and runtime's opaque pointer.
pub(super) struct Shared<H> {
    pub(super) host: H,
    pub(super) heap: *mut Heap,
    pub(super) attention: NonNull<AtomicI32>,
    pub(super) tools: Cell<usize>,
    /// Class of `tools` and of the object behind the global one.
    pub(super) class: Cell<qjs::JSClassID>,
    /// Functions that were asked for, by atom: members of `tools`, and where the flag is set global functions.
    /// The atoms are owned; both are freed with the heap.
    pub(super) functions: RefCell<HashMap<(bool, qjs::JSAtom), Member>>,
}

impl<H> Shared<H> {
    pub(super) fn new(host: H, heap: *mut Heap, attention: NonNull<AtomicI32>) -> Self {
        Self {
            host,
            heap,
            attention,
            tools: Cell::new(0),
            class: Cell::new(0),
            functions: RefCell::default(),
        }
    }
}

/// The arguments of one call.
pub(crate) struct Arguments<'a> {
    ctx: Ctx,
    raw: &'a [qjs::JSValue],
}

impl Arguments<'_> {
    pub(crate) fn len(&self) -> usize {
        self.raw.len()
    }

    /// The argument, undefined where it is missing.
    pub(crate) fn get(&self, index: usize) -> Value {
        match self.raw.get(index) {
            // SAFETY: the engine keeps arguments alive during the call.
            Some(raw) => unsafe { Value::borrowed(self.ctx, *raw) },
            None => self.ctx.undefined(),
        }
    }
}

/// The memory of the runtime, seen from its interrupt handler.
pub(crate) struct Memory {
    heap: *mut Heap,
    runtime: *mut qjs::JSRuntime,
}

impl Memory {
    fn heap(&mut self) -> &mut Heap {
        // SAFETY: the heap outlives its runtime, which is calling us; the borrow ends before the engine allocates.
        unsafe { &mut *self.heap }
    }

    pub(crate) fn used(&mut self) -> usize {
        self.heap().used()
    }

    pub(crate) fn refused(&mut self) -> bool {
        self.heap().refused()
    }

    pub(crate) fn set_trigger(&mut self, bytes: usize) {
        self.heap().set_trigger(bytes);
    }

    /// Runs the cycle collector.
    pub(crate) fn collect(&mut self) {
        // SAFETY: we are in the interrupt handler of this runtime, between two operations of the guest.
        unsafe { qjs::JS_RunGC(self.runtime) };
    }
}

/// # Safety
/// `ctx` is a context made by `Runtime<H>`.
pub(super) unsafe fn shared<'s, H>(ctx: *mut qjs::JSContext) -> &'s Shared<H> {
    // SAFETY: the opaque pointer is set once, before any script runs, and outlives the context.
    unsafe { &*qjs::JS_GetContextOpaque(ctx).cast() }
}

/// Runs host code for the engine: a thrown exception stays pending, a panic becomes a stop.
fn guarded<H: Host>(ctx: Ctx, host: &H, body: impl FnOnce() -> Js<Value>) -> qjs::JSValue {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => value.into_raw(),
        Ok(Err(Thrown)) => qjs::JS_EXCEPTION,
        Err(_) => {
            host.panicked();
            let Thrown = ctx.throw_stop();
            qjs::JS_EXCEPTION
        }
    }
}

/// # Safety
/// The engine's contract for a C function of a context of `Runtime<H>`.
unsafe fn arguments<'a>(ctx: Ctx, argc: c_int, argv: *mut qjs::JSValue) -> Arguments<'a> {
    let length = usize::try_from(argc).unwrap_or(0);
    let raw = if length == 0 {
        &[][..]
    } else {
        // SAFETY: `argv` holds `argc` live values.
        unsafe { std::slice::from_raw_parts(argv, length) }
    };
    Arguments { ctx, raw }
}

pub(super) unsafe extern "C" fn function<H: Host>(
    ctx: *mut qjs::JSContext,
    _this: qjs::JSValue,
    argc: c_int,
    argv: *mut qjs::JSValue,
    magic: c_int,
) -> qjs::JSValue {
    // SAFETY: called by the engine on a context of `Runtime<H>`.
    unsafe {
        let shared = shared::<H>(ctx);
        let ctx = Ctx::from_raw(NonNull::new_unchecked(ctx));
        let arguments = arguments(ctx, argc, argv);
        guarded(ctx, &shared.host, || {
            shared.host.call_function(ctx, magic, &arguments)
        })
    }
}

pub(super) unsafe extern "C" fn getter<H: Host>(
    ctx: *mut qjs::JSContext,
    this: qjs::JSValue,
    magic: c_int,
) -> qjs::JSValue {
    // SAFETY: called by the engine on a context of `Runtime<H>`; there are no arguments to read.
    unsafe { function::<H>(ctx, this, 0, ptr::null_mut(), magic) }
}

pub(super) unsafe extern "C" fn tool<H: Host>(
    ctx: *mut qjs::JSContext,
    _this: qjs::JSValue,
    argc: c_int,
    argv: *mut qjs::JSValue,
    magic: c_int,
) -> qjs::JSValue {
    // SAFETY: called by the engine on a context of `Runtime<H>`.
    unsafe {
        let shared = shared::<H>(ctx);
        let ctx = Ctx::from_raw(NonNull::new_unchecked(ctx));
        let arguments = arguments(ctx, argc, argv);
        // Many calls in a row take time without a look of the engine.
        (*shared.heap).exit.leave_if_due();
        guarded(ctx, &shared.host, || {
            shared.host.call_tool(ctx, magic, &arguments)
        })
    }
}

pub(super) unsafe extern "C" fn interrupt<H: Host>(
    runtime: *mut qjs::JSRuntime,
    opaque: *mut c_void,
) -> c_int {
    // SAFETY: the opaque pointer is the `Shared` of this runtime.
    unsafe {
        let shared = &*opaque.cast::<Shared<H>>();
        let attention = shared.attention.as_ref();
        // Cleared before the reasons are read: a reason that comes later raises it again.
        attention.store(0, Ordering::SeqCst);
        let mut memory = Memory {
            heap: shared.heap,
            runtime,
        };
        let stop = catch_unwind(AssertUnwindSafe(|| shared.host.interrupted(&mut memory)));
        let stop = stop.unwrap_or_else(|_| {
            shared.host.panicked();
            true
        });
        if stop {
            (*shared.heap).stopped();
            qjs::JS_SetMaxStackSize(runtime, 1);
            attention.store(1, Ordering::SeqCst);
        }
        (*shared.heap).exit.leave_if_due();
        c_int::from(stop)
    }
}

pub(super) unsafe extern "C" fn clock<H: Host>(ctx: *mut qjs::JSContext) -> i64 {
    // SAFETY: called by the engine on a context of `Runtime<H>`.
    unsafe { shared::<H>(ctx) }.host.now_ms()
}

pub(super) unsafe extern "C" fn hint<H: Host>(
    ctx: *mut qjs::JSContext,
    kind: c_int,
    this_obj: qjs::JSValue,
    name: *const c_char,
    buf: *mut c_char,
    buf_size: usize,
) -> bool {
    // SAFETY: called by the engine on a context of `Runtime<H>`, with a NUL-terminated name and a buffer.
    unsafe {
        let shared = shared::<H>(ctx);
        let message = if kind == sys::HINT_NOT_DEFINED {
            let name = CStr::from_ptr(name).to_string_lossy();
            shared.host.undefined_hint(&name)
        } else if qjs::JS_IsObject(this_obj)
            && qjs::JS_VALUE_GET_PTR(this_obj) as usize == shared.tools.get()
        {
            shared.host.uncallable_tool_hint()
        } else {
            None
        };
        let Some(message) = message else { return false };
        let Some(room) = buf_size.checked_sub(1) else {
            return false;
        };
        let mut length = message.len().min(room);
        while !message.is_char_boundary(length) {
            length -= 1;
        }
        ptr::copy_nonoverlapping(message.as_ptr().cast(), buf, length);
        *buf.add(length) = 0;
        true
    }
}

pub(super) unsafe extern "C" fn rejection<H: Host>(
    ctx: *mut qjs::JSContext,
    promise: qjs::JSValue,
    reason: qjs::JSValue,
    is_handled: bool,
    _opaque: *mut c_void,
) {
    // SAFETY: called by the engine on a context of `Runtime<H>` with live values.
    unsafe {
        let shared = shared::<H>(ctx);
        let ctx = Ctx::from_raw(NonNull::new_unchecked(ctx));
        let (promise, reason) = (Value::borrowed(ctx, promise), Value::borrowed(ctx, reason));
        let body = || shared.host.rejection(ctx, &promise, &reason, is_handled);
        if catch_unwind(AssertUnwindSafe(body)).is_err() {
            shared.host.panicked();
        }
    }
}

/// A frozen function that is no constructor.
pub(super) fn new_function(
    ctx: Ctx,
    name: &str,
    length: c_int,
    callback: unsafe extern "C" fn(
        *mut qjs::JSContext,
        qjs::JSValue,
        c_int,
        *mut qjs::JSValue,
        c_int,
    ) -> qjs::JSValue,
    magic: c_int,
) -> Js<Value> {
    let c_name: Vec<u8> = name.bytes().filter(|byte| *byte != 0).chain([0]).collect();
    // SAFETY: `generic_magic` is the member of the union that `JS_CFUNC_generic_magic` stands for, and a function
    // pointer has the same representation in each of its members.
    let function = unsafe {
        let callback = qjs::JSCFunctionType {
            generic_magic: Some(callback),
        }
        .generic;
        ctx.own(qjs::JS_NewCFunction2(
            ctx.raw(),
            callback,
            c_name.as_ptr().cast(),
            length,
            qjs::JSCFunctionEnum_JS_CFUNC_generic_magic,
            magic,
        ))?
    };
    ctx.freeze(&function)?;
    Ok(function)
}
