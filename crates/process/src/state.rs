//! What the pool's threads share, and the steps that need the lock.

use crate::channel::Channel;
use crate::crash;
use crate::run::{Kind, Run};
use crate::spec::Unavailable;
use crate::sys::{self, Poll};
use crate::worker::Worker;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Forks asked for at one time.
const MAX_FORKING: usize = 16;
/// A worker that dies at once is not started again sooner.
const RESTART_PAUSE: Duration = Duration::from_millis(100);

/// A distrusted worker is replaced at this age.
const REPLACE_AFTER: Duration = Duration::from_secs(1);
/// A worker that said nothing for this long is given up.
pub(crate) const START_TIMEOUT: Duration = Duration::from_secs(10);

/// What a timer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Deadline,
    Grace,
    /// The worker did not say how the process died.
    Lost,
}

/// Whether a worker can be had.
#[derive(Debug, Clone, Default)]
pub(crate) enum Startup {
    #[default]
    Unknown,
    Starting,
    Ready(Vec<String>),
    Refused(Unavailable),
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) leases: usize,
    pub(crate) path: PathBuf,
    pub(crate) reactor: bool,
    pub(crate) startup: Startup,
    pub(crate) workers: HashMap<u64, Worker>,
    /// The worker that new processes come from.
    pub(crate) current: Option<u64>,
    pub(crate) last_spawn: Option<Instant>,
    pub(crate) channels: HashMap<u64, Arc<Channel>>,
    pub(crate) spares: Vec<Arc<Channel>>,
    /// Processes asked for that are not ready.
    pub(crate) forking: HashMap<u64, Kind>,
    pub(crate) pending: VecDeque<Arc<Run>>,
    /// Processes whose status was asked for; the run that wants to know, if any.
    pub(crate) reaping: HashMap<(u64, i32), Option<Arc<Channel>>>,
    pub(crate) timers: BTreeMap<(Instant, u64, Phase), Arc<Run>>,
    /// Workers that were told to end.
    pub(crate) ending: Vec<(Child, Instant)>,
    /// Workers that died since the last process was ready.
    pub(crate) deaths: u32,
    pub(crate) live: usize,
    /// The kind asked for last, of which spares are kept.
    pub(crate) kind: Option<Kind>,
    pub(crate) next_token: u64,
    /// No process is asked for before.
    pub(crate) next_fork: Option<Instant>,
    /// Until when the thread sleeps; `None` while it is awake.
    pub(crate) asleep_until: Option<Instant>,
}

impl State {
    pub(crate) fn token(&mut self) -> u64 {
        self.next_token += 1;
        self.next_token
    }

    /// The system gave no process. Where no other is on its way, the runs that waited for one.
    pub(crate) fn not_forked(&mut self, process: u64) -> VecDeque<Arc<Run>> {
        self.forking.remove(&process);
        if let Some(channel) = self.channels.remove(&process) {
            channel.close();
        }
        self.pause_forks();
        if self.forking.is_empty() {
            std::mem::take(&mut self.pending)
        } else {
            VecDeque::new()
        }
    }

    /// A system that gives no processes, or takes them at once, is not asked again without a pause.
    pub(crate) fn pause_forks(&mut self) {
        self.next_fork = Some(Instant::now() + RESTART_PAUSE);
    }

    /// The status of a process; whoever's run wants to know it.
    pub(crate) fn exited(&mut self, worker: u64, pid: i32, status: i32) -> Option<Arc<Channel>> {
        let asked = self.reaping.remove(&(worker, pid)).flatten()?;
        if crash::is_crash(status) {
            self.distrust(worker);
        }
        Some(asked)
    }

    /// A process of this worker may have told the layout of its memory, which all of them share: it is replaced.
    pub(crate) fn distrust(&mut self, worker: u64) {
        if let Some(worker) = self.workers.get_mut(&worker) {
            worker.distrusted = true;
        }
    }

    /// Replaces a distrusted worker, or tells when: not in its first second, so that crashes cannot keep the pool from its work.
    pub(crate) fn replace_distrusted(&mut self) -> Option<Instant> {
        let worker = self.workers.get(&self.current?)?;
        let at = worker.started + REPLACE_AFTER;
        if !worker.distrusted {
            return None;
        }
        if at > Instant::now() {
            return Some(at);
        }
        self.retire_current();
        None
    }

    /// Processes of ours, the workers among them.
    pub(crate) fn processes(&self) -> usize {
        self.workers
            .values()
            .map(|worker| worker.processes + 1)
            .sum::<usize>()
            + self.ending.len()
    }

    pub(crate) fn take_spare(&mut self, kind: Kind) -> Option<Arc<Channel>> {
        let index = self.spares.iter().position(|spare| spare.kind == kind)?;
        Some(self.spares.swap_remove(index))
    }

    /// A process is no use any more: it is killed, and its worker asked for its status, for `run` where that is given.
    pub(crate) fn discard(&mut self, channel: &Arc<Channel>, asks: bool) {
        channel.close();
        self.spares.retain(|spare| !Arc::ptr_eq(spare, channel));
        if self.forking.contains_key(&channel.token) {
            // Its id is not known yet; see `forked`.
            return;
        }
        if self.channels.remove(&channel.token).is_none() {
            return;
        }
        let pid = channel.pid();
        sys::kill(pid, libc::SIGKILL);
        if let Some(worker) = self.workers.get_mut(&channel.worker) {
            self.reaping
                .insert((channel.worker, pid), asks.then(|| channel.clone()));
            worker.reap(pid);
        }
    }

