//! `console.*` and `text()`: arguments to one line.

use super::{Guest, Js};
use crate::js::host::Arguments;
use crate::js::{Ctx, Value};
use crate::stop::StopReason;

impl Guest {
    /// Arguments joined by one space; there are no format specifiers.
    pub(super) fn log(&self, ctx: Ctx, prefix: &str, arguments: &Arguments<'_>) -> Js<Value> {
        let line = self.line(ctx, prefix, arguments)?;
        let admitted = self.output.log(line);
        self.said(ctx, admitted)
    }

    pub(super) fn text(&self, ctx: Ctx, arguments: &Arguments<'_>) -> Js<Value> {
        let line = self.line(ctx, "", arguments)?;
        let admitted = self.output.say(line);
        self.said(ctx, admitted)
    }

    fn said(&self, ctx: Ctx, admitted: bool) -> Js<Value> {
        if !admitted {
            return Err(self.stop(ctx, StopReason::Output));
        }
        if self.output.is_due() {
            self.flush();
        }
        Ok(ctx.undefined())
    }

    fn line(&self, ctx: Ctx, prefix: &str, arguments: &Arguments<'_>) -> Js<String> {
        let mut line = String::from(prefix);
        for index in 0..arguments.len() {
            if index > 0 {
                line.push(' ');
            }
            line.push_str(&self.format(ctx, &arguments.get(index))?);
        }
        Ok(line)
    }

    fn format(&self, ctx: Ctx, value: &Value) -> Js<String> {
        if value.is_symbol() {
            // `String(symbol)` is legal where the implicit conversion is not.
            let text = self.prelude.inspect(ctx)?;
            return ctx.call(&text, &ctx.undefined(), &[value])?.text();
        }
        if !value.is_object() {
            return value.text();
        }
        let inspect = self.prelude.inspect(ctx)?;
        ctx.call(&inspect, &ctx.undefined(), &[value])?.text()
    }
}
