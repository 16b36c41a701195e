//! A reference-counted value of the runtime, and the operations on it.
#![expect(unsafe_code, reason = "calls the C engine")]

use super::ctx::{Ctx, Js, Name, Thrown};
use rquickjs::qjs;
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::ptr;

/// An owned reference. Dropped while the thread is inside the runtime.
pub(crate) struct Value {
    ctx: Ctx,
    raw: qjs::JSValue,
}

/// An owned reference kept across entries into the runtime. It is never given back: dropping the runtime's heap frees
/// it, unless `into_value` turns it into a [`Value`] first.
pub(crate) struct Held(qjs::JSValue);

// SAFETY: used only through a `Ctx`, that is by the thread that is inside the runtime; it moves with the runtime.
unsafe impl Send for Held {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromiseState {
    NotAPromise,
    Pending,
    Fulfilled,
    Rejected,
}

impl Held {
    pub(crate) fn new(value: Value) -> Self {
        Self(value.into_raw())
    }

    /// # Safety
    /// An object lives at this address, and one reference to it is the caller's to give.
    pub(super) unsafe fn object_at(address: *mut c_void) -> Self {
        Self(qjs::JSValue {
            u: qjs::JSValueUnion { ptr: address },
            tag: qjs::JS_TAG_OBJECT.into(),
        })
    }

    pub(crate) fn into_value(self, ctx: Ctx) -> Value {
        // SAFETY: the reference is owned and of the runtime that its owner keeps it for.
        unsafe { Value::from_raw(ctx, self.0) }
    }

    /// Another reference to the same value.
    pub(crate) fn value(&self, ctx: Ctx) -> Value {
        // SAFETY: the value is live as long as the runtime.
        unsafe { Value::from_raw(ctx, qjs::JS_DupValue(ctx.raw(), self.0)) }
    }

    /// What `Value::address` gives for the same value.
    pub(crate) fn address(&self) -> usize {
        // SAFETY: reads the payload without following it.
        unsafe { qjs::JS_VALUE_GET_PTR(self.0) as usize }
    }
}

impl Value {
    /// # Safety
    /// `raw` is an owned reference of the runtime of `ctx`, and no exception mark.
    pub(super) unsafe fn from_raw(ctx: Ctx, raw: qjs::JSValue) -> Self {
        Self { ctx, raw }
    }

    /// # Safety
    /// `raw` is a live value of the runtime of `ctx`.
    pub(super) unsafe fn borrowed(ctx: Ctx, raw: qjs::JSValue) -> Self {
        Self {
            ctx,
            // SAFETY: duplicates a live reference.
            raw: unsafe { qjs::JS_DupValue(ctx.raw(), raw) },
        }
    }

    /// The reference, still owned by `self`.
    pub(super) fn raw(&self) -> qjs::JSValue {
        self.raw
    }

    pub(super) fn into_raw(self) -> qjs::JSValue {
        ManuallyDrop::new(self).raw
    }

    /// Where the value's object lives; an identity while somebody holds a reference.
    pub(crate) fn address(&self) -> usize {
        // SAFETY: reads the payload without following it.
        unsafe { qjs::JS_VALUE_GET_PTR(self.raw) as usize }
    }

    pub(crate) fn is_undefined(&self) -> bool {
        // SAFETY: reads the tag.
        unsafe { qjs::JS_IsUndefined(self.raw) }
    }

    pub(crate) fn is_string(&self) -> bool {
        // SAFETY: reads the tag.
        unsafe { qjs::JS_IsString(self.raw) }
    }

    pub(crate) fn is_symbol(&self) -> bool {
        // SAFETY: reads the tag.
        unsafe { qjs::JS_IsSymbol(self.raw) }
    }

    pub(crate) fn is_big_int(&self) -> bool {
        // SAFETY: reads the tag.
        unsafe { qjs::JS_IsBigInt(self.raw) }
    }

    pub(crate) fn is_object(&self) -> bool {
        // SAFETY: reads the tag.
        unsafe { qjs::JS_IsObject(self.raw) }
    }

    pub(crate) fn is_function(&self) -> bool {
        // SAFETY: borrows the value.
        unsafe { qjs::JS_IsFunction(self.ctx.raw(), self.raw) }
    }

