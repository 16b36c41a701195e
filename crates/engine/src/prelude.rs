//! The few helpers that are JavaScript: compiled once per process, evaluated in a realm when first used.

use crate::js::compiler::Compiler;
use crate::js::{Ctx, Held, Thrown, Value};
use std::cell::OnceCell;
use std::sync::OnceLock;

/// Helpers of one realm.
#[derive(Default)]
pub(crate) struct Prelude {
    inspect: OnceCell<Held>,
    structured_clone: OnceCell<Held>,
    parallel: OnceCell<Held>,
}

/// A helper's text and, once somebody needed it, its bytecode.
pub(crate) struct Script {
    text: &'static str,
    bytecode: OnceLock<Vec<u8>>,
}

static INSPECT: Script = Script::new(include_str!("prelude/inspect.js"));
static STRUCTURED_CLONE: Script = Script::new(include_str!("prelude/structured-clone.js"));
static PARALLEL: Script = Script::new(include_str!("prelude/parallel.js"));
/// Run in every realm with typed arrays.
pub(crate) static TYPED_ARRAYS: Script = Script::new(include_str!("prelude/typed-arrays.js"));

impl Script {
    const fn new(text: &'static str) -> Self {
        Self {
            text,
            bytecode: OnceLock::new(),
        }
    }

    /// Evaluates the script in the realm of `ctx`.
    pub(crate) fn evaluate(&self, ctx: Ctx) -> Result<Value, Thrown> {
        let bytecode = self.bytecode.get_or_init(|| {
            let compiled = Compiler::new().map(|mut compiler| compiler.compile(self.text, 1));
            match compiled {
                Some(Ok(bytecode)) => bytecode,
                // Only without memory: the texts are fixed, and a test evaluates each.
                Some(Err(_)) | None => Vec::new(),
            }
        });
        ctx.evaluate(bytecode)
    }
}

impl Prelude {
    pub(crate) fn inspect(&self, ctx: Ctx) -> Result<Value, Thrown> {
        Self::helper(&self.inspect, &INSPECT, ctx)
    }

    pub(crate) fn structured_clone(&self, ctx: Ctx) -> Result<Value, Thrown> {
        Self::helper(&self.structured_clone, &STRUCTURED_CLONE, ctx)
    }

    pub(crate) fn parallel(&self, ctx: Ctx) -> Result<Value, Thrown> {
        Self::helper(&self.parallel, &PARALLEL, ctx)
    }

    fn helper(cell: &OnceCell<Held>, script: &Script, ctx: Ctx) -> Result<Value, Thrown> {
        if let Some(held) = cell.get() {
            return Ok(held.value(ctx));
        }
        let value = script.evaluate(ctx)?;
        Ok(cell.get_or_init(|| Held::new(value)).value(ctx))
    }
}
