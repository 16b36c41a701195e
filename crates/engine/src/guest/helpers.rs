//! Members of `tools` that are no tools, `ALL_TOOLS`, and the early end. None of them counts as a call.

use super::calls::parse;
use super::{Function, Guest, Js};
use crate::js::host::Arguments;
use crate::js::{Ctx, Held, Thrown, Value};
use crate::message::{Failure, Tools};
use crate::result;
use std::cell::{Cell, OnceCell, RefCell};

/// Tools that a search gives where the program names no limit.
const DEFAULT_LIMIT: u32 = 10;
/// The most tools that a program can ask a search for.
pub const MAX_SEARCH_RESULTS: u32 = 100;

/// The helper behind a member of `tools`, and its arity.
pub(super) fn find(name: &str) -> Option<(Function, i32)> {
    match name.strip_prefix('$').unwrap_or(name) {
        "search" => Some((Function::Search, 2)),
        "describe" => Some((Function::Describe, 1)),
        "call" => Some((Function::Call, 2)),
        "parallel" => Some((Function::Parallel, 1)),
        _ => None,
    }
}

/// Whether `tools` has a member of this name without a tool of that name.
pub fn is_helper(name: &str) -> bool {
    find(name).is_some()
}

/// The value with which the program ended itself. It stands from the first call of `finish()` on.
#[derive(Default)]
pub(crate) struct EarlyEnd {
    end: RefCell<Option<Finished>>,
    /// What `finish()` throws; the engine shows it to `finally` alone.
    error: OnceCell<Held>,
    /// Promises that it rejected and that nobody awaits: it does not reach the rest of the program by itself.
    loose: Cell<u32>,
}

/// What `finish()` was given.
#[derive(Clone)]
pub(crate) struct Finished {
    /// JSON text and notes, or why the value is none.
    pub(crate) outcome: Result<(String, Vec<String>), Failure>,
    /// Calls made before it; only later ones, of a `finally`, are still waited for.
    pub(crate) calls: u32,
}

impl EarlyEnd {
    pub(crate) fn get(&self) -> Option<Finished> {
        self.end.borrow().clone()
    }

    /// How many calls were made before the program ended itself, where it did.
    pub(crate) fn calls(&self) -> Option<u32> {
        self.end.borrow().as_ref().map(|end| end.calls)
    }

    /// Nobody awaits what ended itself.
    pub(crate) fn is_loose(&self) -> bool {
        self.loose.get() > 0
    }

    pub(super) fn track(&self, handled: bool) {
        let loose = self.loose.get();
        self.loose.set(if handled {
            loose.saturating_sub(1)
        } else {
            loose + 1
        });
    }

    /// Throws what `finish()` throws.
    pub(super) fn throw(&self, ctx: Ctx) -> Thrown {
        match self.error(ctx) {
            Ok(error) => ctx.throw(error),
            Err(thrown) => thrown,
        }
    }

    /// Whether this is what `finish()` throws.
    pub(super) fn is(&self, value: &Value) -> bool {
        value.is_object()
            && self
                .error
                .get()
                .is_some_and(|error| error.address() == value.address())
    }

    fn error(&self, ctx: Ctx) -> Js<Value> {
        if let Some(error) = self.error.get() {
            return Ok(error.value(ctx));
        }
        let error = ctx.error()?;
        error.define(c"message", ctx.string("the program has ended itself")?)?;
        ctx.set_finish_error(&error);
        Ok(self.error.get_or_init(|| Held::new(error)).value(ctx))
    }
}

impl Guest {
    /// Fixes the outcome and throws what only `finally` sees.
    pub(super) fn finish(&self, ctx: Ctx, value: &Value) -> Js<Value> {
        let Some(run) = self.run() else {
            return Err(ctx.throw_stop());
        };
        self.early_end.error(ctx)?;
        if self.early_end.get().is_none() {
            let outcome = result::serialise(ctx, self, &run, value, None);
            let calls = self.calls_made.get();
            // A `toJSON` of the value may have come first.
            let mut end = self.early_end.end.borrow_mut();
            end.get_or_insert(Finished { outcome, calls });
        }
        if self.is_stopped() {
            return Err(ctx.throw_stop());
        }
        Err(self.early_end.throw(ctx))
    }

