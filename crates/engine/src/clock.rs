//! The CPU time of a turn.

use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Below this a turn's wall time stands for its CPU time: reading the CPU clock costs more than most turns.
const SHORT_TURN: Duration = Duration::from_millis(1);

/// Measures the CPU time of one turn on the thread that makes it. Never less than the truth: what a short turn waits
/// for a core counts as its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnClock {
    started: Instant,
    long: Option<Long>,
}

/// From where on the CPU clock of a thread is read.
#[derive(Debug, Clone, Copy)]
struct Long {
    /// Wall time of the turn at that moment.
    wall: Duration,
    /// CPU time of the thread at that moment.
    cpu: Duration,
    thread: ThreadId,
}

impl TurnClock {
    pub(crate) fn start() -> Self {
        Self {
            started: Instant::now(),
            long: None,
        }
    }

    pub(crate) fn cpu(&mut self) -> Duration {
        let wall = self.started.elapsed();
        if self.long.is_none() && wall < SHORT_TURN {
            return wall;
        }
        let thread = thread::current().id();
        match self.long {
            Some(long) if long.thread == thread => {
                long.wall + thread_cpu().saturating_sub(long.cpu)
            }
            // Long from now on, or on another thread than before.
            _ => {
                let cpu = thread_cpu();
                self.long = Some(Long { wall, cpu, thread });
                wall
            }
        }
    }
}

/// CPU time the calling thread has used. Where the system has no such clock, the time since the first call.
#[cfg(unix)]
#[expect(
    unsafe_code,
    reason = "no safe interface to the thread's CPU clock in std"
)]
fn thread_cpu() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes one timespec of ours.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    if status != 0 {
        return Duration::ZERO;
    }
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}

#[cfg(not(unix))]
fn thread_cpu() -> Duration {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_costs_a_long_turn_nothing() {
        let mut clock = TurnClock::start();
        while clock.started.elapsed() < SHORT_TURN {}
        let before = clock.cpu();
        std::thread::sleep(Duration::from_millis(60));
        assert!(clock.cpu().saturating_sub(before) < Duration::from_millis(30));
    }
}
