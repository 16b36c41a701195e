//! A thousand deaths at random moments, while other programs run: only the runs that were hit see it, and nothing is left.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a broken expectation ends the test"
)]

mod common;

use codemode_engine::FailureCode;
use common::{Live, kill_process, lease, limits, processes_of_ours, result_of, run, settle, start};
use std::time::Duration;

const DEATHS: usize = 1000;
/// Programs live at one time, of which every second is hit.
const LIVE: usize = 20;

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
fn a_thousand_deaths_hit_nobody_else_and_leave_nothing() {
    let before = descriptors();
    let pool = lease();
    run(&pool, "return 1", limits());
    let signals = [libc::SIGKILL, libc::SIGSEGV, libc::SIGABRT];
    let (mut crashed, mut finished, mut seed) = (0, 0, 7_u32);
    while crashed + finished < DEATHS {
        let lives: Vec<Live> = (0..LIVE)
            .map(|i| start(&pool, &format!("let sum = 0; for (let i = 0; i < 4000; i++) sum += i % 7; return await tools.echo([{i}, sum])"), limits()))
            .collect();
        for (i, live) in lives.iter().enumerate().step_by(2) {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // From before the program begins to after its first call.
            std::thread::sleep(Duration::from_micros(u64::from(seed >> 21)));
            while live.handle.process_id().is_none() && !live.handle.is_ended() {
                std::thread::yield_now();
            }
            if let Some(pid) = live.handle.process_id() {
                kill_process(pid, signals[(i / 2) % 3]);
            }
        }
        for (i, live) in lives.into_iter().enumerate() {
            let seen = live.finish();
            match &seen.end.outcome {
                Ok(json) => {
                    assert!(json.starts_with(&format!("[{i},")), "{json}");
                    finished += usize::from(i % 2 == 0);
                }
                Err(failure) => {
                    assert_eq!(
                        (failure.code, i % 2),
                        (FailureCode::Crashed, 0),
                        "{failure:?}"
                    );
                    crashed += 1;
                }
            }
        }
    }
    assert!(
        crashed > DEATHS / 2,
        "{crashed} crashed, {finished} had ended"
    );
    assert_eq!(result_of(&run(&pool, "return 7", limits())), "7");
    drop(pool);
    settle(|| processes_of_ours().is_empty());
    settle(|| descriptors() <= before + 3);
}
