//! Events on their way to JavaScript: one queue and one threadsafe function per instance.
//!
//! Threadsafe functions are racy while a Node environment goes down, so every call of one is made under a lock of
//! ours, beside a flag that the environment's cleanup hook sets first; a closed hub drops its events.
#![expect(
    unsafe_code,
    reason = "raw napi: threadsafe functions, reference counts and cleanup hooks"
)]

use crate::fault;
use crate::strings;
use napi::{Result, sys};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// Kinds of messages; the numbers are those of `ts/native.ts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Kind {
    Calls = 0,
    Logs = 1,
    Text = 2,
    End = 3,
    Stored = 4,
    Yielded = 5,
}

/// One message of a run: JSON text of a kind.
pub(crate) struct Message {
    pub(crate) run: u32,
    pub(crate) kind: Kind,
    pub(crate) json: String,
}

/// Told of ends on the JavaScript thread, before JavaScript reads them.
pub(crate) trait Owner: Send + Sync {
    /// The END of this run is on its way to JavaScript.
    fn ended(&self, env: sys::napi_env, run: u32);
}

/// The queue of one instance.
pub(crate) struct Hub {
    owner: OnceLock<Weak<dyn Owner>>,
    queue: Mutex<Vec<Message>>,
    /// The JavaScript thread looks by itself; nobody has to wake it.
    polled: AtomicBool,
    gate: Mutex<Gate>,
}

struct Gate {
    /// Null once closed.
    function: sys::napi_threadsafe_function,
}