    /// `ALL_TOOLS`: the same list each time.
    pub(super) fn all_tools(&self, ctx: Ctx) -> Js<Value> {
        if let Some(list) = self.all_tools.get() {
            return Ok(list.value(ctx));
        }
        let list = self.listed(ctx, |tools| tools.all())?;
        Ok(self.all_tools.get_or_init(|| Held::new(list)).value(ctx))
    }

    pub(super) fn search(&self, ctx: Ctx, arguments: &Arguments<'_>) -> Js<Value> {
        let found = read_search(ctx, arguments)
            .and_then(|(query, limit)| self.listed(ctx, |tools| tools.search(&query, limit)));
        self.promised(ctx, found)
    }

    pub(super) fn describe(&self, ctx: Ctx, name: &Value) -> Js<Value> {
        let described = tool_name(ctx, name, "describe")
            .and_then(|name| self.listed(ctx, |tools| tools.describe(&name)));
        self.promised(ctx, described)
    }

    /// `tools.call(name, args)`: a call of that tool, in all respects.
    pub(super) fn call_by_name(&self, ctx: Ctx, arguments: &Arguments<'_>) -> Js<Value> {
        let found = tool_name(ctx, &arguments.get(0), "call").and_then(|name| {
            let called = self.run().and_then(|run| run.tools.called(&name));
            called.ok_or_else(|| self.throw_unknown(ctx, &name))
        });
        match found {
            Ok(tool) => self.make_call(ctx, tool, &arguments.get(1)),
            Err(thrown) => self.promised(ctx, Err(thrown)),
        }
    }

    pub(super) fn parallel(&self, ctx: Ctx, items: &Value) -> Js<Value> {
        let parallel = self.prelude.parallel(ctx)?;
        ctx.call(&parallel, &ctx.undefined(), &[items])
    }

    /// What the tools say of themselves.
    fn listed(
        &self,
        ctx: Ctx,
        ask: impl FnOnce(&dyn Tools) -> Result<String, String>,
    ) -> Js<Value> {
        match self.run().map(|run| ask(&*run.tools)) {
            Some(Ok(json)) => parse(ctx, json),
            Some(Err(message)) => Err(ctx.throw_type_error(&message)),
            None => Err(ctx.throw_stop()),
        }
    }

    fn throw_unknown(&self, ctx: Ctx, name: &str) -> Thrown {
        let message = self.run().map(|run| run.tools.unknown(name));
        ctx.throw_type_error(&message.unwrap_or_default())
    }

    /// A promise of the value; what was thrown rejects it, unless it is a stop.
    fn promised(&self, ctx: Ctx, value: Js<Value>) -> Js<Value> {
        if self.is_stopped() {
            return Err(ctx.throw_stop());
        }
        let settled = value.map_err(|_| ctx.take_exception());
        let (promise, resolve, reject) = ctx.promise()?;
        match settled {
            Ok(value) => ctx.call1(&resolve, &value)?,
            Err(error) => ctx.call1(&reject, &error)?,
        };
        Ok(promise)
    }
}

fn tool_name(ctx: Ctx, name: &Value, helper: &str) -> Js<String> {
    if name.is_string() {
        return name.text();
    }
    Err(ctx.throw_type_error(&format!("tools.{helper}() needs the name of a tool")))
}

/// `search(query, { limit })`, and what models make of it: `search({ query, limit })`.
fn read_search(ctx: Ctx, arguments: &Arguments<'_>) -> Js<(String, u32)> {
    let first = arguments.get(0);
    let (query, options) = if first.is_object() {
        (first.get(c"query")?, first)
    } else {
        (first, arguments.get(1))
    };
    if !query.is_string() {
        return Err(ctx.throw_type_error("tools.search(query, { limit }) needs a text to look for"));
    }
    let limit = if options.is_object() {
        options.get(c"limit")?
    } else {
        ctx.undefined()
    };
    if limit.is_undefined() {
        return Ok((query.text()?, DEFAULT_LIMIT));
    }
    match limit.text()?.parse::<f64>() {
        Ok(limit) if limit >= 1.0 => Ok((
            query.text()?,
            limit.min(f64::from(MAX_SEARCH_RESULTS)) as u32,
        )),
        _ => Err(ctx.throw_range_error(&format!(
            "the limit of tools.search() must be a number from 1 to {MAX_SEARCH_RESULTS}"
        ))),
    }
}
