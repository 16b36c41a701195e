//! The `tools` object: no prototype, unchangeable, its members made when they are asked for, so that a realm can be
//! made before anyone knows which tools its run will have.
#![expect(unsafe_code, reason = "C callbacks")]

use super::ctx::{Ctx, Js, Thrown};
use super::host::{Host, new_function, shared, tool};
use super::value::Value;
use rquickjs::qjs;
use std::ffi::c_int;
use std::ptr::NonNull;

/// The exotic behaviour of the object.
pub(super) struct ToolsObject<H>(std::marker::PhantomData<H>);

impl<H: Host> ToolsObject<H> {
    pub(super) const METHODS: qjs::JSClassExoticMethods = qjs::JSClassExoticMethods {
        get_own_property: Some(get_own_property::<H>),
        get_own_property_names: Some(get_own_property_names::<H>),
        delete_property: Some(delete_property::<H>),
        define_own_property: Some(define_own_property),
        has_property: None,
        get_property: None,
        set_property: None,
    };
}

/// The text of a string key; `None` for a symbol.
///
/// # Safety
/// `ctx` and `atom` are live.
unsafe fn key_text(ctx: Ctx, atom: qjs::JSAtom) -> Option<String> {
    // SAFETY: the value made from the atom is owned by the `Value`.
    let key = unsafe { Value::from_raw(ctx, qjs::JS_AtomToValue(ctx.raw(), atom)) };
    if key.is_symbol() {
        None
    } else {
        key.text().ok()
    }
}

/// The function behind a property of `tools`, as an owned reference.
///
/// # Safety
/// `raw_ctx` is a live context of `Runtime<H>` and `atom` is live.
unsafe fn tool_function<H: Host>(
    raw_ctx: *mut qjs::JSContext,
    atom: qjs::JSAtom,
) -> Js<Option<qjs::JSValue>> {
    // SAFETY: as above; the functions kept are live as long as the runtime.
    unsafe {
        let shared = shared::<H>(raw_ctx);
        if let Some(function) = shared.functions.borrow().get(&atom) {
            return Ok(Some(qjs::JS_DupValue(raw_ctx, *function)));
        }
        let ctx = Ctx::from_raw(NonNull::new_unchecked(raw_ctx));
        let Some(name) = key_text(ctx, atom) else {
            return Ok(None);
        };
        let Some(index) = shared.host.find_tool(&name) else {
            return Ok(None);
        };
        let function = new_function(ctx, &name, 1, tool::<H>, index)?;
        let kept = function.clone().into_raw();
        shared
            .functions
            .borrow_mut()
            .insert(qjs::JS_DupAtom(raw_ctx, atom), kept);
        Ok(Some(function.into_raw()))
    }
}

unsafe extern "C" fn get_own_property<H: Host>(
    ctx: *mut qjs::JSContext,
    descriptor: *mut qjs::JSPropertyDescriptor,
    _object: qjs::JSValue,
    atom: qjs::JSAtom,
) -> c_int {
    // SAFETY: called by the engine; the descriptor is null where only existence is asked for.
    unsafe {
        match tool_function::<H>(ctx, atom) {
            Err(Thrown) => -1,
            Ok(None) => 0,
            Ok(Some(function)) => {
                match descriptor.as_mut() {
                    Some(descriptor) => {
                        descriptor.flags = qjs::JS_PROP_ENUMERABLE as c_int;
                        descriptor.value = function;
                        descriptor.getter = qjs::JS_UNDEFINED;
                        descriptor.setter = qjs::JS_UNDEFINED;
                    }
                    None => qjs::JS_FreeValue(ctx, function),
                }
                1
            }
        }
    }
}

unsafe extern "C" fn get_own_property_names<H: Host>(
    ctx: *mut qjs::JSContext,
    table: *mut *mut qjs::JSPropertyEnum,
    length: *mut u32,
    _object: qjs::JSValue,
) -> c_int {
    // SAFETY: called by the engine, which frees the table with the context's allocator and the atoms in it.
    unsafe {
        let names = shared::<H>(ctx).host.tool_names();
        let bytes = names.len().max(1) * size_of::<qjs::JSPropertyEnum>();
        let entries = qjs::js_malloc(ctx, bytes as _).cast::<qjs::JSPropertyEnum>();
        if entries.is_null() {
            return -1;
        }
        for (index, name) in names.iter().enumerate() {
            let atom = qjs::JS_NewAtomLen(ctx, name.as_ptr().cast(), name.len() as _);
            entries.add(index).write(qjs::JSPropertyEnum {
                is_enumerable: true,
                atom,
            });
        }
        *table = entries;
        *length = names.len() as u32;
        0
    }
}

unsafe extern "C" fn delete_property<H: Host>(
    ctx: *mut qjs::JSContext,
    _object: qjs::JSValue,
    atom: qjs::JSAtom,
) -> c_int {
    // SAFETY: called by the engine.
    unsafe {
        match tool_function::<H>(ctx, atom) {
            Err(Thrown) => -1,
            Ok(None) => 1,
            Ok(Some(function)) => {
                qjs::JS_FreeValue(ctx, function);
                0
            }
        }
    }
}

unsafe extern "C" fn define_own_property(
    ctx: *mut qjs::JSContext,
    _this: qjs::JSValue,
    _atom: qjs::JSAtom,
    _value: qjs::JSValue,
    _getter: qjs::JSValue,
    _setter: qjs::JSValue,
    flags: c_int,
) -> c_int {
    if flags & qjs::JS_PROP_THROW as c_int == 0 {
        return 0;
    }
    // SAFETY: called by the engine; the format takes no argument.
    unsafe { qjs::JS_ThrowTypeError(ctx, c"`tools` cannot be changed".as_ptr()) };
    -1
}
