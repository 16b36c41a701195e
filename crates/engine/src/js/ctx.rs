//! One entry into a runtime: makes values, reads and throws exceptions.
#![expect(unsafe_code, reason = "calls the C engine")]

use super::sys;
use super::value::Value;
use rquickjs::qjs;
use std::ffi::{CStr, c_char, c_int};
use std::ptr::NonNull;

/// An exception is pending in the context; `Ctx::take_exception` takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Thrown;

pub(crate) type Js<T> = Result<T, Thrown>;

/// The context of the runtime that this thread is inside of. Not `Send`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ctx(NonNull<qjs::JSContext>);

impl Ctx {
    /// # Safety
    /// The thread is inside the live runtime of `raw` and stays so while the `Ctx` and values made from it are used.
    pub(super) unsafe fn from_raw(raw: NonNull<qjs::JSContext>) -> Self {
        Self(raw)
    }

    pub(super) fn raw(self) -> *mut qjs::JSContext {
        self.0.as_ptr()
    }

    /// Wraps what the engine returned; an exception becomes `Thrown`.
    ///
    /// # Safety
    /// `raw` is an owned reference of this runtime.
    pub(super) unsafe fn own(self, raw: qjs::JSValue) -> Js<Value> {
        // SAFETY: reads the tag of a value.
        if unsafe { qjs::JS_IsException(raw) } {
            return Err(Thrown);
        }
        // SAFETY: owned by the caller's promise.
        Ok(unsafe { Value::from_raw(self, raw) })
    }

    pub(crate) fn undefined(self) -> Value {
        // SAFETY: not reference counted.
        unsafe { Value::from_raw(self, qjs::JS_UNDEFINED) }
    }

    pub(crate) fn null(self) -> Value {
        // SAFETY: not reference counted.
        unsafe { Value::from_raw(self, qjs::JS_NULL) }
    }

    pub(crate) fn string(self, text: &str) -> Js<Value> {
        // SAFETY: the engine copies `len` bytes.
        unsafe {
            self.own(qjs::JS_NewStringLen(
                self.raw(),
                text.as_ptr().cast(),
                text.len() as _,
            ))
        }
    }

    pub(crate) fn object_with_prototype(self, prototype: &Value) -> Js<Value> {
        // SAFETY: the prototype is borrowed by the call.
        unsafe { self.own(qjs::JS_NewObjectProto(self.raw(), prototype.raw())) }
    }

    pub(crate) fn global(self) -> Value {
        // SAFETY: returns an owned reference, never an exception.
        unsafe { Value::from_raw(self, qjs::JS_GetGlobalObject(self.raw())) }
    }

    /// A new promise with its two settling functions: (promise, resolve, reject).
    pub(crate) fn promise(self) -> Js<(Value, Value, Value)> {
        let mut settle = [qjs::JS_UNDEFINED; 2];
        // SAFETY: writes two owned references where it returns no exception.
        unsafe {
            let promise = self.own(qjs::JS_NewPromiseCapability(
                self.raw(),
                settle.as_mut_ptr(),
            ))?;
            let [resolve, reject] = settle;
            Ok((
                promise,
                Value::from_raw(self, resolve),
                Value::from_raw(self, reject),
            ))
        }
    }

    /// An `Error` object without message.
    pub(crate) fn error(self) -> Js<Value> {
        // SAFETY: plain constructor.
        unsafe { self.own(qjs::JS_NewError(self.raw())) }
    }

    /// Parses JSON text. `text` must end with a NUL, which is not part of it.
    pub(crate) fn parse_json(self, text: &[u8]) -> Js<Value> {
        let Some((0, body)) = text.split_last() else {
            return Err(self.throw_type_error("JSON text must end with NUL"));
        };
        // SAFETY: `body` is followed by a NUL, as the engine's parser requires.
        unsafe {
            self.own(qjs::JS_ParseJSON(
                self.raw(),
                body.as_ptr().cast(),
                body.len() as _,
                c"<json>".as_ptr(),
            ))
        }
    }

    /// `JSON.stringify(value)` of the engine itself, whatever the guest did to `JSON`; undefined where JSON has nothing.
    pub(crate) fn stringify(self, value: &Value) -> Js<Value> {
        // SAFETY: all arguments are borrowed.
        unsafe {
            self.own(qjs::JS_JSONStringify(
                self.raw(),
                value.raw(),
                qjs::JS_UNDEFINED,
                qjs::JS_UNDEFINED,
            ))
        }
    }