// SAFETY: a threadsafe function may be called from any thread; the gate's lock orders calls before its release.
unsafe impl Send for Gate {}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    /// # Safety
    /// Called on the JavaScript thread of `env` with a function of it.
    pub(crate) unsafe fn new(env: sys::napi_env, deliver: sys::napi_value) -> Result<Arc<Self>> {
        let gate = Mutex::new(Gate {
            function: ptr::null_mut(),
        });
        let hub = Arc::new(Self {
            owner: OnceLock::new(),
            queue: Mutex::default(),
            polled: AtomicBool::new(false),
            gate,
        });
        // The function holds the hub until Node finalises it.
        let context = Arc::into_raw(hub.clone()).cast_mut().cast::<c_void>();
        let mut function = ptr::null_mut();
        // SAFETY: the context is released by `finalize`, which Node calls once, or below where it never will.
        unsafe {
            let name = strings::to_js(env, "codemode-native")?;
            let status = sys::napi_create_threadsafe_function(
                env,
                deliver,
                ptr::null_mut(),
                name,
                0,
                1,
                context,
                Some(finalize),
                context,
                Some(call_js),
                &raw mut function,
            );
            if status != sys::Status::napi_ok {
                drop(Arc::from_raw(context.cast::<Self>()));
                return Err(fault::node("a threadsafe function", status));
            }
            // Only live runs keep the process alive.
            sys::napi_unref_threadsafe_function(env, function);
        }
        lock(&hub.gate).function = function;
        Ok(hub)
    }

    /// The first owner stays.
    pub(crate) fn set_owner(&self, owner: Weak<dyn Owner>) {
        let _ = self.owner.set(owner);
    }

    /// Queues messages of one run. Any thread; after `close` they are dropped.
    pub(crate) fn push(&self, messages: impl Iterator<Item = Message>) {
        let first = {
            let mut queue = lock(&self.queue);
            let first = queue.is_empty();
            queue.extend(messages);
            first && !queue.is_empty()
        };
        if !first || self.polled.load(Ordering::SeqCst) {
            return;
        }
        let gate = lock(&self.gate);
        if gate.function.is_null() {
            lock(&self.queue).clear();
            return;
        }
        // SAFETY: the function is live while the gate is locked and not null.
        unsafe {
            let mode = sys::ThreadsafeFunctionCallMode::nonblocking;
            sys::napi_call_threadsafe_function(gate.function, ptr::null_mut(), mode);
        }
    }

    fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *lock(&self.queue))
    }

    /// What is queued now. With `again` the caller looks once more by itself, soon, and is not woken until then.
    ///
    /// # Safety
    /// Called on the JavaScript thread of `env`.
    pub(crate) unsafe fn poll(
        &self,
        env: sys::napi_env,
        again: bool,
    ) -> Result<Option<sys::napi_value>> {
        // Before the queue is read: who pushes later sees it and wakes, who pushed before is read now.
        self.polled.store(again, Ordering::SeqCst);
        // SAFETY: as promised by the caller.
        unsafe { self.list(env) }
    }

    /// The messages queued by the end of `body`, which runs on this thread; nobody is woken for them.
    ///
    /// # Safety
    /// Called on the JavaScript thread of `env`.
    pub(crate) unsafe fn gather(
        &self,
        env: sys::napi_env,
        body: impl FnOnce(),
    ) -> Result<Option<sys::napi_value>> {
        let polled = self.polled.swap(true, Ordering::SeqCst);
        body();
        self.polled.store(polled, Ordering::SeqCst);
        // SAFETY: as promised by the caller.
        unsafe { self.list(env) }
    }

    /// Keeps the process alive, or no longer.
    ///
    /// # Safety
    /// Called on the JavaScript thread of `env`.
    pub(crate) unsafe fn keep_alive(&self, env: sys::napi_env, alive: bool) {
        let gate = lock(&self.gate);
        if gate.function.is_null() {
            return;
        }
        // SAFETY: the function is live while the gate is locked and not null.
        unsafe {
            if alive {
                sys::napi_ref_threadsafe_function(env, gate.function);
            } else {
                sys::napi_unref_threadsafe_function(env, gate.function);
            }
        }
    }

    /// No message crosses after this. Idempotent.
    pub(crate) fn close(&self) {
        let mut gate = lock(&self.gate);
        let function = std::mem::replace(&mut gate.function, ptr::null_mut());
        if !function.is_null() {
            // SAFETY: the only release of our reference; nobody calls it any more.
            unsafe {
                let mode = sys::ThreadsafeFunctionReleaseMode::abort;
                sys::napi_release_threadsafe_function(function, mode);
            }
        }
        drop(gate);
        lock(&self.queue).clear();
    }

    /// All queued messages as one flat list: run, kind, json, run, kind, json, ...
    ///
    /// # Safety
    /// Called on the JavaScript thread of `env`.
    unsafe fn list(&self, env: sys::napi_env) -> Result<Option<sys::napi_value>> {
        let messages = self.take();
        if messages.is_empty() {
            return Ok(None);
        }
        let mut list = ptr::null_mut();
        let mut index = 0;
        // SAFETY: each value is made in the handle scope of the caller.
        unsafe {
            sys::napi_create_array_with_length(env, messages.len() * 3, &raw mut list);
            let owner = self.owner.get().and_then(Weak::upgrade);
            for message in &messages {
                if let (Kind::End, Some(owner)) = (message.kind, &owner) {
                    owner.ended(env, message.run);
                }
                let (mut run, mut kind) = (ptr::null_mut(), ptr::null_mut());
                sys::napi_create_uint32(env, message.run, &raw mut run);
                sys::napi_create_uint32(env, message.kind as u32, &raw mut kind);
                let json = strings::to_js(env, &message.json)?;
                for value in [run, kind, json] {
                    sys::napi_set_element(env, list, index, value);
                    index += 1;
                }
            }
        }
        Ok(Some(list))
    }
}

unsafe extern "C" fn finalize(_env: sys::napi_env, data: *mut c_void, _hint: *mut c_void) {
    // SAFETY: the reference that `Hub::new` gave away; Node finalises once.
    let hub = unsafe { Arc::from_raw(data.cast::<Hub>()) };
    // Node took the function down by itself: nobody may release it after this.
    lock(&hub.gate).function = ptr::null_mut();
}

unsafe extern "C" fn call_js(
    env: sys::napi_env,
    deliver: sys::napi_value,
    context: *mut c_void,
    _data: *mut c_void,
) {
    // A function that is being torn down is called without an environment.
    if env.is_null() || deliver.is_null() {
        return;
    }
    // SAFETY: Node calls this on the JavaScript thread, in a handle scope, before `finalize`.
    unsafe {
        let hub = &*context.cast::<Hub>();
        let Ok(Some(list)) = hub.list(env) else {
            return;
        };
        let mut undefined = ptr::null_mut();
        sys::napi_get_undefined(env, &raw mut undefined);
        let mut result = ptr::null_mut();
        // `deliver` promised not to throw; where it does, Node reports an uncaught exception.
        sys::napi_call_function(env, undefined, deliver, 1, &raw const list, &raw mut result);
    }
}
