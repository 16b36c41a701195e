//! Every bound of this crate. Lengths are bytes of UTF-8 unless a name says otherwise.

/// Longest schema text that is read; a longer one is declared as `unknown`.
pub const MAX_SCHEMA_BYTES: usize = 2_000_000;
/// Most subschemas and literal values one schema may hold once its references are copied.
pub const MAX_SCHEMA_NODES: usize = 200_000;
/// Deepest nesting of a schema, counted along its longest chain of references.
pub const MAX_SCHEMA_DEPTH: usize = 200;
/// Longest printed type of one argument or result.
pub const MAX_TYPE_BYTES: usize = 1_000_000;
/// Characters of one description in a signature; the rest becomes `…`.
pub const MAX_DESCRIPTION_CHARS: usize = 300;
/// Characters of one description in a listing that would take more than half of its budget.
pub const MAX_SHORT_DESCRIPTION_CHARS: usize = 90;
/// Characters of one description where a single tool is described in full.
pub const MAX_FULL_DESCRIPTION_CHARS: usize = 20_000;
/// Deepest nesting of arguments that are validated.
pub const MAX_INPUT_DEPTH: usize = 200;
/// Most steps a validator may take for one call, estimated before it runs.
pub const MAX_VALIDATION_STEPS: u64 = 5_000_000;
/// Backtracking steps of one regular expression with look-around.
pub const MAX_BACKTRACKS: usize = 50_000;
/// Problems named in one validation failure.
pub const MAX_PROBLEMS: usize = 5;
/// Characters of one validation failure.
pub const MAX_PROBLEM_CHARS: usize = 1_000;
/// Characters of a search query that are read.
pub const MAX_QUERY_CHARS: usize = 500;
/// Words of one tool that are indexed.
pub const MAX_INDEXED_WORDS: usize = 2_000;
/// Deepest nesting of checks within checks that a validator may need for one call.
pub const MAX_VALIDATION_DEPTH: usize = 1_000;