    /// The worker tells the id of a process. True where the process was given up meanwhile.
    pub(crate) fn forked(&mut self, token: u64, pid: i32) {
        self.forking.remove(&token);
        if let Some(channel) = self.channels.get(&token).cloned() {
            channel.pid.store(pid, Ordering::SeqCst);
        }
    }

    /// Gives waiting runs the processes that are ready, and asks for as many as are wanted.
    pub(crate) fn provide(&mut self, poll: &Arc<Poll>, spares_wanted: usize) {
        let mut waiting = std::mem::take(&mut self.pending);
        waiting.retain(|run| match self.take_spare(run.kind) {
            Some(spare) => {
                spare.assign(run);
                false
            }
            None => true,
        });
        self.pending = waiting;
        let Some(current) = self.current else { return };
        if self.next_fork.is_some_and(|at| at > Instant::now()) {
            return;
        }
        self.next_fork = None;
        let mut wanted: Vec<Kind> = self.pending.iter().map(|run| run.kind).collect();
        if let Some(kind) = self.kind
            && self.leases > 0
        {
            self.evict_others(kind, spares_wanted);
            let have = self
                .spares
                .iter()
                .filter(|spare| spare.kind == kind)
                .count();
            wanted.extend(std::iter::repeat_n(
                kind,
                spares_wanted.saturating_sub(have),
            ));
        }
        for kind in self.forking.values() {
            if let Some(index) = wanted.iter().position(|other| other == kind) {
                wanted.swap_remove(index);
            }
        }
        let room = MAX_FORKING.saturating_sub(self.forking.len());
        for kind in wanted.into_iter().take(room) {
            if self.fork(poll, current, kind).is_err() {
                break;
            }
        }
    }

    fn evict_others(&mut self, kind: Kind, most: usize) {
        while self.spares.len() > most {
            let Some(other) = self.spares.iter().find(|spare| spare.kind != kind).cloned() else {
                return;
            };
            self.discard(&other, false);
        }
    }

    fn fork(&mut self, poll: &Arc<Poll>, worker: u64, kind: Kind) -> std::io::Result<()> {
        let (ours, theirs) = sys::socket_pair(false)?;
        let token = self.token();
        let channel = Channel::new(token, kind, worker, ours, poll.clone())?;
        if let Some(worker) = self.workers.get_mut(&worker) {
            self.channels.insert(token, channel);
            self.forking.insert(token, kind);
            worker.fork(token, kind, theirs);
        }
        Ok(())
    }

    /// Starts a worker where one is wanted and there is none.
    pub(crate) fn start_worker(&mut self, poll: &Arc<Poll>) {
        let wanted = self.leases > 0 || !self.pending.is_empty();
        let starting = self
            .workers
            .values()
            .any(|worker| worker.protections.is_none());
        let soon = self
            .last_spawn
            .is_some_and(|at| at.elapsed() < RESTART_PAUSE);
        let first = matches!(self.startup, Startup::Unknown);
        if !wanted || starting || self.current.is_some() || (soon && !first) {
            return;
        }
        if matches!(self.startup, Startup::Refused(_)) {
            return;
        }
        let token = self.token();
        self.last_spawn = Some(Instant::now());
        match Worker::spawn(token, &self.path, poll.clone()) {
            Ok(worker) => {
                if first {
                    self.startup = Startup::Starting;
                }
                self.workers.insert(token, worker);
            }
            Err(error) => self.startup = Startup::Refused(error),
        }
    }

    /// No new processes from the current worker.
    pub(crate) fn retire_current(&mut self) {
        let Some(token) = self.current.take() else {
            return;
        };
        if let Some(worker) = self.workers.get_mut(&token) {
            worker.retired = true;
        }
        let spares: Vec<_> = self
            .spares
            .iter()
            .filter(|spare| spare.worker == token)
            .cloned()
            .collect();
        for spare in spares {
            self.discard(&spare, false);
        }
    }

    /// Ends workers that nobody needs.
    pub(crate) fn end_workers(&mut self) {
        if self.leases == 0 && self.live == 0 {
            self.retire_current();
            self.startup = Startup::Unknown;
        }
        let unused = self.leases == 0 && self.live == 0;
        let done: Vec<u64> = self
            .workers
            .values()
            .filter(|worker| {
                worker.processes == 0
                    && (worker.retired || (unused && worker.protections.is_none()))
            })
            .map(|worker| worker.token)
            .collect();
        for token in done {
            if let Some(worker) = self.workers.remove(&token) {
                self.ending.push((worker.close(), Instant::now()));
            }
        }
    }
}

/// What a worker says of itself when it is locked down: it is used only where that is enough.
pub(crate) fn ready(state: &mut State, token: u64, version: &str, protections: Vec<String>) {
    let own = env!("CARGO_PKG_VERSION");
    if version != own {
        let words = format!("the worker has version {version}, the addon {own}");
        state.startup = Startup::Refused(Unavailable(words));
        return;
    }
    let missing = crate::REQUIRED
        .iter()
        .find(|name| !protections.iter().any(|other| other == *name));
    if let Some(missing) = missing {
        let words = format!("{missing}: the worker does not have it");
        state.startup = Startup::Refused(Unavailable(words));
        return;
    }
    if let Some(worker) = state.workers.get_mut(&token) {
        worker.protections = Some(protections.clone());
        state.current = Some(token);
        state.startup = Startup::Ready(protections);
    }
}
