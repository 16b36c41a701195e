//! A ready-made runtime as a block of bytes: built once, copied for every run.
//!
//! Two runtimes are built the same way in two regions. A word that differs by exactly the distance of the regions is a
//! pointer into the region; everything else must be equal. So the image needs to know nothing of the engine's
//! structures, and an engine that kept something it could not copy would give no image at all.
#![expect(unsafe_code, reason = "copies a heap")]

use super::heap::Heap;
use super::host::{Host, Shared};
use super::region::{Pool, Region};
use super::runtime::{Features, Runtime};
use super::sys;
use super::value::Held;
use rquickjs::qjs;
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// Room for the building of a template.
const TEMPLATE_BYTES: usize = 1 << 20;
/// Room behind the image for what a small program allocates, so that it asks the system for nothing.
const SPARE_BYTES: usize = 16 << 10;
const WORD: usize = size_of::<usize>();

/// See the module.
#[derive(Debug)]
pub(crate) struct Image {
    /// The words of the region; a pointer into it is kept as its offset.
    words: Vec<usize>,
    /// Indexes of the words that are pointers into the region.
    pointers: Vec<u32>,
    /// Indexes of the words that point to the heap.
    heap_words: Vec<u32>,
    holes: Vec<(usize, usize)>,
    used: usize,
    runtime: usize,
    context: usize,
    tools: usize,
    class: qjs::JSClassID,
    /// The value that the template's maker wants to find again.
    root: usize,
    pool: Arc<Pool>,
}

/// A runtime built in a region, and a value in it.
struct Template<H> {
    runtime: Runtime<H>,
    root: Held,
}

impl<H: Host> Template<H> {
    fn build(
        pool: &Arc<Pool>,
        host: H,
        features: Features,
        furnish: Furnish<'_, H>,
    ) -> Option<Self> {
        let region = Region::new(pool)?;
        let mut runtime = Runtime::build(host, features, Heap::with_region(Some(region), 0))?;
        let root = furnish(&mut runtime)?;
        // The seed depends on the moment; a run sets its own.
        runtime.enter(|entered| entered.ctx.seed_random(0));
        runtime
            .heap()
            .is_within_region()
            .then_some(Self { runtime, root })
    }

    fn heap_address(&mut self) -> usize {
        ptr::from_mut(self.runtime.heap()) as usize
    }

    fn host_address(&self) -> usize {
        ptr::from_ref(self.runtime.shared()) as usize
    }

    fn words(&mut self) -> Option<(usize, Vec<usize>)> {
        let region = self.runtime.heap().region()?;
        let start = region.start();
        let count = region.top().div_ceil(WORD);
        // SAFETY: `top` bytes of the region are carved, aligned to 16 and initialised: its memory began as zeros.
        let words = unsafe { std::slice::from_raw_parts(region.words(), count) };
        Some((start as usize, words.to_vec()))
    }
}

/// Equips a fresh runtime; the same way each time.
pub(crate) type Furnish<'f, H> = &'f dyn Fn(&mut Runtime<H>) -> Option<Held>;

impl Image {
    /// `None` where memory is short or the two templates differ in more than their place.
    pub(crate) fn capture<H: Host + Default>(
        features: Features,
        furnish: Furnish<'_, H>,
    ) -> Option<Self> {
        let pool = Pool::new(TEMPLATE_BYTES, 0);
        let mut first = Template::build(&pool, H::default(), features, furnish)?;
        let mut second = Template::build(&pool, H::default(), features, furnish)?;
        let (start, words) = first.words()?;
        let (other_start, other_words) = second.words()?;
        if words.len() != other_words.len() {
            return None;
        }
        let heaps = [first.heap_address(), second.heap_address()];
        let hosts = [first.host_address(), second.host_address()];
        let mut image = Self {
            words,
            pointers: Vec::new(),
            heap_words: Vec::new(),
            holes: first.runtime.heap().region()?.holes().to_vec(),
            used: first.runtime.heap().used(),
            runtime: first.runtime.address() - start,
            context: first.runtime.context_address() - start,
            tools: first.runtime.shared().tools.get() - start,
            class: first.runtime.shared().class.get(),
            root: first.root.address() - start,
            pool: Pool::new(0, 0),
        };
        for (index, (word, other)) in image.words.iter_mut().zip(other_words).enumerate() {
            let at = u32::try_from(index).ok()?;
            if *word == other {
                continue;
            }
            if word.wrapping_sub(start) == other.wrapping_sub(other_start) {
                *word = word.wrapping_sub(start);
                image.pointers.push(at);
            } else if [*word, other] == heaps {
                image.heap_words.push(at);
            } else if [*word, other] != hosts {
                tracing::warn!(index, "a fresh runtime cannot be copied");
                return None;
            }
        }
        let bytes = image.words.len() * WORD;
        image.pool = Pool::new(bytes + SPARE_BYTES, bytes);
        Some(image)
    }

    /// A copy, and its root value. `None` where memory is short.
    pub(crate) fn instantiate<H: Host>(&self, host: H) -> Option<(Runtime<H>, Held)> {
        let mut region = Region::new(&self.pool)?;
        let start = region.start();
        region.occupy(self.words.len() * WORD, &self.holes);
        let words = region.words();
        let mut heap = Heap::with_region(Some(region), self.used);
        let heap_ptr: *mut Heap = &raw mut *heap;
        // SAFETY: the region is larger than the image and aligned for words; every index lies inside the image.
        unsafe {
            words.copy_from_nonoverlapping(self.words.as_ptr(), self.words.len());
            for at in &self.pointers {
                let word = words.add(*at as usize);
                *word = word.read().wrapping_add(start as usize);
            }
            for at in &self.heap_words {
                *words.add(*at as usize) = heap_ptr as usize;
            }
        }
        let at = |offset: usize| start.wrapping_add(offset);
        let raw: NonNull<qjs::JSRuntime> = NonNull::new(at(self.runtime).cast())?;
        let ctx: NonNull<qjs::JSContext> = NonNull::new(at(self.context).cast())?;
        // SAFETY: a field of the runtime that the copy holds.
        let attention = unsafe { NonNull::new(sys::JS_GetAttentionFlag(raw.as_ptr()).cast())? };
        let shared = Box::new(Shared::new(host, heap_ptr, attention));
        shared.tools.set(at(self.tools) as usize);
        shared.class.set(self.class);
        // SAFETY: both are in the copy, which has the handlers of the template. The template held a reference to the
        // root, an object, and the copy holds it too.
        Some(unsafe {
            (
                Runtime::assemble(raw, ctx, shared, heap),
                Held::object_at(at(self.root).cast()),
            )
        })
    }
}
