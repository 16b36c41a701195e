//! The `tools` object: no prototype, unchangeable, its members made when they are asked for, so that a realm can be
//! made before anyone knows which tools its run will have. And its like behind the global object, for tools that are
//! called as global functions.
#![expect(unsafe_code, reason = "C callbacks")]

use super::ctx::{Ctx, Js, Thrown};
use super::host::{Host, Member, Shared, function, new_function, shared, tool};
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

/// Whether a property is asked of the object behind the global one rather than of `tools`.
///
/// # Safety
/// `object` is live.
unsafe fn is_scope<H>(shared: &Shared<H>, object: qjs::JSValue) -> bool {
    // SAFETY: reads the payload without following it.
    unsafe { qjs::JS_VALUE_GET_PTR(object) as usize != shared.tools.get() }
}

/// The function behind a property, as an owned reference.
///
/// # Safety
/// `raw_ctx` is a live context of `Runtime<H>`, `object` and `atom` are live.
unsafe fn member<H: Host>(
    raw_ctx: *mut qjs::JSContext,
    object: qjs::JSValue,
    atom: qjs::JSAtom,
) -> Js<Option<Member>> {
    // SAFETY: as above; the functions kept are live as long as the runtime.
    unsafe {
        let shared = shared::<H>(raw_ctx);
        let scope = is_scope(shared, object);
        if let Some(member) = shared.functions.borrow().get(&(scope, atom)) {
            qjs::JS_DupValue(raw_ctx, member.function);
            return Ok(Some(*member));
        }
        let ctx = Ctx::from_raw(NonNull::new_unchecked(raw_ctx));
        let Some(name) = key_text(ctx, atom) else {
            return Ok(None);
        };
        let host = &shared.host;
        let index = if scope {
            host.find_function(&name)
        } else {
            host.find_tool(&name)
        };
        let (function, enumerable) = if let Some(index) = index {
            (new_function(ctx, &name, 1, tool::<H>, index)?, true)
        } else if let Some((number, arity)) = (!scope).then(|| host.find_helper(&name)).flatten() {
            let name = name.trim_start_matches('$');
            (
                new_function(ctx, name, arity, function::<H>, number)?,
                false,
            )
        } else {
            return Ok(None);
        };
        let member = Member {
            function: function.clone().into_raw(),
            enumerable,
        };
        let key = (scope, qjs::JS_DupAtom(raw_ctx, atom));
        shared.functions.borrow_mut().insert(key, member);
        let _ = function.into_raw();
        Ok(Some(member))
    }
}

unsafe extern "C" fn get_own_property<H: Host>(
    ctx: *mut qjs::JSContext,
    descriptor: *mut qjs::JSPropertyDescriptor,
    object: qjs::JSValue,
    atom: qjs::JSAtom,
) -> c_int {
    // SAFETY: called by the engine; the descriptor is null where only existence is asked for.
    unsafe {
        match member::<H>(ctx, object, atom) {
            Err(Thrown) => -1,
            Ok(None) => 0,
            Ok(Some(member)) => {
                match descriptor.as_mut() {
                    Some(descriptor) => {
                        let enumerable = member.enumerable;
                        let flags = if enumerable {
                            qjs::JS_PROP_ENUMERABLE
                        } else {
                            0
                        };
                        descriptor.flags = flags as c_int;
                        descriptor.value = member.function;
                        descriptor.getter = qjs::JS_UNDEFINED;
                        descriptor.setter = qjs::JS_UNDEFINED;
                    }
                    None => qjs::JS_FreeValue(ctx, member.function),
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
    object: qjs::JSValue,
) -> c_int {
    // SAFETY: called by the engine, which frees the table with the context's allocator and the atoms in it.
    unsafe {
        let shared = shared::<H>(ctx);
        let names = if is_scope(shared, object) {
            shared.host.function_names()
        } else {
            shared.host.tool_names()
        };
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
    object: qjs::JSValue,
    atom: qjs::JSAtom,
) -> c_int {
    // SAFETY: called by the engine.
    unsafe {
        match member::<H>(ctx, object, atom) {
            Err(Thrown) => -1,
            Ok(None) => 1,
            Ok(Some(member)) => {
                qjs::JS_FreeValue(ctx, member.function);
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
