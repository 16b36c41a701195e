//! The socket of one process: what is written to it, and what is read and believed.

use crate::conversation::{Conversation, Violation};
use crate::run::{Kind, Run, lock};
use crate::sys::{self, Interest, Poll};
use codemode_engine::Event;
use codemode_wire::{FrameReader, FromGuest, encode_answer, guest_frame_limit};
use std::cell::RefCell;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// Bytes read at one time.
const PIECE: usize = 64 << 10;
/// A process without a program has only to say that it is ready.
const IDLE_LIMIT: usize = 16;
/// Pieces read in one go: a process that writes without end must not hold up the others.
const MOST_PIECES: usize = 16;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What a read led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pumped {
    /// The process goes on.
    Open,
    /// It is ready for a program.
    Ready,
    /// It told the end of its run.
    Ended,
    /// It closed its socket, or died.
    Gone,
    /// It said what it must not say.
    Violated(&'static str),
}

pub(crate) struct Channel {
    pub(crate) token: u64,
    pub(crate) kind: Kind,
    /// The worker that forked the process.
    pub(crate) worker: u64,
    /// 0 before the worker told it.
    pub(crate) pid: AtomicI32,
    pub(crate) ready: AtomicBool,
    /// Resident bytes before it had a program; 0 where that is not known.
    pub(crate) base_bytes: AtomicU64,
    fd: OwnedFd,
    poll: Arc<Poll>,
    inbound: Mutex<Inbound>,
    outbound: Mutex<Outbound>,
}

struct Inbound {
    reader: FrameReader,
    talk: Option<(Arc<Run>, Conversation)>,
}

#[derive(Default)]
struct Outbound {
    queue: Vec<u8>,
    /// Bytes that were given to the system so far.
    sent: u64,
    /// Where among them the last answer to a question ends.
    answered: u64,
    /// Somebody reads by themselves: nobody has to be woken.
    polled: bool,
    closed: bool,
}

impl Outbound {
    /// An answer of this length is about to be sent.
    fn admit_answer(&mut self, length: usize) -> Result<(), Violation> {
        if self.sent < self.answered {
            return Err("a question before the answer");
        }
        self.answered = self.sent + (self.queue.len() + length) as u64;
        Ok(())
    }
}

impl Channel {
    pub(crate) fn new(
        token: u64,
        kind: Kind,
        worker: u64,
        fd: OwnedFd,
        poll: Arc<Poll>,
    ) -> std::io::Result<Arc<Self>> {
        poll.add(
            &fd,
            token,
            Interest {
                read: true,
                write: false,
            },
        )?;
        Ok(Arc::new(Self {
            token,
            kind,
            worker,
            pid: AtomicI32::new(0),
            ready: AtomicBool::new(false),
            base_bytes: AtomicU64::new(0),
            fd,
            poll,
            inbound: Mutex::new(Inbound {
                reader: FrameReader::new(IDLE_LIMIT),
                talk: None,
            }),
            outbound: Mutex::default(),
        }))
    }

    pub(crate) fn pid(&self) -> i32 {
        self.pid.load(Ordering::SeqCst)
    }

    /// Gives the process its run.
    pub(crate) fn assign(self: &Arc<Self>, run: &Arc<Run>) {
        let mut inbound = lock(&self.inbound);
        inbound
            .reader
            .set_limit(guest_frame_limit(&run.limits, run.max_store_chars()));
        inbound.talk = Some((run.clone(), run.conversation()));
        drop(inbound);
        *lock(&run.channel) = Some(self.clone());
        let start = std::mem::take(&mut *lock(&run.start));
        self.send(&start);
    }

    /// The run of the process.
    pub(crate) fn run(&self) -> Option<Arc<Run>> {
        lock(&self.inbound)
            .talk
            .as_ref()
            .map(|(run, _)| run.clone())
    }

    // ------------------------------------------------------------------ out

    /// Writes now what fits, and the rest when there is room. To a process that is gone it does nothing.
    pub(crate) fn send(&self, bytes: &[u8]) {
        let mut out = lock(&self.outbound);
        if out.closed {
            return;
        }
        if !out.queue.is_empty() {
            out.queue.extend_from_slice(bytes);
            return;
        }
        match sys::send(&self.fd, bytes) {
            Ok(sent) if sent == bytes.len() => out.sent += sent as u64,
            Ok(sent) => {
                out.sent += sent as u64;
                out.queue = bytes.get(sent..).unwrap_or_default().to_vec();
                self.set_interest(&out);
            }
            // The reader finds the end of the stream.
            Err(_) => {}
        }
    }

    /// Answers a question. Who asks again before it can have read the answer only wants us to hold answers.
    fn answer(&self, json: &str) -> Result<(), Violation> {
        let mut frame = Vec::new();
        encode_answer(&mut frame, json);
        lock(&self.outbound).admit_answer(frame.len())?;
        self.send(&frame);
        Ok(())
    }

    /// There is room.
    pub(crate) fn flush(&self) {
        let mut out = lock(&self.outbound);
        if out.queue.is_empty() || out.closed {
            return;
        }
        match sys::send(&self.fd, &out.queue) {
            Ok(sent) => {
                out.sent += sent as u64;
                drop(out.queue.drain(..sent));
            }
            Err(_) => out.queue.clear(),
        }
        if out.queue.is_empty() {
            self.set_interest(&out);
        }
    }

    /// While `polled` nobody is woken by what the process writes.
    pub(crate) fn set_polled(&self, polled: bool) {
        let mut out = lock(&self.outbound);
        if out.polled != polled && !out.closed {
            out.polled = polled;
            self.set_interest(&out);
        }
    }

    fn set_interest(&self, out: &MutexGuard<'_, Outbound>) {
        let interest = Interest {
            read: !out.polled,
            write: !out.queue.is_empty(),
        };
        self.poll.change(&self.fd, self.token, interest);
    }

    pub(crate) fn is_closed(&self) -> bool {
        lock(&self.outbound).closed
    }

    /// Nothing is read or written any more.
    pub(crate) fn close(&self) {
        let mut out = lock(&self.outbound);
        if !out.closed {
            out.closed = true;
            out.queue = Vec::new();
            self.poll.remove(&self.fd);
        }
    }

    // ------------------------------------------------------------------ in

    /// Reads what is there and passes it on; `None` where another thread does.
    pub(crate) fn try_pump(&self) -> Option<Pumped> {
        match self.inbound.try_lock() {
            Ok(mut inbound) => Some(self.pump(&mut inbound)),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Poisoned(error)) => Some(self.pump(&mut error.into_inner())),
        }
    }

    /// As `try_pump`, after the other thread.
    pub(crate) fn pump_next(&self) -> Pumped {
        self.pump(&mut lock(&self.inbound))
    }

    fn pump(&self, inbound: &mut Inbound) -> Pumped {
        if self.is_closed() {
            return Pumped::Open;
        }
        BUFFER.with_borrow_mut(|buffer| {
            buffer.resize(PIECE, 0);
            let mut result = Pumped::Open;
            for _ in 0..MOST_PIECES {
                let length = match sys::receive(&self.fd, buffer) {
                    Ok(None) => return result,
                    Ok(Some(0)) | Err(_) => return Pumped::Gone,
                    Ok(Some(length)) => length,
                };
                inbound
                    .reader
                    .push(buffer.get(..length).unwrap_or_default());
                match inbound.sort(self) {
                    Ok(Pumped::Open) => {}
                    Ok(Pumped::Ready) => result = Pumped::Ready,
                    Ok(other) => return other,
                    Err(violation) => return Pumped::Violated(violation),
                }
                if length < PIECE {
                    return result;
                }
            }
            result
        })
    }

    /// Ends the run of a process that does not tell an end itself; false where the run has ended, or there is none.
    pub(crate) fn fail(&self, failure: codemode_engine::Failure) -> bool {
        match &lock(&self.inbound).talk {
            Some((run, talk)) => run.fail(failure, talk.calls()),
            None => false,
        }
    }
}

