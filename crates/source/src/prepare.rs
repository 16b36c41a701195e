//! The whole way from text to program.

use std::cell::RefCell;

use oxc_allocator::Allocator;
use oxc_ast::ast::{FunctionBody, Program};

use crate::{
    depth::{self, Depth},
    error::{Fault, SourceError},
    facts::{self, Facts},
    forms::{self, Plan},
    guard, hints,
    inspect::{self, Found},
    intake, jsx,
    parse::{self, Complaint, PREFIX, PREFIX_LEN, Reading, SUFFIX},
    patch::{Insertions, Patch},
    positions::Positions,
    strip::{self, DefaultExport},
    trivia,
};

/// A program the engine can compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// One parenthesised async arrow function expression without parameters: `(async () => {BODY\n})`. Its first
    /// line is the model's first line.
    pub program: String,
    /// The number the engine must give to the first line of `program` so that its lines are the model's: always 1.
    pub first_line: i32,
    /// What the model should be told whatever the run gives, each one sentence without a `note: ` in front.
    pub notes: Vec<String>,
    /// Names used as `tools.name`, `tools["name"]` or taken from `tools` by destructuring, in order of appearance.
    pub planned_tools: Vec<String>,
    /// The way back to the model's text.
    pub positions: Positions,
}

impl Prepared {
    /// The model's own line and column (UTF-16 code units) for a place in `program`; all 1-based. `column` counts
    /// bytes of UTF-8, as the engine does. Places outside the model's text give its nearest place.
    pub fn original(&self, line: u32, column: u32) -> (u32, u32) {
        self.positions.original(&self.program, line, column)
    }
}

/// Bounds up to this one are parsed on the calling thread.
const SHALLOW: u32 = 300;
/// Stack of the thread that parses the others: some 20 KiB for each step the bound allows.
const DEEP_STACK: usize = 64 << 20;
/// A parser's memory larger than this is given back after use.
const KEPT_MEMORY: usize = 1 << 20;

thread_local! {
    static ALLOCATOR: RefCell<Allocator> = RefCell::new(Allocator::default());
}

/// Makes a program of the model's text, or says why it is none. Needs 1 MiB of stack at most, whatever the text.
pub fn prepare(text: &str) -> Result<Prepared, SourceError> {
    prepare_as(text, Mode::Run).map(|(prepared, _)| prepared)
}

/// What a text is prepared for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// To run; nothing is found.
    Run,
    /// To be looked at too.
    Inspect,
}

type Built = (Prepared, Found);

/// `prepare`, and what an inspection finds; offsets of its remarks count in the model's text.
pub(crate) fn prepare_as(text: &str, mode: Mode) -> Result<Built, SourceError> {
    let source = intake::without_mark(text);
    attempt(source, mode).map_err(|fault| fault.into_error(source))
}

fn attempt(source: &str, mode: Mode) -> Result<Built, Fault> {
    let code = intake::read(source)?;
    let depth = depth::measure(&code);
    if let Some((at, why)) = depth.passed {
        return Err(
            Fault::new(at, why).hint("Split it into shorter statements, each ended with `;`.")
        );
    }
    if depth.bound <= SHALLOW {
        return with_allocator(|allocator| {
            build(&Job {
                allocator,
                source,
                code: &code,
                depth: &depth,
                mode,
            })
        });
    }
    std::thread::scope(|scope| {
        let work = || {
            let allocator = &Allocator::default();
            build(&Job {
                allocator,
                source,
                code: &code,
                depth: &depth,
                mode,
            })
        };
        let thread = std::thread::Builder::new()
            .stack_size(DEEP_STACK)
            .spawn_scoped(scope, work);
        let unable = || {
            Fault::new(
                0,
                "the program could not be parsed: the host gave no thread for it",
            )
        };
        thread.map_err(|_| unable())?.join().map_err(|_| unable())?
    })
}