    pub(crate) fn is_error(&self) -> bool {
        // SAFETY: reads the class.
        unsafe { qjs::JS_IsError(self.raw) }
    }

    pub(crate) fn is_array(&self) -> bool {
        // SAFETY: reads the class; a proxy counts as what it is, no array.
        unsafe { qjs::JS_IsArray(self.raw) }
    }

    pub(crate) fn is_map(&self) -> bool {
        // SAFETY: reads the class.
        unsafe { qjs::JS_IsMap(self.raw) }
    }

    pub(crate) fn is_set(&self) -> bool {
        // SAFETY: reads the class.
        unsafe { qjs::JS_IsSet(self.raw) }
    }

    pub(crate) fn is_proxy(&self) -> bool {
        // SAFETY: reads the class.
        unsafe { qjs::JS_IsProxy(self.raw) }
    }

    pub(crate) fn is_regexp(&self) -> bool {
        // SAFETY: reads the class.
        unsafe { qjs::JS_IsRegExp(self.raw) }
    }

    pub(crate) fn promise_state(&self) -> PromiseState {
        // SAFETY: reads the promise's own field.
        match unsafe { qjs::JS_PromiseState(self.ctx.raw(), self.raw) } {
            0 => PromiseState::Pending,
            1 => PromiseState::Fulfilled,
            2 => PromiseState::Rejected,
            _ => PromiseState::NotAPromise,
        }
    }

    /// The value or reason of a settled promise, read without running any script.
    pub(crate) fn promise_result(&self) -> Value {
        // SAFETY: returns an owned reference.
        unsafe { Value::from_raw(self.ctx, qjs::JS_PromiseResult(self.ctx.raw(), self.raw)) }
    }

    pub(crate) fn get(&self, name: Name) -> Js<Value> {
        // SAFETY: borrows the value and the name.
        unsafe {
            self.ctx.own(qjs::JS_GetPropertyStr(
                self.ctx.raw(),
                self.raw,
                name.as_ptr(),
            ))
        }
    }

    /// Defines an own property; `flags` of `JS_PROP_*`.
    fn define_with(&self, name: Name, value: Value, flags: u32) -> Js<()> {
        let ctx = self.ctx;
        // SAFETY: the call takes over the reference to `value`.
        let status = unsafe {
            qjs::JS_DefinePropertyValueStr(
                ctx.raw(),
                self.raw,
                name.as_ptr(),
                value.into_raw(),
                flags as c_int,
            )
        };
        ctx.check(status)
    }

    /// As the language's own globals and methods: writable, configurable, not enumerable.
    pub(crate) fn define(&self, name: Name, value: Value) -> Js<()> {
        self.define_with(
            name,
            value,
            qjs::JS_PROP_WRITABLE | qjs::JS_PROP_CONFIGURABLE,
        )
    }

    /// Enumerable and unchangeable.
    pub(crate) fn define_fixed(&self, name: Name, value: Value) -> Js<()> {
        self.define_with(name, value, qjs::JS_PROP_ENUMERABLE)
    }

    pub(crate) fn set_prototype(&self, prototype: &Value) -> Js<()> {
        // SAFETY: borrows both.
        self.ctx
            .check(unsafe { qjs::JS_SetPrototype(self.ctx.raw(), self.raw, prototype.raw()) })
    }

    /// Deletes an own property; silent where there is none.
    pub(crate) fn delete(&self, name: Name) -> Js<()> {
        let ctx = self.ctx.raw();
        // SAFETY: the atom is owned until it is freed.
        unsafe {
            let atom = qjs::JS_NewAtom(ctx, name.as_ptr());
            let status = qjs::JS_DeleteProperty(ctx, self.raw, atom, 0);
            qjs::JS_FreeAtom(ctx, atom);
            self.ctx.check(status)
        }
    }

