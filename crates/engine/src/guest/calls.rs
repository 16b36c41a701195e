//! A call of a tool: its arguments as JSON, its number, its promise.

use super::{Guest, Js, Pending};
use crate::js::{Ctx, Held, Value};
use crate::message::{Event, Reply, ToolCall};
use crate::stop::StopReason;

/// So many calls do not wait for the end of the turn: the host begins with them while the guest makes more.
const EARLY_BATCH: usize = 32;

impl Guest {
    /// What happened since the last time, in its order, and then the calls.
    pub(crate) fn take_events(&self) -> Vec<Event> {
        let mut events = self.output.take_events();
        let calls = self.batch.take();
        if !calls.is_empty() {
            events.push(Event::Calls(calls));
        }
        events
    }

    /// Arguments that are not JSON reject the promise and are no call; the call over the limit stops the run.
    pub(super) fn make_call(&self, ctx: Ctx, tool: u32, argument: &Value) -> Js<Value> {
        let Some(run) = self.run() else {
            return Err(ctx.throw_stop());
        };
        if self.early_end.is_loose() {
            return Err(self.early_end.throw(ctx));
        }
        let input = match call_input(ctx, run.limits.max_tool_arg_chars, argument) {
            Ok(input) => input,
            // A stop that came up while the arguments were read is no rejection.
            Err(thrown) if run.stop.reason().is_some() => return Err(thrown),
            Err(_) => {
                let (promise, _, reject) = ctx_promise(ctx)?;
                let error = ctx.take_exception();
                ctx.call1(&reject, &error)?;
                return Ok(promise);
            }
        };
        let made = self.calls_made.get();
        if made >= run.limits.max_tool_calls {
            return Err(self.stop(ctx, StopReason::ToolCalls));
        }
        let (promise, resolve, reject) = ctx.promise()?;
        let id = made + 1;
        self.calls_made.set(id);
        let pending = Pending {
            resolve: Held::new(resolve),
            reject: Held::new(reject),
        };
        self.pending.borrow_mut().insert(id, pending);
        self.batch.borrow_mut().push(ToolCall { id, tool, input });
        if self.batch.borrow().len() >= EARLY_BATCH {
            run.emit(self.take_events());
        }
        Ok(promise)
    }

    /// Settles one call; an unknown or settled id is ignored.
    pub(crate) fn settle(&self, ctx: Ctx, reply: Reply) -> Js<()> {
        let Some(pending) = self.pending.borrow_mut().remove(&reply.id) else {
            return Ok(());
        };
        self.ambient.borrow_mut().settled(reply.id);
        let resolve = pending.resolve.into_value(ctx);
        let reject = pending.reject.into_value(ctx);
        match reply.outcome {
            Ok(json) if json.is_empty() => ctx.call1(&resolve, &ctx.undefined())?,
            Ok(json) => match parse(ctx, json) {
                Ok(value) => ctx.call1(&resolve, &value)?,
                Err(_) if self.is_stopped() => return Ok(()),
                Err(_) => ctx.call1(&reject, &ctx.take_exception())?,
            },
            Err(message) => {
                let error = self.tool_error(ctx, message)?;
                self.rejections.name_error(&error, reply.id);
                ctx.call1(&reject, &error)?
            }
        };
        Ok(())
    }

    /// An `Error` with the name `ToolError` and the message alone.
    fn tool_error(&self, ctx: Ctx, message: String) -> Js<Value> {
        let error = ctx.error()?;
        if let Some(prototype) = &*self.tool_error_prototype.borrow() {
            error.set_prototype(&prototype.value(ctx))?;
        }
        error.define(c"message", parse(ctx, message)?)?;
        Ok(error)
    }
}

fn call_input(ctx: Ctx, max_chars: u64, argument: &Value) -> Js<String> {
    if argument.is_undefined() {
        return Ok("{}".into());
    }
    let json = ctx.stringify(argument)?;
    if json.is_undefined() {
        return Err(ctx.throw_type_error("the arguments of a tool call must be JSON"));
    }
    let length = json.string_length()? as u64;
    if length > max_chars {
        return Err(ctx.throw_range_error(&format!(
            "the arguments are {length} characters of JSON, more than maxToolArgChars ({max_chars})"
        )));
    }
    json.text()
}

fn ctx_promise(ctx: Ctx) -> Js<(Value, Value, Value)> {
    // The pending exception must survive: the constructor of a promise runs no script.
    let error = ctx.take_exception();
    let made = ctx.promise()?;
    ctx.throw(error);
    Ok(made)
}

pub(super) fn parse(ctx: Ctx, json: String) -> Js<Value> {
    let mut bytes = json.into_bytes();
    bytes.push(0);
    ctx.parse_json(&bytes)
}
