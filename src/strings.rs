//! Text across napi without detours: Latin-1 where it is ASCII, UTF-8 else.
#![expect(
    unsafe_code,
    reason = "raw napi: a string per event is on the hot path"
)]

use crate::fault;
use napi::bindgen_prelude::{FromNapiValue, TypeName, ValidateNapiValue};
use napi::{Result, ValueType, sys};
use std::ptr;

/// # Safety
/// Called on the JavaScript thread of `env`.
pub(crate) unsafe fn to_js(env: sys::napi_env, text: &str) -> Result<sys::napi_value> {
    let mut value = ptr::null_mut();
    let (data, length) = (text.as_ptr().cast(), text.len() as isize);
    // SAFETY: the text is copied by the call.
    let status = unsafe {
        if text.is_ascii() {
            sys::napi_create_string_latin1(env, data, length, &raw mut value)
        } else {
            sys::napi_create_string_utf8(env, data, length, &raw mut value)
        }
    };
    if status == sys::Status::napi_ok {
        Ok(value)
    } else {
        Err(fault::node("a string", status))
    }
}

/// A string argument, read in one go where it is short. Lone surrogates become U+FFFD.
pub struct Text(pub String);

impl TypeName for Text {
    fn type_name() -> &'static str {
        "String"
    }

    fn value_type() -> ValueType {
        ValueType::String
    }
}

impl ValidateNapiValue for Text {}

/// Bytes tried without asking for the length first.
const SHORT: usize = 1024;

impl FromNapiValue for Text {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        let mut bytes: Vec<u8> = Vec::with_capacity(SHORT);
        let mut length = 0;
        // SAFETY: the capacities are as stated; Node writes at most that many bytes, a NUL among them.
        unsafe {
            let read = |bytes: &mut Vec<u8>, length: &mut usize| {
                let room = bytes.capacity();
                let data = bytes.as_mut_ptr().cast();
                sys::napi_get_value_string_utf8(env, value, data, room, length)
            };
            let mut status = read(&mut bytes, &mut length);
            // A cut-off read may end up to three bytes early, at a character's boundary.
            if status == sys::Status::napi_ok && length + 4 >= SHORT {
                status = sys::napi_get_value_string_utf8(
                    env,
                    value,
                    ptr::null_mut(),
                    0,
                    &raw mut length,
                );
                if status == sys::Status::napi_ok {
                    bytes = Vec::with_capacity(length + 1);
                    status = read(&mut bytes, &mut length);
                }
            }
            if status != sys::Status::napi_ok {
                return Err(fault::node("reading a string", status));
            }
            bytes.set_len(length);
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self(text)),
            Err(error) => Ok(Self(String::from_utf8_lossy(error.as_bytes()).into_owned())),
        }
    }
}
