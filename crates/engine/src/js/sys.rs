//! What `patches/quickjs-ng.patch` adds to the engine; see the comments there in `quickjs.h`.
#![expect(unsafe_code, reason = "declares C functions")]

use rquickjs::qjs::{JSContext, JSRuntime, JSValue};
use std::ffi::{c_char, c_int};

pub(crate) const HINT_NOT_DEFINED: c_int = 0;

pub(crate) type HintHandler = unsafe extern "C" fn(
    ctx: *mut JSContext,
    kind: c_int,
    this_obj: JSValue,
    name: *const c_char,
    buf: *mut c_char,
    buf_size: usize,
) -> bool;
pub(crate) type ClockHandler = unsafe extern "C" fn(ctx: *mut JSContext) -> i64;

unsafe extern "C" {
    pub(crate) fn JS_GetAttentionFlag(rt: *mut JSRuntime) -> *mut c_int;
    pub(crate) fn JS_SetHintHandler(rt: *mut JSRuntime, handler: HintHandler);
    pub(crate) fn JS_SetClockHandler(rt: *mut JSRuntime, handler: ClockHandler);
    pub(crate) fn JS_SetRandomSeed(ctx: *mut JSContext, seed: u64);
    pub(crate) fn JS_SetFinishError(rt: *mut JSRuntime, error: JSValue);
}