fn with_allocator<T>(work: impl FnOnce(&Allocator) -> T) -> T {
    ALLOCATOR.with(|cell| match cell.try_borrow_mut() {
        Ok(mut allocator) => {
            let result = work(&allocator);
            if allocator.capacity() > KEPT_MEMORY {
                *allocator = Allocator::default();
            } else {
                allocator.reset();
            }
            result
        }
        Err(_) => work(&Allocator::default()),
    })
}

/// Source in the wrapper, and how it came from the original.
struct Wrapped {
    text: String,
    insertions: Insertions,
    default_export: Option<DefaultExport>,
}

impl Wrapped {
    fn plain(code: &str) -> Self {
        let text = [PREFIX, code, SUFFIX].concat();
        Self {
            text,
            insertions: Insertions::default(),
            default_export: None,
        }
    }

    /// An offset of the wrapped text as one of the original.
    fn origin(&self, at: u32) -> u32 {
        self.insertions.origin(at.saturating_sub(PREFIX_LEN))
    }

    fn origin_of(&self, mut fault: Fault) -> Fault {
        fault.at = self.origin(fault.at);
        fault
    }
}

/// What every step works on.
struct Job<'j> {
    allocator: &'j Allocator,
    /// The model's text without a byte order mark.
    source: &'j str,
    /// The same, as it is parsed.
    code: &'j str,
    depth: &'j Depth,
    mode: Mode,
}

fn build(job: &Job<'_>) -> Result<Built, Fault> {
    let &Job {
        allocator, code, ..
    } = job;
    let plain = Wrapped::plain(code);
    let first = match parse::parse(allocator, &plain.text, Reading::JavaScript) {
        Ok(program) => {
            let facts = examine(&plain, &program)?;
            if facts.is_module {
                let strip = strip::strip(&plain.text, PREFIX_LEN, code, &program)?;
                return build_stripped(job, &wrap(strip));
            }
            if !facts.maybe_types {
                return finish(job, &plain, &program, &facts);
            }
            match strip_types(allocator, code, &plain.text) {
                Ok(Some(stripped)) => return build_stripped(job, &stripped),
                _ => return finish(job, &plain, &program, &facts),
            }
        }
        Err(complaint) => complaint,
    };
    let stripped = read_as_typescript(job, &plain.text, first)?;
    build_stripped(job, &stripped)
}

/// Second parse: what was stripped must be JavaScript, in the wrapper, by itself.
fn build_stripped(job: &Job<'_>, stripped: &Wrapped) -> Result<Built, Fault> {
    match parse::parse(job.allocator, &stripped.text, Reading::JavaScript) {
        Ok(program) => {
            let facts = examine(stripped, &program)?;
            if facts.is_module {
                return Err(Fault::new(0, "`import` and `export` do not work here"));
            }
            finish(job, stripped, &program, &facts)
        }
        Err(complaint) => {
            let at = stripped.origin(complaint.at);
            Err(hints::explain(
                job.code,
                &Complaint { at, ..complaint },
                job.depth,
            ))
        }
    }
}

/// The source without types, if it has any; the complaint if it is no TypeScript.
fn strip_types(
    allocator: &Allocator,
    code: &str,
    text: &str,
) -> Result<Option<Wrapped>, Result<Fault, Complaint>> {
    let program = parse::parse(allocator, text, Reading::TypeScript).map_err(Err)?;
    if parse::body_of(&program).is_err() {
        return Ok(None);
    }
    let strip = strip::strip(text, PREFIX_LEN, code, &program).map_err(Ok)?;
    Ok(strip.patch.is_touched().then(|| wrap(strip)))
}

fn wrap(strip: strip::Strip<'_>) -> Wrapped {
    let (text, insertions) = strip.patch.finish(PREFIX, SUFFIX);
    Wrapped {
        text,
        insertions,
        default_export: strip.default_export,
    }
}

