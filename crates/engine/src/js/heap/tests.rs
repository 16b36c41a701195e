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
