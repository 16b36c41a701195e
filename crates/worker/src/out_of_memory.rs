//! Memory that the system refuses ends the process with a code of its own, which the host reads as `memory_limit`.
#![expect(unsafe_code, reason = "a global allocator")]

use crate::sys;
use std::alloc::{GlobalAlloc, Layout, System};

/// The exit code of a process that got no memory.
const EXIT_OUT_OF_MEMORY: i32 = 65;

struct ExitWithoutMemory;

#[global_allocator]
static ALLOCATOR: ExitWithoutMemory = ExitWithoutMemory;

fn checked(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        sys::exit(EXIT_OUT_OF_MEMORY);
    }
    block
}

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for ExitWithoutMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promised.
        checked(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promised.
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promised.
        checked(unsafe { System.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(block, layout) }
    }
}
