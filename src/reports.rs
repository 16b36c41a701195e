//! What an instance tells of itself, as it crosses.

use napi_derive::napi;

/// Counters of one instance.
#[napi(object)]
pub struct NativeDiagnostics {
    /// Runs without an end.
    pub live_runs: u32,
    /// Threads of the pool, while this instance uses it.
    pub worker_threads: u32,
    /// Threads that did not come back from a stopped run.
    pub stuck_threads: u32,
    /// Processes of the pool, while this instance uses it.
    pub child_processes: u32,
    /// Protections of those processes.
    pub protections: Vec<String>,
}

/// What of the catalogue is spelled out.
#[napi(object)]
pub struct NativeListing {
    /// Declarations of the listed tools.
    pub signatures: String,
    /// How many they are.
    pub listed: u32,
    /// How many tools there are.
    pub total: u32,
    /// Namespaces of the tools that are not listed, largest number first.
    pub omitted: Vec<NativeOmitted>,
}

/// Tools of one namespace that are not listed.
#[napi(object)]
pub struct NativeOmitted {
    /// Empty for names without one.
    pub namespace: String,
    /// How many.
    pub tools: u32,
}

/// Names of one tool.
#[napi(object)]
pub struct NativeName {
    /// As registered.
    pub name: String,
    /// The identifier that also reaches it.
    pub alias: Option<String>,
}
