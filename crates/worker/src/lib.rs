//! The process that holds guests apart from their host.
//!
//! # Processes
//! The host starts one worker: no shell, an empty environment, a process group of its own, and one socket. The worker
//! warms the engine up, locks itself down, says what protects it, and then does two things on request: it forks a
//! process for a run, and it reaps one. It never reads anything that came from a program.
//!
//! A forked process has the realm and the compiler of the worker, ready made. It gives up everything but its own
//! socket, locks itself down further, says `Ready`, and only then is sent a program. It runs one and ends.
//!
//! # Protections
//! One file each in [`lockdown`]; [`lockdown::PROTECTIONS`] says which must hold. Where one of those cannot be had the worker
//! says so and ends: nothing runs.
//!
//! # Threads
//! One in every process. Signals of the host and of the CPU timer raise the engine's alarm, see
//! [`codemode_engine::raise_alarm`].

#[cfg(target_os = "linux")]
mod guest;
#[cfg(target_os = "linux")]
mod listing;
#[cfg(target_os = "linux")]
pub mod lockdown;
#[cfg(target_os = "linux")]
mod out_of_memory;
#[cfg(target_os = "linux")]
pub mod sys;
#[cfg(target_os = "linux")]
mod warm_up;
#[cfg(target_os = "linux")]
mod zygote;

/// The worker's life; never returns on Linux.
#[cfg(target_os = "linux")]
pub fn main() {
    zygote::main()
}

/// There is no sandbox for this system in this version, so there is nothing to do.
#[cfg(not(target_os = "linux"))]
pub fn main() {}
