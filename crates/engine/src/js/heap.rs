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

use super::region::Region;
use super::slice::Exit;
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

/// Work on a block of this size is not for the host's thread.
const LARGE: usize = 256 << 10;

/// The allocator behind one runtime. Lives in a `Box` and outlives its runtime; used by one thread at a time.
pub(crate) struct Heap {
    first: *mut Header,
    used: usize,
    peak: usize,
    trigger: usize,
    hard: usize,
    refused: bool,
    attention: Option<NonNull<AtomicI32>>,
    /// Where blocks come from while there is room; they are in no list.
    region: Option<Region>,
    pub(crate) exit: Exit,
    #[cfg(feature = "fault-injection")]
    pub(crate) faults: crate::faults::Faults,
}

impl Heap {
    /// A heap without limits. Boxed: the engine keeps a pointer to it.
    pub(crate) fn new() -> Box<Self> {
        Self::with_region(None, 0)
    }

    /// A heap that carves its blocks from a region first, `used` bytes of which are handed out already.
    pub(super) fn with_region(region: Option<Region>, used: usize) -> Box<Self> {
        Box::new(Self {
            first: ptr::null_mut(),
            used,
            peak: used,
            trigger: usize::MAX,
            hard: usize::MAX,
            refused: false,
            attention: None,
            region,
            exit: Exit::default(),
            #[cfg(feature = "fault-injection")]
            faults: crate::faults::Faults::default(),
        })
    }

    pub(super) fn region(&self) -> Option<&Region> {
        self.region.as_ref()
    }

    /// True where every block lies in the region.
    pub(super) fn is_within_region(&self) -> bool {
        self.first.is_null()
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

    /// Bytes that a block can hold.
    ///
    /// # Safety
    /// As `free`, and not null.
    pub(super) unsafe fn capacity(data: *const c_void) -> usize {
        // SAFETY: a header stands in front of every block we hand out.
        unsafe { (*data.cast::<Header>().sub(1)).size - HEADER }
    }

    /// # Safety
    /// `flag` must stay valid as long as the runtime that allocates here.
    pub(crate) unsafe fn set_attention(&mut self, flag: NonNull<AtomicI32>) {
        self.attention = Some(flag);
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

    pub(super) fn allocate(&mut self, size: usize, zeroed: bool) -> *mut c_void {
        let Some((layout, total)) = block_layout(size) else {
            return self.refuse();
        };
        if !self.admits(total) {
            return ptr::null_mut();
        }
        if total >= LARGE {
            // Filling it takes time that the host's thread does not have.
            self.exit.leave();
        }
        if let Some(block) = self.carve(total, zeroed) {
            return block;
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

    /// A block of the region; one of those is in no list.
    fn carve(&mut self, total: usize, zeroed: bool) -> Option<*mut c_void> {
        let size = total.next_multiple_of(ALIGN);
        let header: *mut Header = self.region.as_mut()?.take(size)?.cast();
        self.charge(size + BLOCK_OVERHEAD);
        // SAFETY: the region gave us `size` bytes aligned to 16, and a header fits into them.
        unsafe {
            header.write(Header {
                previous: ptr::null_mut(),
                next: ptr::null_mut(),
                size,
            });
            let data = header.add(1);
            if zeroed {
                data.cast::<u8>().write_bytes(0, size - HEADER);
            }
            Some(data.cast())
        }
    }

    fn is_in_region(&self, header: *const Header) -> bool {
        self.region
            .as_ref()
            .is_some_and(|region| region.contains(header.cast()))
    }

    pub(super) fn refuse(&mut self) -> *mut c_void {
        self.refused = true;
        self.raise_attention();
        ptr::null_mut()
    }

    /// # Safety
    /// `data` is null or came from `allocate` or `resize` of this heap and was not freed.
    pub(super) unsafe fn free(&mut self, data: *mut c_void) {
        if data.is_null() {
            return;
        }
        // SAFETY: a header stands in front of every block we hand out.
        unsafe {
            let header = data.cast::<Header>().sub(1);
            let size = (*header).size;
            self.used -= size + BLOCK_OVERHEAD;
            if self.is_in_region(header)
                && let Some(region) = &mut self.region
            {
                region.give(header.cast(), size);
                return;
            }
            self.unlink(header);
            dealloc(
                header.cast(),
                Layout::from_size_align_unchecked(size, ALIGN),
            );
        }
    }

    /// # Safety
    /// As `free`.
    pub(super) unsafe fn resize(&mut self, data: *mut c_void, size: usize) -> *mut c_void {
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
            if size >= LARGE {
                self.exit.leave();
            }
            if self.is_in_region(header) {
                return self.move_out(data, old - HEADER, size);
            }
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

    /// Resizes a block of the region.
    ///
    /// # Safety
    /// As `free`; `old` is the size that `data` can hold.
    unsafe fn move_out(&mut self, data: *mut c_void, old: usize, size: usize) -> *mut c_void {
        if size <= old {
            return data;
        }
        let moved = self.allocate(size, false);
        if !moved.is_null() {
            // SAFETY: both blocks are live and hold at least `old` bytes.
            unsafe {
                data.cast::<u8>().copy_to_nonoverlapping(moved.cast(), old);
                self.free(data);
            }
        }
        moved
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

#[cfg(test)]
mod tests;
