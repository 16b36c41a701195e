//! What only programs of a session find: `store()`, `load()` and `yield_control()`.

use super::{Function, Guest, Js};
use crate::ambient::SessionValues;
use crate::js::host::Arguments;
use crate::js::{Ctx, Entered, Value};

/// Gives the realm of a session's program its functions; other realms never pay for them.
pub(crate) fn furnish(entered: &Entered<'_, Guest>) -> Js<()> {
    let global = entered.ctx.global();
    let functions = [
        (c"store", "store", 2, Function::Store),
        (c"load", "load", 1, Function::Load),
        (c"yield_control", "yield_control", 0, Function::YieldControl),
    ];
    for (key, name, length, function) in functions {
        global.define(key, entered.function(name, length, function as i32)?)?;
    }
    Ok(())
}

impl Guest {
    /// `store(key, value)`: JSON under a key; `undefined` removes the key.
    pub(super) fn store(&self, ctx: Ctx, arguments: &Arguments<'_>) -> Js<Value> {
        let key = key(ctx, "store", &arguments.get(0))?;
        let value = arguments.get(1);
        let json = if value.is_undefined() {
            None
        } else {
            let json = ctx.stringify(&value)?;
            if json.is_undefined() {
                return Err(ctx.throw_type_error("store: the value must be JSON"));
            }
            Some(json.text()?)
        };
        let stored = self
            .with_session(|session| session.set(&key, json.clone()))
            .unwrap_or(Ok(false));
        match stored {
            Ok(was_there) => self.output.stored(key, json, was_there),
            Err(full) => {
                return Err(ctx.throw_range_error(&format!(
                    "store: the session would keep {} characters, more than maxStoreChars ({})",
                    full.needed, full.limit
                )));
            }
        }
        Ok(ctx.undefined())
    }

    /// `load(key)`: a copy of what was stored, or undefined.
    pub(super) fn load(&self, ctx: Ctx, arguments: &Arguments<'_>) -> Js<Value> {
        let key = key(ctx, "load", &arguments.get(0))?;
        let json = self.with_session(|session| session.get(&key).map(str::to_owned));
        match json.flatten() {
            Some(json) => super::calls::parse(ctx, json),
            None => Ok(ctx.undefined()),
        }
    }

    /// Lets whoever watches the program see what there is; the program goes on.
    pub(super) fn yield_control(&self, ctx: Ctx) -> Value {
        if self.output.yielded() {
            self.flush();
        }
        ctx.undefined()
    }

    /// Sends what was said so far, in the middle of a turn.
    pub(super) fn flush(&self) {
        if let Some(run) = self.run() {
            run.emit(self.output.take_events());
        }
    }

    fn with_session<T>(&self, act: impl FnOnce(&mut SessionValues) -> T) -> Option<T> {
        self.ambient.borrow_mut().session_mut().map(act)
    }
}

fn key(ctx: Ctx, function: &str, value: &Value) -> Js<String> {
    if value.is_string() {
        return value.text();
    }
    Err(ctx.throw_type_error(&format!("{function}: the key must be a string")))
}
