//! Limits that a process keeps itself, seen from outside: the backstop where it does not.

use crate::pool::Pool;
use crate::proc_stat;
use crate::run::lock;
use crate::state::State;
use codemode_engine::StopReason;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Resident bytes beyond the guest's heap that a run may need: texts on their way, the compiler, the hard ceiling.
const RESIDENT_ROOM: u64 = 96 << 20;
/// CPU time beyond the guest's limit, for what is not the guest's own: looking for answers without sleeping.
const CPU_ROOM: Duration = Duration::from_secs(2);
/// Ends runs whose process is over a limit. `everyone`: those too that say they wait.
pub(crate) fn look(pool: &Pool, everyone: bool) {
    let channels: Vec<_> = lock(&pool.state).channels.values().cloned().collect();
    for channel in channels {
        let Some(run) = channel.run() else { continue };
        if run.is_ended() || (!everyone && run.waits.load(Ordering::Relaxed)) {
            continue;
        }
        let Some(usage) = proc_stat::usage(channel.pid()) else {
            continue;
        };
        let base = channel.base_bytes.load(Ordering::Relaxed);
        let most = base
            .saturating_add(run.limits.memory_limit_bytes)
            .saturating_add(RESIDENT_ROOM);
        let cpu = Duration::from_millis(run.limits.cpu_timeout_ms) * 2 + CPU_ROOM;
        let reason = if usage.resident_bytes > most {
            StopReason::Memory
        } else if usage.cpu > cpu {
            StopReason::CpuTimeout
        } else {
            continue;
        };
        // A process that got this far does not keep its own limits: it is not asked.
        run.set_stop(reason, None);
        pool.kill(&run);
    }
}

/// Whether some process has something to do.
pub(crate) fn any_busy(state: &State) -> bool {
    state.channels.values().any(|channel| {
        channel
            .run()
            .is_some_and(|run| !run.is_ended() && !run.waits.load(Ordering::Relaxed))
    })
}
