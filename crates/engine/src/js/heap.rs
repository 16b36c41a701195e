//! The memory of one runtime: counts every byte, asks for attention at the soft limit, refuses at the hard one, and
//! frees everything at once.
//!
//! The engine must not see an allocation fail in normal work (a failing small allocation can crash it), so the limit
//! of a run is *soft*: passing it raises the runtime's attention flag, and the interrupt handler collects garbage or
//! stops the run. Only a request beyond the hard ceiling is refused.
//!
//! Blocks are kept in a list, so that a runtime is dropped without `JS_FreeRuntime`: no assertion about leaks, no
//! recursion through the guest's objects, and the same cost after a stop as after a normal end.
#![expect(unsafe_code, reason = "hands out raw memory to the C engine")]

use rquickjs::qjs;
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, realloc};
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicI32, Ordering};

/// In front of every block. 32 bytes keep the user data aligned to 16.
#[repr(C, align(16))]
struct Header {
    previous: *mut Header,
    next: *mut Header,
    /// Bytes of the whole block, header included.
    size: usize,
}

const HEADER: usize = size_of::<Header>();
const ALIGN: usize = align_of::<Header>();
/// What the allocator below us adds to a block, counted so that many small blocks are not free.
const BLOCK_OVERHEAD: usize = 16;
/// A stopped run may go this far over the ceiling, so that the engine can still make its stop error.
const STOP_RESERVE: usize = 1 << 20;

/// The allocator behind one runtime. Lives in a `Box` and outlives its runtime; used by one thread at a time.
pub(crate) struct Heap {
    first: *mut Header,
    used: usize,
    peak: usize,
    trigger: usize,
    hard: usize,
    refused: bool,
    attention: Option<NonNull<AtomicI32>>,
    #[cfg(feature = "fault-injection")]
    pub(crate) faults: crate::faults::Faults,
}

