//! The engine's five allocation functions, over a [`Heap`].
#![expect(unsafe_code, reason = "C callbacks")]

use super::heap::Heap;
use rquickjs::qjs;
use std::ffi::c_void;

/// What `JS_NewRuntime2` takes; the opaque pointer beside it is the heap.
pub(super) fn functions() -> qjs::JSMallocFunctions {
    qjs::JSMallocFunctions {
        js_calloc: Some(js_calloc),
        js_malloc: Some(js_malloc),
        js_free: Some(js_free),
        js_realloc: Some(js_realloc),
        js_malloc_usable_size: Some(js_usable_size),
    }
}

/// # Safety
/// `opaque` is the `Heap` given to `JS_NewRuntime2`; the engine uses it from one thread at a time.
unsafe fn heap<'h>(opaque: *mut c_void) -> &'h mut Heap {
    // SAFETY: see above.
    unsafe { &mut *opaque.cast() }
}

unsafe extern "C" fn js_calloc(
    opaque: *mut c_void,
    count: qjs::size_t,
    size: qjs::size_t,
) -> *mut c_void {
    // SAFETY: called by the engine with its heap.
    let heap = unsafe { heap(opaque) };
    match (count as usize).checked_mul(size as usize) {
        Some(total) => heap.allocate(total, true),
        None => heap.refuse(),
    }
}

unsafe extern "C" fn js_malloc(opaque: *mut c_void, size: qjs::size_t) -> *mut c_void {
    // SAFETY: called by the engine with its heap.
    unsafe { heap(opaque) }.allocate(size as usize, false)
}

unsafe extern "C" fn js_free(opaque: *mut c_void, data: *mut c_void) {
    // SAFETY: called by the engine with its heap and one of its blocks.
    unsafe { heap(opaque).free(data) }
}

unsafe extern "C" fn js_realloc(
    opaque: *mut c_void,
    data: *mut c_void,
    size: qjs::size_t,
) -> *mut c_void {
    // SAFETY: called by the engine with its heap and one of its blocks.
    unsafe { heap(opaque).resize(data, size as usize) }
}

unsafe extern "C" fn js_usable_size(data: *const c_void) -> qjs::size_t {
    if data.is_null() {
        return 0;
    }
    // SAFETY: called by the engine with one of the heap's blocks.
    unsafe { Heap::capacity(data) as qjs::size_t }
}