    /// Own string keys that are enumerable, with their values where they are data: an accessor is `None`, and nothing
    /// of the script is run. At most `limit` of them. A proxy has none.
    pub(crate) fn own_data(&self, limit: usize) -> Js<Vec<(String, Option<Value>)>> {
        if !self.is_object() || self.is_proxy() {
            return Ok(Vec::new());
        }
        let ctx = self.ctx.raw();
        let mut table: *mut qjs::JSPropertyEnum = ptr::null_mut();
        let mut length = 0u32;
        let flags = (qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_ENUM_ONLY) as c_int;
        // SAFETY: the out-pointers are ours; the table is freed below.
        self.ctx.check(unsafe {
            qjs::JS_GetOwnPropertyNames(ctx, &raw mut table, &raw mut length, self.raw, flags)
        })?;
        let mut found = Vec::new();
        let mut failed = false;
        for index in 0..(length as usize).min(limit) {
            // SAFETY: `index` is below the length of the table.
            let atom = unsafe { (*table.add(index)).atom };
            match self.own_property(atom) {
                Ok(Some(entry)) => found.push(entry),
                Ok(None) => {}
                Err(Thrown) => {
                    failed = true;
                    break;
                }
            }
        }
        // SAFETY: the table came from the call above.
        unsafe { qjs::JS_FreePropertyEnum(ctx, table, length) };
        if failed { Err(Thrown) } else { Ok(found) }
    }

    fn own_property(&self, atom: qjs::JSAtom) -> Js<Option<(String, Option<Value>)>> {
        let ctx = self.ctx.raw();
        let mut descriptor = qjs::JSPropertyDescriptor {
            flags: 0,
            value: qjs::JS_UNDEFINED,
            getter: qjs::JS_UNDEFINED,
            setter: qjs::JS_UNDEFINED,
        };
        // SAFETY: the object is no proxy, so this runs no script; what it wrote is owned by us.
        unsafe {
            let status = qjs::JS_GetOwnProperty(ctx, &raw mut descriptor, self.raw, atom);
            self.ctx.check(status)?;
            if status == 0 {
                return Ok(None);
            }
            let value = Value::from_raw(self.ctx, descriptor.value);
            drop(Value::from_raw(self.ctx, descriptor.getter));
            drop(Value::from_raw(self.ctx, descriptor.setter));
            let accessor = descriptor.flags & qjs::JS_PROP_GETSET as c_int != 0;
            let key = self.ctx.own(qjs::JS_AtomToString(ctx, atom))?.text()?;
            Ok(Some((key, (!accessor).then_some(value))))
        }
    }

    /// `String(value)` as Rust text; a lone surrogate becomes U+FFFD. May run script (`toString`).
    pub(crate) fn text(&self) -> Js<String> {
        let mut length: qjs::size_t = 0;
        // SAFETY: the buffer is freed below; until then it holds `length` bytes. The engine writes a lone surrogate as
        // the three bytes of its code point, which is no UTF-8: then the UTF-16 form is asked for.
        unsafe {
            let bytes = qjs::JS_ToCStringLen2(self.ctx.raw(), &raw mut length, self.raw, false);
            if bytes.is_null() {
                return Err(Thrown);
            }
            let slice = std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize);
            let text = std::str::from_utf8(slice).map(str::to_owned);
            qjs::JS_FreeCString(self.ctx.raw(), bytes);
            match text {
                Ok(text) => Ok(text),
                Err(_) => self.lossy_text(),
            }
        }
    }

    fn lossy_text(&self) -> Js<String> {
        let mut length: qjs::size_t = 0;
        // SAFETY: the buffer is freed below; until then it holds `length` units.
        unsafe {
            let units = qjs::JS_ToCStringLenUTF16(self.ctx.raw(), &raw mut length, self.raw);
            if units.is_null() {
                return Err(Thrown);
            }
            let text = String::from_utf16_lossy(std::slice::from_raw_parts(units, length as usize));
            qjs::JS_FreeCStringUTF16(self.ctx.raw(), units);
            Ok(text)
        }
    }

    /// Length in UTF-16 units of a string.
    pub(crate) fn string_length(&self) -> Js<usize> {
        let mut length = 0i64;
        // SAFETY: borrows the value.
        let status = unsafe { qjs::JS_GetLength(self.ctx.raw(), self.raw, &raw mut length) };
        self.ctx.check(status)?;
        Ok(usize::try_from(length).unwrap_or(0))
    }
}

impl Clone for Value {
    fn clone(&self) -> Self {
        // SAFETY: duplicates a live reference.
        unsafe { Self::borrowed(self.ctx, self.raw) }
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        // SAFETY: the reference is owned, and a `Value` lives only inside an entry into its runtime.
        unsafe { qjs::JS_FreeValue(self.ctx.raw(), self.raw) }
    }
}