    pub(crate) fn call(self, function: &Value, this: &Value, arguments: &[&Value]) -> Js<Value> {
        let mut raw: Vec<qjs::JSValue> = arguments.iter().map(|value| value.raw()).collect();
        // SAFETY: function, this and arguments are borrowed by the call.
        unsafe {
            self.own(qjs::JS_Call(
                self.raw(),
                function.raw(),
                this.raw(),
                raw.len() as c_int,
                raw.as_mut_ptr(),
            ))
        }
    }

    /// Calls a settling function of `Ctx::promise` with one argument.
    pub(crate) fn call1(self, function: &Value, argument: &Value) -> Js<Value> {
        let mut raw = [argument.raw()];
        // SAFETY: function and argument are borrowed by the call.
        unsafe {
            self.own(qjs::JS_Call(
                self.raw(),
                function.raw(),
                qjs::JS_UNDEFINED,
                1,
                raw.as_mut_ptr(),
            ))
        }
    }

    pub(crate) fn take_exception(self) -> Value {
        // SAFETY: returns an owned reference.
        unsafe { Value::from_raw(self, qjs::JS_GetException(self.raw())) }
    }

    pub(crate) fn throw(self, value: Value) -> Thrown {
        // SAFETY: `JS_Throw` takes the reference over.
        unsafe { qjs::JS_Throw(self.raw(), value.into_raw()) };
        Thrown
    }

    pub(crate) fn throw_type_error(self, message: &str) -> Thrown {
        let text = c_text(message);
        // SAFETY: the format takes one string; the engine formats into a buffer of its own.
        unsafe { qjs::JS_ThrowTypeError(self.raw(), c"%s".as_ptr(), text.as_ptr()) };
        Thrown
    }

    pub(crate) fn throw_range_error(self, message: &str) -> Thrown {
        let text = c_text(message);
        // SAFETY: as `throw_type_error`.
        unsafe { qjs::JS_ThrowRangeError(self.raw(), c"%s".as_ptr(), text.as_ptr()) };
        Thrown
    }

    /// Throws what no `catch` of the guest sees. The attention flag must be up, so that nothing goes on after it.
    pub(crate) fn throw_stop(self) -> Thrown {
        // SAFETY: the format takes no argument; the exception is borrowed while it is marked.
        unsafe {
            qjs::JS_ThrowInternalError(self.raw(), c"stopped".as_ptr());
            let value = self.take_exception();
            qjs::JS_SetUncatchableError(self.raw(), value.raw());
            qjs::JS_Throw(self.raw(), value.into_raw());
        }
        Thrown
    }

    /// Evaluates bytecode that this process compiled.
    pub(crate) fn evaluate(self, bytecode: &[u8]) -> Js<Value> {
        // SAFETY: the bytecode comes from `Compiler`, never from outside; `JS_EvalFunction` takes the function over.
        unsafe {
            let function = qjs::JS_ReadObject(
                self.raw(),
                bytecode.as_ptr(),
                bytecode.len() as _,
                qjs::JS_READ_OBJ_BYTECODE as _,
            );
            if qjs::JS_IsException(function) {
                return Err(Thrown);
            }
            self.own(qjs::JS_EvalFunction(self.raw(), function))
        }
    }

    pub(crate) fn seed_random(self, seed: u64) {
        // SAFETY: sets a field.
        unsafe { sys::JS_SetRandomSeed(self.raw(), seed) };
    }

    /// The object whose throwing ends the program early: no `catch` of the guest sees it. The caller keeps it alive.
    pub(crate) fn set_finish_error(self, error: &Value) {
        // SAFETY: an object of this runtime.
        unsafe { sys::JS_SetFinishError(qjs::JS_GetRuntime(self.raw()), error.raw()) };
    }

    pub(crate) fn prevent_extensions(self, value: &Value) -> Js<()> {
        // SAFETY: borrows the value.
        self.check(unsafe { qjs::JS_PreventExtensions(self.raw(), value.raw()) })
    }

    pub(crate) fn freeze(self, value: &Value) -> Js<()> {
        // SAFETY: borrows the value.
        self.check(unsafe { qjs::JS_FreezeObject(self.raw(), value.raw()) })
    }

    #[expect(clippy::unused_self, reason = "reads as the other calls do")]
    pub(super) fn check(self, status: c_int) -> Js<()> {
        if status < 0 { Err(Thrown) } else { Ok(()) }
    }
}

/// A message for the engine's formatter: cut at a NUL and at 255 bytes, the size of the engine's own buffer.
fn c_text(message: &str) -> Vec<c_char> {
    const LIMIT: usize = 255;
    let mut end = message.find('\0').unwrap_or(message.len()).min(LIMIT);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    let bytes = message.as_bytes().iter().take(end);
    bytes
        .map(|byte| *byte as c_char)
        .chain(std::iter::once(0))
        .collect()
}

/// A name known at compile time.
pub(crate) type Name = &'static CStr;
