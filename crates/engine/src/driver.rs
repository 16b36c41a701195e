//! The turns of a guest: begin, deliver settlements one at a time with all jobs drained between, read the end.

use crate::failure;
use crate::guest::Guest;
use crate::inline::Pace;
use crate::js::compiler::{CompileError, Compiler};
use crate::js::{Entered, Held, Job, PromiseState, Thrown, Value};
use crate::message::{End, Event, Failure, FailureCode, Reply};
use crate::programs::{Programs, Ready};
use crate::realm::Realm;
use crate::result;
use crate::run::{Fresh, Parked, Run};
use crate::stop::StopReason;
use std::sync::Arc;

/// What a turn led to.
pub(crate) enum Turn {
    /// The guest waits for replies; the events of the turn are still to be delivered.
    Waiting(Box<Parked>, Vec<Event>),
    /// The run is over; `finish` was not called yet. The realm is to be dropped after it.
    Over(Option<Realm>, Vec<Event>, End),
}

/// A program that can start.
pub(crate) struct Compiled {
    ready: Ready,
    ambient: crate::Ambient,
}

/// A program that was compiled before.
pub(crate) fn recall(
    run: &Run,
    fresh: Box<Fresh>,
    programs: &Programs,
) -> Result<Compiled, Box<Fresh>> {
    if run.stop.reason().is_some() {
        return Err(fresh);
    }
    match fresh.key.as_deref().and_then(|key| programs.get(key)) {
        Some(ready) => Ok(Compiled {
            ready,
            ambient: fresh.ambient,
        }),
        None => Err(fresh),
    }
}

/// Prepares and compiles a program, and keeps it. The failure is the outcome of a run that ends here.
pub(crate) fn compile(
    run: &Arc<Run>,
    fresh: Fresh,
    compiler: &mut Compiler,
    programs: &Programs,
) -> Result<Compiled, Failure> {
    let Fresh {
        prepare,
        key,
        ambient,
    } = fresh;
    if let Some(reason) = run.stop.reason() {
        return Err(failure::stopped(run, reason, 0));
    }
    let program = prepare()?;
    run.set_attention(Some(compiler.attention()));
    let compiled = compiler.compile(&program.text, program.first_line);
    run.set_attention(None);
    let bytecode = match compiled {
        Ok(bytecode) => bytecode,
        Err(CompileError::Syntax(error)) => return Err(failure::syntax(error, &program)),
        Err(CompileError::Stopped) => {
            run.look();
            // Without a reason it was the watchdog, which found the CPU time used up.
            run.stop_from_inside(StopReason::CpuTimeout);
            let reason = run.stop.reason().unwrap_or(StopReason::CpuTimeout);
            return Err(failure::stopped(run, reason, 0));
        }
    };
    let ready = Ready {
        program: Arc::new(program),
        bytecode: bytecode.into(),
    };
    if let Some(key) = key {
        programs.put(key, ready.clone());
    }
    Ok(Compiled { ready, ambient })
}

/// The end of a run that could not start.
pub(crate) fn unstarted(run: &Run, failure: Failure) -> Turn {
    Turn::Over(None, Vec::new(), plain_end(run, Err(failure)))
}

/// Starts a program and takes it to its first wait. As with `resume`, nothing here belongs to the thread.
pub(crate) fn start(run: &Arc<Run>, compiled: Compiled, mut realm: Realm) -> Turn {
    let Compiled {
        ready: Ready { program, bytecode },
        ambient,
    } = compiled;
    realm.adopt(run.clone(), ambient);
    run.set_attention(Some(realm.runtime().attention()));
    realm.guest().begin_turn();
    let main = realm.runtime().enter(|entered| {
        let main = entered
            .ctx
            .evaluate(&bytecode)
            .and_then(|function| entered.ctx.call(&function, &entered.ctx.undefined(), &[]));
        match main {
            Ok(main) => {
                drain(entered, run, &main);
                Ok(Held::new(main))
            }
            Err(Thrown) => {
                let error = entered.ctx.take_exception();
                Err(failure::thrown(entered.ctx, &error, Some(&program)))
            }
        }
    });
    match main {
        Ok(main) => conclude(
            run,
            Box::new(Parked {
                realm,
                main,
                program,
                pace: Pace::default(),
            }),
        ),
        Err(thrown) => {
            if realm.was_refused() {
                run.stop_from_inside(StopReason::Memory);
            }
            // A stop wins over whatever the guest threw.
            let used = realm.guest().output.used();
            let stopped = run
                .stop
                .reason()
                .map(|reason| failure::stopped(run, reason, used));
            let end = end_of(run, &mut realm, Err(stopped.unwrap_or(thrown)), None);
            let events = realm.guest().take_events();
            Turn::Over(Some(realm), events, end)
        }
    }
}

/// Delivers replies in their order of arrival. Holds nothing that belongs to the thread: a turn may change threads.
pub(crate) fn resume(run: &Arc<Run>, mut parked: Box<Parked>, replies: Vec<Reply>) -> Turn {
    parked.realm.guest().begin_turn();
    let Parked { realm, main, .. } = &mut *parked;
    realm.runtime().enter(|entered| {
        let main = main.value(entered.ctx);
        for reply in replies {
            if run.stop.reason().is_some() || main.promise_state() != PromiseState::Pending {
                break;
            }
            // Who ended itself waits for nothing but what its `finally` blocks asked for.
            if entered
                .host
                .early_end
                .calls()
                .is_some_and(|calls| reply.id <= calls)
            {
                continue;
            }
            if entered.host.settle(entered.ctx, reply).is_err() {
                drop(entered.ctx.take_exception());
            }
            drain(entered, run, &main);
        }
    });
    conclude(run, parked)
}

