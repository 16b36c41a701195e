//! Globals that cost a realm an entry in a table, and are made when a program first asks for them.
#![expect(unsafe_code, reason = "an entry of the C engine's list")]

use super::ctx::Name;
use super::host::{self, Host};
use rquickjs::qjs;
use std::marker::PhantomData;

/// One global; see `Entered::lazy_globals`.
#[repr(transparent)]
pub(crate) struct Lazy<H>(qjs::JSCFunctionListEntry, PhantomData<fn(H)>);

// SAFETY: constant after it was made; its pointers are to constants and functions.
unsafe impl<H> Sync for Lazy<H> {}

impl<H: Host> Lazy<H> {
    /// A function that ends in `Host::call_function` with this number.
    pub(crate) const fn function(name: Name, length: u8, number: i16) -> Self {
        let call = qjs::JSCFunctionType {
            generic_magic: Some(host::function::<H>),
        };
        let func = qjs::JSCFunctionListEntry__bindgen_ty_1__bindgen_ty_1 {
            length,
            cproto: qjs::JSCFunctionEnum_JS_CFUNC_generic_magic as u8,
            cfunc: call,
        };
        Self::entry(
            name,
            qjs::JS_DEF_CFUNC,
            qjs::JS_PROP_WRITABLE | qjs::JS_PROP_CONFIGURABLE,
            number,
            qjs::JSCFunctionListEntry__bindgen_ty_1 { func },
        )
    }

    /// A value that `Host::call_function` gives, with this number and no arguments, each time it is read.
    pub(crate) const fn value(name: Name, number: i16) -> Self {
        let getset = qjs::JSCFunctionListEntry__bindgen_ty_1__bindgen_ty_2 {
            get: qjs::JSCFunctionType {
                getter_magic: Some(host::getter::<H>),
            },
            set: qjs::JSCFunctionType { generic: None },
        };
        Self::entry(
            name,
            qjs::JS_DEF_CGETSET_MAGIC,
            qjs::JS_PROP_CONFIGURABLE,
            number,
            qjs::JSCFunctionListEntry__bindgen_ty_1 { getset },
        )
    }

    const fn entry(
        name: Name,
        kind: u32,
        flags: u32,
        magic: i16,
        u: qjs::JSCFunctionListEntry__bindgen_ty_1,
    ) -> Self {
        let entry = qjs::JSCFunctionListEntry {
            name: name.as_ptr(),
            prop_flags: flags as u8,
            def_type: kind as u8,
            magic,
            u,
        };
        Self(entry, PhantomData)
    }
}
