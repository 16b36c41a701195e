//! A stretch of memory that a heap carves its blocks from, so that all of them can be copied at once.

#![expect(unsafe_code, reason = "hands out raw memory")]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

use crate::sync::lock;

/// Cache lines and whole pages at the front; block headers need 16.
const ALIGN: usize = 4096;
/// Stretches kept for the next realm; beyond them memory goes back to the system.
const KEPT: usize = 16;
/// A smaller rest of a hole is left alone.
const MIN_HOLE: usize = 512;

/// Stretches of one size, used again and again.
#[derive(Debug)]
pub(super) struct Pool {
    size: usize,
    /// The first bytes, which every new owner writes over before it reads anything.
    overwritten: usize,
    free: Mutex<Vec<Memory>>,
}

#[derive(Debug)]
struct Memory {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: plain memory, owned.
unsafe impl Send for Memory {}

impl Memory {
    fn new(size: usize) -> Option<Self> {
        let layout = Layout::from_size_align(size.max(1), ALIGN).ok()?;
        // SAFETY: the layout is not empty.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self { start, layout })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated by `new` with this layout, and owned.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

impl Pool {
    pub(super) fn new(size: usize, overwritten: usize) -> Arc<Self> {
        Arc::new(Self {
            size,
            overwritten: overwritten.min(size),
            free: Mutex::default(),
        })
    }
}

/// A stretch in use. Whatever is carved from it lives until the region is dropped.
#[derive(Debug)]
pub(super) struct Region {
    /// `None` only while the region is dropped.
    memory: Option<Memory>,
    start: NonNull<u8>,
    size: usize,
    /// Bytes carved so far; zeros lie behind them.
    top: usize,
    /// Freed blocks: offset and length.
    holes: Vec<(usize, usize)>,
    pool: Arc<Pool>,
}

impl Region {
    /// Memory that is zero behind the pool's `overwritten` bytes. `None` where the system has none.
    pub(super) fn new(pool: &Arc<Pool>) -> Option<Self> {
        let kept = lock(&pool.free).pop();
        let memory = match kept {
            Some(memory) => memory,
            None => Memory::new(pool.size)?,
        };
        Some(Self {
            start: memory.start,
            memory: Some(memory),
            size: pool.size,
            top: 0,
            holes: Vec::new(),
            pool: pool.clone(),
        })
    }

    pub(super) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The same address, which is aligned for words and far more.
    pub(super) fn words(&self) -> *mut usize {
        self.start.as_ptr().cast::<c_void>().cast()
    }

    pub(super) fn top(&self) -> usize {
        self.top
    }

    pub(super) fn holes(&self) -> &[(usize, usize)] {
        &self.holes
    }

    /// Marks the first bytes as carved, with these holes in them.
    pub(super) fn occupy(&mut self, top: usize, holes: &[(usize, usize)]) {
        self.top = top.min(self.size);
        self.holes = holes.to_vec();
    }

    pub(super) fn contains(&self, block: *const u8) -> bool {
        (block as usize).wrapping_sub(self.start.as_ptr() as usize) < self.size
    }

    /// Carves a block, `None` where there is no room. `size` is a multiple of 16; so is every offset.
    pub(super) fn take(&mut self, size: usize) -> Option<*mut u8> {
        let offset = match self.holes.iter().position(|(_, length)| *length >= size) {
            Some(index) => {
                let (offset, length) = self.holes.swap_remove(index);
                if length - size >= MIN_HOLE {
                    self.holes.push((offset + size, length - size));
                }
                offset
            }
            None => {
                let offset = self.top;
                let end = offset.checked_add(size)?;
                if end > self.size {
                    return None;
                }
                self.top = end;
                offset
            }
        };
        Some(self.start.as_ptr().wrapping_add(offset))
    }

    /// Takes a block back.
    pub(super) fn give(&mut self, block: *mut u8, size: usize) {
        if self.pool.overwritten == 0 {
            // A template: half a stale pointer in a header written anew would differ between two of them.
            // SAFETY: the block is ours, of this size, and nobody uses it any more.
            unsafe { block.write_bytes(0, size) };
        }
        if size >= MIN_HOLE {
            let offset = block as usize - self.start.as_ptr() as usize;
            self.holes.push((offset, size));
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        let Some(memory) = self.memory.take() else {
            return;
        };
        // Nothing of one run is left for another to find.
        if let Some(dirty) = self.top.checked_sub(self.pool.overwritten) {
            // SAFETY: `top` is at most the size of our memory; nobody uses a block of a dropped region.
            unsafe {
                let from = memory.start.as_ptr().add(self.pool.overwritten);
                from.write_bytes(0, dirty);
            }
        }
        let mut free = lock(&self.pool.free);
        if free.len() < KEPT {
            free.push(memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carves_in_order_reuses_holes_and_says_when_it_is_full() {
        let pool = Pool::new(8192, 0);
        let mut region = Region::new(&pool).unwrap();
        let first = region.take(4096).unwrap();
        let second = region.take(2048).unwrap();
        assert_eq!(second as usize - first as usize, 4096);
        assert!(region.take(4096).is_none());
        region.give(first, 4096);
        assert_eq!(region.take(1024), Some(first));
        assert_eq!(region.holes(), [(1024, 3072)]);
        assert!(region.contains(second) && !region.contains(std::ptr::null()));
    }

    #[test]
    fn memory_comes_back_clean() {
        let pool = Pool::new(4096, 16);
        let mut region = Region::new(&pool).unwrap();
        let start = region.take(4096).unwrap();
        // SAFETY: the block is ours and 4096 bytes long.
        unsafe { start.write_bytes(0xaa, 4096) };
        drop(region);
        let region = Region::new(&pool).unwrap();
        assert_eq!(region.start(), start, "the same stretch again");
        // SAFETY: as above.
        let bytes = unsafe { std::slice::from_raw_parts(start.add(16), 4080) };
        assert!(bytes.iter().all(|byte| *byte == 0));
    }
}