impl Inbound {
    /// Complete frames to the run's sink, in one delivery.
    fn sort(&mut self, channel: &Channel) -> Result<Pumped, Violation> {
        let mut events = Vec::new();
        loop {
            let frame = match self.reader.next_frame() {
                Ok(Some(frame)) => FromGuest::decode(frame),
                Ok(None) => break,
                Err(error) => Err(error),
            };
            let Ok(message) = frame else {
                return Err("a frame that is none");
            };
            let event = match message {
                FromGuest::Ready => {
                    let again = channel.ready.swap(true, Ordering::SeqCst);
                    if again || self.talk.is_some() {
                        return Err("ready twice");
                    }
                    return Ok(Pumped::Ready);
                }
                FromGuest::Query(query) => {
                    let (run, talk) = self.talk.as_mut().ok_or("a question without a program")?;
                    talk.admit_query(&query)?;
                    channel.answer(&run.tools.answer(&query))?;
                    // Who asks stands still: one look-up a read is all that the reading thread does.
                    if self.reader.pending() > 0 {
                        return Err("more before the answer");
                    }
                    continue;
                }
                FromGuest::Event(event) => event,
            };
            let Some((run, talk)) = &mut self.talk else {
                return Err("an event without a program");
            };
            talk.admit(&event, run.is_stopped())?;
            match event {
                Event::End(end) => {
                    // Another thread may have ended it.
                    let first = run.end(events, *end);
                    return Ok(if first { Pumped::Ended } else { Pumped::Gone });
                }
                event => {
                    if matches!(event, Event::Calls(_)) {
                        run.waits.store(true, Ordering::Relaxed);
                    }
                    events.push(event);
                }
            }
        }
        if let Some((run, _)) = &self.talk {
            run.emit(events);
        }
        Ok(Pumped::Open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_answer_at_a_time_is_held() {
        let mut out = Outbound {
            queue: vec![0; 10],
            ..Outbound::default()
        };
        assert_eq!(out.admit_answer(5), Ok(()));
        // The other end cannot have read what was not sent.
        for sent in [0, 14] {
            out.sent = sent;
            assert_eq!(out.admit_answer(5), Err("a question before the answer"));
        }
        out.sent = 15;
        out.queue.clear();
        assert_eq!(out.admit_answer(5), Ok(()));
        assert_eq!(out.answered, 20);
    }
}
