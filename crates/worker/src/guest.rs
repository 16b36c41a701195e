//! The process of one run, from its lock-down to its end.

use crate::listing::Remote;
use crate::sys;
use codemode_engine::{Ambient, Event, Reply, RunSpec, Sink, Solo, Spin, StopReason};
use codemode_program::{GuestTools, prepare};
use codemode_wire::{FrameReader, MAX_FRAME, Start, ToGuest, encode_events, encode_ready};
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The one descriptor of the process.
const SOCKET: i32 = 0;
/// The host's end is gone, or said what it never says.
const EXIT_LOST_HOST: i32 = 1;
/// Bytes read at one time.
const PIECE: usize = 32 << 10;
/// Once the CPU limit was passed the guest is asked again after this time.
const CPU_TIMER_INTERVAL: Duration = Duration::from_millis(4);

type Stop = (StopReason, Option<String>);

/// What came from the host and was not used yet.
#[derive(Default)]
pub(crate) struct Inbox {
    reader: FrameReader,
    piece: Vec<u8>,
    start: Option<Box<Start>>,
    replies: Vec<Reply>,
    answer: Option<String>,
    stop: Option<Stop>,
}

impl Inbox {
    /// Takes what is there; false where nothing was. The end of the stream ends the process.
    fn receive(&mut self, block: bool) -> bool {
        match sys::receive(SOCKET, &mut self.piece, block) {
            Ok(0) => sys::exit(EXIT_LOST_HOST),
            Ok(length) => {
                self.reader
                    .push(self.piece.get(..length).unwrap_or_default());
                self.sort()
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => false,
            Err(error) if error.kind() == ErrorKind::Interrupted => false,
            Err(_) => sys::exit(EXIT_LOST_HOST),
        }
    }

    /// The answer to the question just asked; `None` where the run was stopped instead.
    pub(crate) fn answer(&mut self) -> Option<String> {
        while self.answer.is_none() && self.stop.is_none() {
            self.receive(true);
        }
        self.answer.take()
    }

    fn sort(&mut self) -> bool {
        let mut news = false;
        loop {
            let message = match self.reader.next_frame() {
                Ok(Some(frame)) => ToGuest::decode(frame),
                Ok(None) => return news,
                Err(error) => Err(error),
            };
            match message {
                Ok(ToGuest::Start(start)) => self.start = Some(start),
                Ok(ToGuest::Replies(replies)) => self.replies.extend(replies),
                Ok(ToGuest::Answer(json)) => self.answer = Some(json),
                Ok(ToGuest::Stop(reason, message)) => self.stop = Some((reason, message)),
                Err(_) => sys::exit(EXIT_LOST_HOST),
            }
            news = true;
        }
    }
}

/// Made before the fork, so that a run need not.
pub(crate) struct Prepared {
    inbox: Arc<Mutex<Inbox>>,
    spin: Spin,
}

impl Prepared {
    pub(crate) fn new(cores: usize) -> Self {
        let inbox = Inbox {
            reader: FrameReader::new(MAX_FRAME),
            piece: vec![0; PIECE],
            ..Inbox::default()
        };
        Self {
            inbox: Arc::new(Mutex::new(inbox)),
            spin: Spin::new(cores),
        }
    }
}

pub(crate) fn lock(inbox: &Mutex<Inbox>) -> MutexGuard<'_, Inbox> {
    inbox.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the one program of this process.
pub(crate) fn serve(solo: Solo, prepared: Prepared) -> ! {
    let Prepared { inbox, mut spin } = prepared;
    let mut ready = Vec::new();
    encode_ready(&mut ready);
    send(&ready);
    let start = loop {
        let mut inbox = lock(&inbox);
        if let Some(start) = inbox.start.take() {
            break *start;
        }
        inbox.receive(true);
    };
    let limit = Duration::from_millis(start.limits.cpu_timeout_ms);
    if sys::set_cpu_timer(limit, CPU_TIMER_INTERVAL).is_err() {
        sys::exit(EXIT_LOST_HOST);
    }
    let mut run = solo.begin(spec(start, &inbox), look(inbox.clone()));
    while run.is_waiting() {
        let (replies, stop) = wait(&inbox, &mut spin);
        match stop {
            Some((reason, message)) => run.stop(reason, message),
            None => run.resume(replies),
        }
    }
    sys::exit(0)
}

fn spec(start: Start, inbox: &Arc<Mutex<Inbox>>) -> RunSpec {
    let Start {
        limits,
        seed,
        dialect,
        names,
        session,
        code,
    } = start;
    let max_chars = limits.max_source_chars;
    let ambient = Ambient::seeded(seed);
    RunSpec {
        limits,
        features: codemode_engine::Features::default(),
        tools: Arc::new(GuestTools {
            listing: Remote::new(names, dialect, inbox.clone()),
            dialect,
        }),
        prepare: Box::new(move || prepare(&code, max_chars)),
        key: None,
        sink: Arc::new(SocketSink),
        ambient: match session {
            Some(session) => ambient.with_session(session.into()),
            None => ambient,
        },
    }
}

/// Replies stay in the inbox for the next wait.
fn look(inbox: Arc<Mutex<Inbox>>) -> codemode_engine::Look {
    Box::new(move || {
        let mut inbox = lock(&inbox);
        while inbox.stop.is_none() && inbox.receive(false) {}
        inbox.stop.take()
    })
}

fn wait(inbox: &Mutex<Inbox>, spin: &mut Spin) -> (Vec<Reply>, Option<Stop>) {
    let mut inbox = lock(inbox);
    let idle = |inbox: &Inbox| inbox.replies.is_empty() && inbox.stop.is_none();
    let look = |inbox: &mut Inbox| {
        if inbox.receive(false) {
            ControlFlow::Break(true)
        } else {
            ControlFlow::Continue(())
        }
    };
    if idle(&inbox) && !spin.until(|| look(&mut inbox)) {
        while idle(&inbox) {
            inbox.receive(true);
        }
    }
    (std::mem::take(&mut inbox.replies), inbox.stop.take())
}

pub(crate) fn send(frames: &[u8]) {
    if sys::send(SOCKET, frames).is_err() {
        sys::exit(EXIT_LOST_HOST);
    }
}

/// Events to frames. The end of the run is the end of the process: nothing is freed before.
struct SocketSink;

impl Sink for SocketSink {
    fn deliver(&self, events: Vec<Event>) {
        let mut out = Vec::new();
        encode_events(&mut out, &events);
        send(&out);
        if events.iter().any(|event| matches!(event, Event::End(_))) {
            sys::exit(0);
        }
    }
}