fn read_as_typescript(job: &Job<'_>, text: &str, first: Complaint) -> Result<Wrapped, Fault> {
    let &Job {
        allocator,
        code,
        depth,
        ..
    } = job;
    let second = match strip_types(allocator, code, text) {
        Ok(Some(stripped)) => return Ok(stripped),
        Err(Ok(fault)) => return Err(fault),
        Ok(None) => None,
        Err(Err(complaint)) => Some(complaint),
    };
    if let Some(read) = read_as_module(allocator, code, 0) {
        return read;
    }
    let lead = trivia::skip(code, 0, code.len() as u32);
    let head = code.get(lead as usize..).unwrap_or_default();
    if ["function", "async", "class"]
        .iter()
        .any(|word| head.starts_with(word))
    {
        // `async function () { ... }` alone is an expression nobody put in parentheses.
        let exported = ["export default ", code].concat();
        if let Some(read) = read_as_module(allocator, &exported, "export default ".len()) {
            return read;
        }
    }
    if let Some(fault) = jsx::find(allocator, text) {
        return Err(fault);
    }
    let mut complaint = match second {
        Some(second) => strip::further(first, second),
        None => first,
    };
    complaint.at = complaint.at.saturating_sub(PREFIX_LEN);
    Err(hints::explain(code, &complaint, depth))
}

/// Reads a text with exports as a module; `skip` bytes at its start are ours. None if it is no module.
fn read_as_module(
    allocator: &Allocator,
    text: &str,
    skip: usize,
) -> Option<Result<Wrapped, Fault>> {
    let program = parse::parse(allocator, text, Reading::Module).ok()?;
    let code = text.get(skip..).unwrap_or_default();
    Some(strip::strip(text, skip as u32, code, &program).map(wrap))
}

/// The checks every program passes: the wrapper holds, and nothing in it is forbidden.
fn examine(wrapped: &Wrapped, program: &Program<'_>) -> Result<Facts, Fault> {
    let body = parse::body_of(program).map_err(|at| {
        let message = "a closing bracket without its opening one ends the program early";
        wrapped.origin_of(Fault::new(at, message))
    })?;
    let look = guard::is_needed(&wrapped.text);
    let mut facts = facts::gather(body, look);
    if let Some((at, fault)) = facts.fault.take() {
        return Err(wrapped.origin_of(Fault { at, ..fault }));
    }
    if look {
        guard::examine(&wrapped.text, &program.comments, &facts.literals)
            .map_err(|fault| wrapped.origin_of(fault))?;
    }
    Ok(facts)
}

fn finish(
    job: &Job<'_>,
    wrapped: &Wrapped,
    program: &Program<'_>,
    facts: &Facts,
) -> Result<Built, Fault> {
    let body =
        parse::body_of(program).map_err(|at| Fault::new(wrapped.origin(at), "Unexpected `}`"))?;
    let default_export = wrapped.default_export.as_ref().map(|export| match export {
        DefaultExport::Expression(at) => {
            DefaultExport::Expression(wrapped.insertions.moved(*at) + PREFIX_LEN)
        }
        DefaultExport::Function(name) => DefaultExport::Function(name.clone()),
    });
    let plan = forms::plan(body, facts, default_export.as_ref());
    let found = match job.mode {
        Mode::Run => Found::default(),
        Mode::Inspect => inspect_body(body, &plan, wrapped),
    };
    let mut steps = Vec::new();
    let text = if plan.inserts.is_empty() {
        wrapped.text.clone()
    } else {
        let mut patch = Patch::new(&wrapped.text);
        for (at, text) in plan.inserts {
            patch.insert(at, text);
        }
        let (text, insertions) = patch.finish("", "");
        steps.push(insertions);
        text
    };
    steps.push(Insertions::shift(PREFIX_LEN));
    steps.push(wrapped.insertions.clone());
    let prepared = Prepared {
        program: text,
        first_line: 1,
        notes: plan.notes,
        planned_tools: facts.tools.clone(),
        positions: Positions::new(job.source, steps),
    };
    Ok((prepared, found))
}

fn inspect_body(body: &FunctionBody<'_>, plan: &Plan, wrapped: &Wrapped) -> Found {
    let origin = |at| wrapped.origin(at);
    let mut found = inspect::look(body, &plan.returned, plan.called.as_deref(), &origin);
    for (at, _) in &mut found.remarks {
        *at = origin(*at);
    }
    found
}
