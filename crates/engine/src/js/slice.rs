//! A short stretch of a guest's turn on the host's own thread. It runs on a stack of its own, so that it can be left in
//! the middle: whatever the guest is in stays on that stack, and a worker goes on with it.
//!
//! The engine keeps nothing in thread-locals and measures its stack by addresses, so it does not notice the change of
//! threads. Nothing of ours on that stack may hold on to a thread: no lock, no span, no address of a thread-local.
#![expect(unsafe_code, reason = "switches stacks and moves them between threads")]

use crate::limits::MAX_STACK_BYTES;
use crate::sync::lock;
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

/// Beyond the guest's own limit: our frames and what the engine does not check. Only touched pages cost memory.
const STACK_RESERVE: u64 = 2 << 20;
/// Stacks kept for the next slice of the process.
const KEPT_STACKS: usize = 4;

static STACKS: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());

/// The way out of a slice; part of the heap, where the allocator and the interrupt handler both find it.
#[derive(Debug, Default)]
pub(crate) struct Exit {
    /// Present while a slice is under way.
    yielder: Option<NonNull<Yielder<(), ()>>>,
    until: Option<Instant>,
}

impl Exit {
    /// The slice ends at `until`.
    pub(crate) fn open(&mut self, hatch: &Hatch<'_>, until: Instant) {
        self.yielder = Some(NonNull::from(hatch.0));
        self.until = Some(until);
    }

    /// The turn is over; false where it was left.
    pub(crate) fn close(&mut self) -> bool {
        self.until = None;
        self.yielder.take().is_some()
    }

    /// Inside a slice whose time is up: as `leave`.
    pub(super) fn leave_if_due(&mut self) {
        if self.until.is_some_and(|until| Instant::now() >= until) {
            self.leave();
        }
    }

    /// Inside a slice: leaves the host's thread, and comes back on another. Does nothing elsewhere.
    pub(super) fn leave(&mut self) {
        self.until = None;
        if let Some(yielder) = self.yielder.take() {
            // SAFETY: the yielder lives on the slice's stack, which we are on: `open` was called there, and `close`
            // comes before its frame ends.
            unsafe { yielder.as_ref() }.suspend(());
        }
    }
}

/// Handed to the body of a slice, to open its exit with.
pub(crate) struct Hatch<'a>(&'a Yielder<(), ()>);

/// How far a slice got.
pub(crate) enum Slice<R> {
    Done(R),
    Left(Suspended<R>),
}

type Body<R> = Coroutine<(), (), thread::Result<R>, DefaultStack>;

/// A turn that was left in the middle. Must be finished: the frames on its stack cannot be unwound.
pub(crate) struct Suspended<R>(ManuallyDrop<Body<R>>);

// SAFETY: the body is `Send`, and what is on its stack is the engine's and ours; see the head of this file.
unsafe impl<R: Send> Send for Suspended<R> {}

/// Runs `body` on this stack until it ends or leaves.
pub(crate) fn run<R: 'static>(
    stack: Stack,
    body: impl FnOnce(&Hatch<'_>) -> R + Send + 'static,
) -> Slice<R> {
    // A panic must not cross the switch: it is carried over as a value.
    let coroutine: Body<R> = Coroutine::with_stack(stack.0, move |yielder, ()| {
        catch_unwind(AssertUnwindSafe(|| body(&Hatch(yielder))))
    });
    advance(Suspended(ManuallyDrop::new(coroutine)))
}

impl<R: 'static> Suspended<R> {
    /// Goes on with the turn on this thread, to its end.
    pub(crate) fn finish(self) -> R {
        let mut suspended = self;
        loop {
            match advance(suspended) {
                Slice::Done(value) => return value,
                Slice::Left(again) => suspended = again,
            }
        }
    }
}

fn advance<R: 'static>(mut suspended: Suspended<R>) -> Slice<R> {
    match suspended.0.resume(()) {
        CoroutineResult::Yield(()) => Slice::Left(suspended),
        CoroutineResult::Return(result) => {
            keep_stack(ManuallyDrop::into_inner(suspended.0).into_stack());
            match result {
                Ok(value) => Slice::Done(value),
                Err(panic) => resume_unwind(panic),
            }
        }
    }
}

/// A stack for a slice.
pub(crate) struct Stack(DefaultStack);

impl Stack {
    /// `None` where the system has no memory for one.
    pub(crate) fn take() -> Option<Self> {
        if let Some(stack) = lock(&STACKS).pop() {
            return Some(Self(stack));
        }
        let bytes = usize::try_from(MAX_STACK_BYTES + STACK_RESERVE).ok()?;
        DefaultStack::new(bytes).ok().map(Self)
    }
}

fn keep_stack(stack: DefaultStack) {
    let mut stacks = lock(&STACKS);
    if stacks.len() < KEPT_STACKS {
        stacks.push(stack);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_slice_that_left_is_finished_on_another_thread() {
        let slice = run(Stack::take().unwrap(), |hatch| {
            let here = thread::current().id();
            let mut exit = Exit::default();
            exit.open(hatch, Instant::now() + Duration::from_secs(1));
            exit.leave();
            exit.leave();
            (here, thread::current().id())
        });
        let Slice::Left(suspended) = slice else {
            panic!("it did not leave")
        };
        let (before, after) = thread::spawn(|| suspended.finish()).join().unwrap();
        assert_eq!(before, thread::current().id());
        assert_ne!(after, before);
    }

    #[test]
    fn a_slice_that_ends_in_time_gives_its_value_and_a_panic_comes_out() {
        assert!(matches!(run(Stack::take().unwrap(), |_| 7), Slice::Done(7)));
        let caught = catch_unwind(|| {
            run(Stack::take().unwrap(), |_| -> u8 { panic!("in the slice") }).into_done()
        });
        assert!(caught.is_err());
    }

    impl<R> Slice<R> {
        fn into_done(self) -> Option<R> {
            match self {
                Slice::Done(value) => Some(value),
                Slice::Left(_) => None,
            }
        }
    }
}
