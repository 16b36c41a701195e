//! Text to bytecode, in a runtime of its own that never executes anything and has no memory limit: the engine's
//! parser does not survive a failing allocation, and a realm without parser has no `eval`.
#![expect(unsafe_code, reason = "calls the C engine")]

use super::ctx::Ctx;
use super::heap::Heap;
use super::malloc;
use super::runtime::Attention;
use super::sys;
use super::value::Value;
use rquickjs::qjs;
use std::cell::Cell;
use std::ffi::{CString, c_int, c_void};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI32, Ordering};

/// The name under which the guest's frames appear in a stack.
pub(crate) const FILE_NAME: &str = "run_code.js";
/// A compiler is replaced after this many programs, or when it holds more than `MAX_BYTES`.
const MAX_PROGRAMS: u32 = 500;
const MAX_BYTES: usize = 8 << 20;
/// Enough for any nesting that `codemode-source` lets through, and below what every worker thread has.
const STACK_BYTES: usize = 1 << 20;

/// A compiler for one thread.
pub(crate) struct Compiler {
    raw: NonNull<qjs::JSRuntime>,
    ctx: NonNull<qjs::JSContext>,
    attention: NonNull<AtomicI32>,
    programs: u32,
    stopped: Box<Cell<bool>>,
    heap: Box<Heap>,
}

// SAFETY: as `Runtime`.
unsafe impl Send for Compiler {}

/// What the parser refused.
#[derive(Debug)]
pub(crate) struct SyntaxError {
    pub(crate) message: String,
    /// The parser's own stack text, which names the place.
    pub(crate) stack: String,
}

#[derive(Debug)]
pub(crate) enum CompileError {
    Syntax(SyntaxError),
    /// The attention flag went up.
    Stopped,
}

impl Compiler {
    pub(crate) fn new() -> Option<Self> {
        let mut heap = Heap::new();
        let functions = malloc::functions();
        let heap_ptr: *mut Heap = &raw mut *heap;
        // SAFETY: the heap lives in a box that outlives the runtime; the calls after it are on fresh objects.
        unsafe {
            let raw = NonNull::new(qjs::JS_NewRuntime2(&raw const functions, heap_ptr.cast()))?;
            let rt = raw.as_ptr();
            let attention = NonNull::new(sys::JS_GetAttentionFlag(rt).cast())?;
            let mut stopped = Box::new(Cell::new(false));
            let opaque: *mut Cell<bool> = &raw mut *stopped;
            qjs::JS_UpdateStackTop(rt);
            qjs::JS_SetGCThreshold(rt, qjs::size_t::MAX);
            qjs::JS_SetMaxStackSize(rt, STACK_BYTES as _);
            qjs::JS_SetInterruptHandler(rt, Some(interrupt), opaque.cast());
            let ctx = NonNull::new(qjs::JS_NewContextRaw(rt))?;
            qjs::JS_AddIntrinsicRegExpCompiler(ctx.as_ptr());
            let failed = qjs::JS_AddIntrinsicBaseObjects(ctx.as_ptr())
                | qjs::JS_AddIntrinsicEval(ctx.as_ptr());
            if failed != 0 {
                return None;
            }
            Some(Self {
                raw,
                ctx,
                attention,
                programs: 0,
                stopped,
                heap,
            })
        }
    }

    /// True where a fresh one should take the place of this one.
    pub(crate) fn is_worn(&self) -> bool {
        // A flag that went up too late for its own program must not stop the next one.
        // SAFETY: a field of our live runtime.
        let flagged = unsafe { self.attention.as_ref() }.load(Ordering::SeqCst) != 0;
        let full = self.programs >= MAX_PROGRAMS || self.heap.used() > MAX_BYTES;
        full || flagged || self.stopped.get()
    }

    /// Stops a compilation from another thread.
    pub(crate) fn attention(&self) -> Attention {
        Attention::new(self.attention)
    }

    /// Compiles one expression; `first_line` is the line number of the first line of `text`.
    pub(crate) fn compile(&mut self, text: &str, first_line: i32) -> Result<Vec<u8>, CompileError> {
        self.programs += 1;
        // A NUL is legal inside a literal; the engine takes the length from us and needs one more at the end.
        let mut input = Vec::with_capacity(text.len() + 1);
        input.extend_from_slice(text.as_bytes());
        input.push(0);
        let name = CString::new(FILE_NAME).unwrap_or_default();
        let mut options = qjs::JSEvalOptions {
            version: qjs::JS_EVAL_OPTIONS_VERSION as c_int,
            eval_flags: (qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_COMPILE_ONLY) as c_int,
            filename: name.as_ptr(),
            line_num: first_line,
        };
        // SAFETY: `&mut self` makes this the only entry; input, name and options outlive the call.
        unsafe {
            qjs::JS_UpdateStackTop(self.raw.as_ptr());
            let ctx = Ctx::from_raw(self.ctx);
            let function = qjs::JS_Eval2(
                ctx.raw(),
                input.as_ptr().cast(),
                text.len() as _,
                &raw mut options,
            );
            match ctx.own(function) {
                Ok(function) => Self::write(ctx, &function),
                Err(_) if self.stopped.get() => Err(CompileError::Stopped),
                Err(_) => Err(CompileError::Syntax(read_error(ctx))),
            }
        }
    }

    fn write(ctx: Ctx, function: &Value) -> Result<Vec<u8>, CompileError> {
        let mut size: qjs::size_t = 0;
        // SAFETY: the buffer is copied and then freed with the allocator that made it.
        unsafe {
            let buffer = qjs::JS_WriteObject(
                ctx.raw(),
                &raw mut size,
                function.raw(),
                qjs::JS_WRITE_OBJ_BYTECODE as c_int,
            );
            if buffer.is_null() {
                return Err(CompileError::Syntax(read_error(ctx)));
            }
            let bytecode = std::slice::from_raw_parts(buffer, size as usize).to_vec();
            qjs::js_free(ctx.raw(), buffer.cast());
            Ok(bytecode)
        }
    }
}

fn read_error(ctx: Ctx) -> SyntaxError {
    let error = ctx.take_exception();
    let read = |name| {
        error
            .get(name)
            .and_then(|value| value.text())
            .unwrap_or_default()
    };
    SyntaxError {
        message: read(c"message"),
        stack: read(c"stack"),
    }
}

unsafe extern "C" fn interrupt(rt: *mut qjs::JSRuntime, opaque: *mut c_void) -> c_int {
    // SAFETY: the opaque pointer is the `stopped` cell of the compiler. The counter calls us too, so only a raised
    // flag stops; the flag stays up and the compiler is thrown away.
    unsafe {
        let state = &*opaque.cast::<Cell<bool>>();
        let flag = &*sys::JS_GetAttentionFlag(rt).cast::<AtomicI32>();
        let stop = flag.load(Ordering::SeqCst) != 0;
        state.set(state.get() || stop);
        c_int::from(stop)
    }
}
