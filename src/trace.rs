//! Spans of the engine, for whoever debugs it. A debug build (feature `trace-output`) prints them on stderr where
//! `CODEMODE_NATIVE_TRACE` is `error`, `warn`, `info`, `debug` or `trace`. The shipped addon has no such output.

#[cfg(not(feature = "trace-output"))]
pub(crate) fn install() {}

/// Once per process; a value that is no level turns nothing on.
#[cfg(feature = "trace-output")]
pub(crate) fn install() {
    use std::sync::Once;
    use tracing_subscriber::filter::LevelFilter;
    use tracing_subscriber::fmt::format::FmtSpan;
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let level = std::env::var("CODEMODE_NATIVE_TRACE").ok();
        let Some(level) = level.and_then(|level| level.parse::<LevelFilter>().ok()) else {
            return;
        };
        // Fails where the process has a subscriber already, which then gets the spans.
        let _ = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_span_events(FmtSpan::CLOSE)
            .with_writer(std::io::stderr)
            .without_time()
            .try_init();
    });
}
