//! Which programs are compiled on the JavaScript thread.

/// Programs up to this many bytes are compiled on the JavaScript thread.
const SHORT_PROGRAM: usize = 2_000;

/// A bound on the work of parsing and compiling: short, and no Unicode property classes, each of which takes long.
pub(crate) fn is_quickly_compiled(code: &str) -> bool {
    code.len() <= SHORT_PROGRAM && !code.contains("\\p") && !code.contains("\\P")
}