impl Heap {
    /// A heap without limits. Boxed: the engine keeps a pointer to it.
    #[expect(
        clippy::unnecessary_box_returns,
        reason = "its address must not change"
    )]
    pub(crate) fn new() -> Box<Self> {
        Box::new(Self {
            first: ptr::null_mut(),
            used: 0,
            peak: 0,
            trigger: usize::MAX,
            hard: usize::MAX,
            refused: false,
            attention: None,
            #[cfg(feature = "fault-injection")]
            faults: crate::faults::Faults::default(),
        })
    }

    /// Bytes handed out at this time.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// The most bytes handed out at one time since the last call of `reset_peak`.
    pub(crate) fn peak(&self) -> usize {
        self.peak
    }

    pub(crate) fn reset_peak(&mut self) {
        self.peak = self.used;
    }

    /// True once a request was refused; the run must not go on.
    pub(crate) fn refused(&self) -> bool {
        self.refused
    }

    /// Above `trigger` bytes the attention flag is raised.
    pub(crate) fn set_trigger(&mut self, trigger: usize) {
        self.trigger = trigger;
    }

    /// Above `hard` bytes requests are refused.
    pub(crate) fn set_hard(&mut self, hard: usize) {
        self.hard = hard;
    }

    /// The run was stopped: no more triggers, and some room to end in.
    pub(crate) fn stopped(&mut self) {
        self.trigger = usize::MAX;
        self.hard = self.used.max(self.hard).saturating_add(STOP_RESERVE);
    }

    /// # Safety
    /// `flag` must stay valid as long as the runtime that allocates here.
    pub(crate) unsafe fn set_attention(&mut self, flag: NonNull<AtomicI32>) {
        self.attention = Some(flag);
    }

    /// What `JS_NewRuntime2` takes; the opaque pointer beside it is the heap.
    pub(crate) fn functions() -> qjs::JSMallocFunctions {
        qjs::JSMallocFunctions {
            js_calloc: Some(js_calloc),
            js_malloc: Some(js_malloc),
            js_free: Some(js_free),
            js_realloc: Some(js_realloc),
            js_malloc_usable_size: Some(js_usable_size),
        }
    }

    fn raise_attention(&self) {
        if let Some(flag) = self.attention {
            // SAFETY: `set_attention` was promised a flag that lives as long as the runtime, which is calling us.
            unsafe { flag.as_ref() }.store(1, Ordering::Relaxed);
        }
    }

    fn admits(&mut self, extra: usize) -> bool {
        #[cfg(feature = "fault-injection")]
        if self.faults.fails_now() {
            self.refused = true;
            self.raise_attention();
            return false;
        }
        if self.used.saturating_add(extra) <= self.hard {
            return true;
        }
        self.refused = true;
        self.raise_attention();
        false
    }

    fn charge(&mut self, bytes: usize) {
        self.used += bytes;
        if self.used > self.peak {
            self.peak = self.used;
        }
        if self.used > self.trigger {
            self.raise_attention();
        }
    }

    /// # Safety
    /// `header` is a fresh block of `size` bytes that is in no list.
    unsafe fn link(&mut self, header: *mut Header, size: usize) -> *mut c_void {
        // SAFETY: the block holds at least a header; `first` is null or a live block of this heap.
        unsafe {
            header.write(Header {
                previous: ptr::null_mut(),
                next: self.first,
                size,
            });
            if let Some(first) = self.first.as_mut() {
                first.previous = header;
            }
            self.first = header;
            header.add(1).cast()
        }
    }

    /// # Safety
    /// `header` is a live block of this heap.
    unsafe fn unlink(&mut self, header: *mut Header) {
        // SAFETY: the neighbours of a live block are null or live blocks of this heap.
        unsafe {
            let (previous, next) = ((*header).previous, (*header).next);
            match previous.as_mut() {
                Some(previous) => previous.next = next,
                None => self.first = next,
            }
            if let Some(next) = next.as_mut() {
                next.previous = previous;
            }
        }
    }

    fn allocate(&mut self, size: usize, zeroed: bool) -> *mut c_void {
        let Some((layout, total)) = block_layout(size) else {
            return self.refuse();
        };
        if !self.admits(total) {
            return ptr::null_mut();
        }
        // SAFETY: the layout is not empty, it holds a header.
        let block = unsafe {
            if zeroed {
                alloc_zeroed(layout)
            } else {
                alloc(layout)
            }
        };
        if block.is_null() {
            return self.refuse();
        }
        self.charge(total + BLOCK_OVERHEAD);
        // SAFETY: `block` is fresh and `total` bytes long; the layout is aligned for a header.
        unsafe { self.link(block.cast(), total) }
    }

    fn refuse(&mut self) -> *mut c_void {
        self.refused = true;
        self.raise_attention();
        ptr::null_mut()
    }

    /// # Safety
    /// `data` is null or came from `allocate` or `resize` of this heap and was not freed.
    unsafe fn free(&mut self, data: *mut c_void) {
        if data.is_null() {
            return;
        }
        // SAFETY: a header stands in front of every block we hand out.
        unsafe {
            let header = data.cast::<Header>().sub(1);
            let size = (*header).size;
            self.unlink(header);
            self.used -= size + BLOCK_OVERHEAD;
            dealloc(
                header.cast(),
                Layout::from_size_align_unchecked(size, ALIGN),
            );
        }
    }

    /// # Safety
    /// As `free`.
    unsafe fn resize(&mut self, data: *mut c_void, size: usize) -> *mut c_void {
        if data.is_null() {
            return self.allocate(size, false);
        }
        let Some((_, total)) = block_layout(size) else {
            return self.refuse();
        };
        // SAFETY: a header stands in front of every block we hand out; the block is out of the list while it moves,
        // and is put back where it was or where it is now.
        unsafe {
            let header = data.cast::<Header>().sub(1);
            let old = (*header).size;
            if total > old && !self.admits(total - old) {
                return ptr::null_mut();
            }
            self.unlink(header);
            let layout = Layout::from_size_align_unchecked(old, ALIGN);
            let moved = realloc(header.cast(), layout, total);
            if moved.is_null() {
                self.link(header, old);
                return self.refuse();
            }
            self.used -= old;
            self.charge(total);
            self.link(moved.cast(), total)
        }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        let mut header = self.first;
        while !header.is_null() {
            // SAFETY: the list holds live blocks of ours only, and nothing uses them any more: the heap's owner drops
            // it after the last entry into the runtime.
            unsafe {
                let next = (*header).next;
                dealloc(
                    header.cast(),
                    Layout::from_size_align_unchecked((*header).size, ALIGN),
                );
                header = next;
            }
        }
    }
}

fn block_layout(size: usize) -> Option<(Layout, usize)> {
    let total = size.checked_add(HEADER)?;
    Layout::from_size_align(total, ALIGN)
        .ok()
        .map(|layout| (layout, total))
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
    // SAFETY: a header stands in front of every block we hand out.
    unsafe { ((*data.cast::<Header>().sub(1)).size - HEADER) as qjs::size_t }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_blocks_and_frees_what_is_left() {
        let mut heap = Heap::new();
        let a = heap.allocate(100, false);
        let b = heap.allocate(200, true);
        assert_eq!(heap.used(), 300 + 2 * (HEADER + BLOCK_OVERHEAD));
        // SAFETY: both blocks are live blocks of this heap.
        unsafe {
            let b = heap.resize(b, 5000);
            assert!(!b.is_null());
            heap.free(a);
        }
        assert_eq!(heap.used(), 5000 + HEADER + BLOCK_OVERHEAD);
        assert!(heap.peak() >= heap.used());
    }

    #[test]
    fn raises_attention_over_the_trigger_and_refuses_over_the_ceiling() {
        let flag = AtomicI32::new(0);
        let mut heap = Heap::new();
        // SAFETY: the flag lives longer than the heap is used.
        unsafe { heap.set_attention(NonNull::from(&flag)) };
        heap.set_trigger(1000);
        heap.set_hard(10_000);
        assert!(!heap.allocate(500, false).is_null());
        assert_eq!(flag.load(Ordering::Relaxed), 0);
        assert!(!heap.allocate(600, false).is_null());
        assert_eq!(flag.load(Ordering::Relaxed), 1);
        assert!(!heap.refused());
        assert!(heap.allocate(20_000, false).is_null());
        assert!(heap.refused());
    }
}