/// Runs jobs until none is left, the main promise is settled, or the run is stopped.
fn drain(entered: &Entered<'_, Guest>, run: &Run, main: &Value) {
    loop {
        if run.stop.reason().is_some() || main.promise_state() != PromiseState::Pending {
            return;
        }
        match entered.run_job() {
            Job::None => return,
            Job::Done => {}
            Job::Threw => drop(entered.ctx.take_exception()),
        }
    }
}

fn conclude(run: &Arc<Run>, mut parked: Box<Parked>) -> Turn {
    if parked.realm.was_refused() {
        run.stop_from_inside(StopReason::Memory);
    }
    if run.cpu_is_over(parked.realm.guest().turn_cpu()) {
        run.stop_from_inside(StopReason::CpuTimeout);
    }
    let outcome = outcome(run, &mut parked);
    let events = parked.realm.guest().take_events();
    let Some((outcome, notes)) = outcome else {
        let turn = parked.realm.guest().turn_cpu();
        run.add_cpu(turn);
        let heap = parked.realm.heap_bytes();
        parked.pace = parked.pace.after(turn, heap);
        return Turn::Waiting(parked, events);
    };
    let Parked {
        mut realm,
        main,
        program,
        ..
    } = *parked;
    let notes = notes
        .into_iter()
        .chain(program.notes.iter().cloned())
        .collect();
    let unhandled = outcome.is_ok().then_some((main, notes));
    let end = end_of(run, &mut realm, outcome, unhandled);
    Turn::Over(Some(realm), events, end)
}

type Outcome = (Result<String, Failure>, Vec<String>);

/// The outcome, where there is one by now.
fn outcome(run: &Arc<Run>, parked: &mut Parked) -> Option<Outcome> {
    let Parked {
        realm,
        main,
        program,
        ..
    } = parked;
    let read = realm.runtime().enter(|entered| {
        let ctx = entered.ctx;
        if run.stop.reason().is_some() {
            let early = entered.host.early_end.get();
            return early.and_then(|end| Some((Err(end.outcome.err()?), Vec::new())));
        }
        let main = main.value(ctx);
        if entered.host.early_end.calls().is_some() {
            return early(entered, run, &main);
        }
        match main.promise_state() {
            PromiseState::Pending if entered.host.pending.borrow().is_empty() => {
                Some((Err(stalled()), Vec::new()))
            }
            PromiseState::Pending => None,
            PromiseState::Rejected => {
                let failure = failure::thrown(ctx, &main.promise_result(), Some(program));
                Some((Err(failure), Vec::new()))
            }
            PromiseState::Fulfilled | PromiseState::NotAPromise => {
                let value = main.promise_result();
                let read = result::serialise(ctx, entered.host, run, &value, Some(program));
                // A `toJSON` may have ended the program.
                early(entered, run, &main).or_else(|| Some(told(read)))
            }
        }
    });
    if realm.was_refused() {
        run.stop_from_inside(StopReason::Memory);
    }
    // A stop wins over whatever the guest produced meanwhile.
    match (run.stop.reason(), read) {
        (Some(StopReason::Output), Some((Err(failure), notes))) => Some((Err(failure), notes)),
        (Some(reason), _) => {
            let used = realm.guest().output.used();
            Some((Err(failure::stopped(run, reason, used)), Vec::new()))
        }
        (None, read) => read,
    }
}

fn told(read: Result<(String, Vec<String>), Failure>) -> Outcome {
    match read {
        Ok((json, notes)) => (Ok(json), notes),
        Err(failure) => (Err(failure), Vec::new()),
    }
}

/// The outcome of a program that ended itself, once its `finally` blocks wait for nothing any more.
fn early(entered: &Entered<'_, Guest>, run: &Run, main: &Value) -> Option<Outcome> {
    let host = entered.host;
    let end = host.early_end.get()?;
    let passed = main.promise_state() != PromiseState::Pending || host.early_end.is_loose();
    let cleaning = host.pending.borrow().keys().any(|id| *id > end.calls);
    (passed || !cleaning).then(|| told(result::admit(host, run, end.outcome)))
}

fn stalled() -> Failure {
    Failure::new(
        FailureCode::ScriptError,
        "StalledError",
        "the program waits for a promise that nothing can settle: no tool call is running and there are no timers",
    )
}

fn end_of(
    run: &Run,
    realm: &mut Realm,
    outcome: Result<String, Failure>,
    completed: Option<(Held, Vec<String>)>,
) -> End {
    let peak = realm.peak_bytes();
    let (unhandled, more) = match completed {
        Some((main, notes)) => {
            let (calls, mut more) = realm
                .runtime()
                .enter(|entered| failure::unhandled(entered.ctx, entered.host, main.address()));
            more.splice(0..0, notes);
            (calls, more)
        }
        None => (Vec::new(), Vec::new()),
    };
    run.add_cpu(realm.guest().turn_cpu());
    End {
        tool_calls: realm.guest().calls_made.get(),
        peak_memory_bytes: peak,
        unhandled,
        notes: more,
        journal: realm.guest().ambient.borrow().journal().to_vec(),
        ..plain_end(run, outcome)
    }
}

/// The end of a run that never had a realm.
pub(crate) fn plain_end(run: &Run, outcome: Result<String, Failure>) -> End {
    End {
        outcome,
        tool_calls: 0,
        cpu_ms: run.cpu().as_secs_f64() * 1e3,
        wall_ms: run.started.elapsed().as_secs_f64() * 1e3,
        peak_memory_bytes: 0,
        unhandled: Vec::new(),
        notes: Vec::new(),
        journal: Vec::new(),
    }
}
