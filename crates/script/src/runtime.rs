//! Event loop of the scripts' thread: one `QuickJS` runtime with its limits.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc;

use indexmap::IndexMap;
use rquickjs::context::EvalOptions;
use rquickjs::{
    CatchResultExt, CaughtError, Coerced, Context, Ctx, Error, Exception, Function, Object,
    Persistent, Runtime, Value,
};

use super::bindings::{self, Host};
use super::error::{ScriptError, ScriptFault, ScriptPlace};
use super::job::{Job, Reply, Request, Script, Stop, out_of_time};
use super::options::ScriptOptions;

/// Memory of all scripts of an attempt, in bytes. Chosen; docs/reference/javascript.md and an error name it.
const MAX_MEMORY_BYTES: usize = 64 << 20;
/// Stack of a script, in bytes. Chosen: deep recursion fits, and an endless one is an error instead of a
/// crash.
pub(super) const MAX_STACK_BYTES: usize = 1 << 20;
/// Number of promise jobs that run after a script. Chosen: more is an endless loop.
const MAX_JOBS: usize = 100_000;
/// Number of promise jobs that run even if the script has to stop. Chosen: lets `finally` blocks run, in no
/// noticeable time.
const JOBS_AFTER_STOP: usize = 1000;
/// Code before a script file. Columns in its first line are shifted by its length.
pub(super) const BEFORE_FILE: &str = "(function(){";
/// Message of an error in the code behind a file, which the file's author does not see.
const ENDS_TOO_EARLY: &str =
    "SyntaxError: the script ends too early, or closes a bracket that it did not open";
/// Name under which the engine reports a script that is not a file.
const EXPRESSION: &str = "<input>";

/// Functions that `prelude.js` returns.
struct Prelude<'js> {
    /// Sets the variables, and removes the globals that the last script left.
    prepare: Function<'js>,
    /// Runs an expression.
    run: Function<'js>,
    /// Converts a value to a text.
    show: Function<'js>,
}

/// Runs requests one after the other, in one JavaScript context, until all senders are dropped. If the engine cannot
/// start, it returns, which the sender sees as a closed channel. Each request is answered with its result and log. A
/// rejected promise that nothing catches fails its script, and an interruption always does. Promise jobs that do not
/// end fail their script as a timeout; later scripts run no promise jobs.
pub(super) fn serve(options: &ScriptOptions, requests: &mpsc::Receiver<Request>) {
    let Ok((runtime, context)) = make() else {
        // The closed channel tells the caller.
        return;
    };
    let rejections = Rejections::track(&runtime);
    let stop: Rc<RefCell<Option<Stop>>> = Rc::default();
    let requested = Rc::clone(&stop);
    runtime.set_interrupt_handler(Some(Box::new(move || {
        requested.borrow().as_ref().is_some_and(Stop::is_now)
    })));
    context.with(|ctx| {
        let host = Rc::new(Host::new(options, Rc::clone(&stop)));
        let Ok(parts) = prelude(&ctx, &host, options) else {
            return;
        };
        let mut has_endless_jobs = false;
        while let Ok(request) = requests.recv() {
            *stop.borrow_mut() = Some(request.stop.clone());
            let mut result = run(&ctx, &parts, &request.job);
            let mut is_endless = false;
            // Endless jobs cannot be removed from the runtime, so later scripts do not run any.
            if !has_endless_jobs {
                is_endless = !run_jobs(&ctx, &request.stop);
                has_endless_jobs = is_endless;
            }
            // An unhandled rejection says more than the script's result.
            if let Some(reason) = rejections.take(&ctx) {
                let mut error = explain(reason, &request.job.script, BEFORE_FILE.len());
                error
                    .message
                    .push_str(" (a promise was rejected, and nothing caught it)");
                result = Err(error);
            }
            if is_endless {
                result = Err(out_of_time());
            }
            // A script can catch the interruption or throw something else because of it.
            if request.stop.is_now() {
                result = Err(request.stop.error());
            }
            *stop.borrow_mut() = None;
            let reply: Reply = (result, host.take_log());
            // Fails if the caller gave up waiting.
            let _ = request.reply.send(reply);
        }
    });
}

type PersistentValue = Persistent<Value<'static>>;

/// Promises that were rejected and not handled since, each with its reason. The promises are kept alive, so
/// that no new one gets the address of an old one.
#[derive(Default)]
struct Rejections(RefCell<IndexMap<PersistentValue, PersistentValue>>);

impl Rejections {
    /// Registers a tracker with the runtime, which from then on collects rejected promises that nothing handles.
    /// One that is handled later is removed.
    fn track(runtime: &Runtime) -> Rc<Self> {
        let rejections = Rc::new(Self::default());
        let reported = Rc::clone(&rejections);
        runtime.set_host_promise_rejection_tracker(Some(Box::new(
            move |ctx, promise, reason, is_handled| {
                let promise = Persistent::save(&ctx, promise);
                let mut open = reported.0.borrow_mut();
                if is_handled {
                    open.swap_remove(&promise);
                } else {
                    open.insert(promise, Persistent::save(&ctx, reason));
                }
            },
        )));
        rejections
    }

    /// Returns the reason of the first unhandled rejection, and forgets all. `None` if there is none. An exception
    /// keeps its stack; any other thrown value is returned as it is.
    fn take<'js>(&self, ctx: &Ctx<'js>) -> Option<CaughtError<'js>> {
        let open = self.0.take();
        let (_, reason) = open.into_iter().next()?;
        let reason = match reason.restore(ctx) {
            Ok(reason) => reason,
            Err(error) => return Some(CaughtError::Error(error)),
        };
        let exception = reason
            .clone()
            .into_object()
            .and_then(Exception::from_object);
        Some(exception.map_or(CaughtError::Value(reason), CaughtError::Exception))
    }
}

/// Creates the engine with its limits of memory and stack.
fn make() -> Result<(Runtime, Context), Error> {
    let runtime = Runtime::new()?;
    runtime.set_memory_limit(MAX_MEMORY_BYTES);
    runtime.set_max_stack_size(MAX_STACK_BYTES);
    let context = Context::full(&runtime)?;
    Ok((runtime, context))
}

/// Runs `prelude.js`, which defines the globals of scripts. Returns an error if it throws, for example for lack of
/// memory.
fn prelude<'js>(
    ctx: &Ctx<'js>,
    host: &Rc<Host>,
    options: &ScriptOptions,
) -> Result<Prelude<'js>, Error> {
    let make: Function<'js> = ctx.eval(include_str!("prelude.js"))?;
    let native = bindings::native(ctx, host)?;
    native.set("platform", options.platform.as_str())?;
    let parts: Object<'js> = make.call((native,))?;
    Ok(Prelude {
        prepare: parts.get("prepare")?,
        run: parts.get("run")?,
        show: parts.get("show")?,
    })
}

fn run<'js>(ctx: &Ctx<'js>, parts: &Prelude<'js>, job: &Job) -> Result<String, ScriptError> {
    let result = evaluate(ctx, parts, job).catch(ctx);
    result.map_err(|caught| explain(caught, &job.script, BEFORE_FILE.len()))
}

/// Runs the pending promise jobs, at most 100,000. Returns false if they did not end by then, or went on for more
/// than 1,000 after the script was stopped. No jobs give true.
fn run_jobs(ctx: &Ctx<'_>, stop: &Stop) -> bool {
    for done in 0..MAX_JOBS {
        if !ctx.execute_pending_job() {
            return true;
        }
        if done >= JOBS_AFTER_STOP && stop.is_now() {
            return false;
        }
    }
    false
}

/// Sets the variables, removes what the last script left, and runs the script. Returns the result as text if it is
/// wanted, else, and for a file, an empty text. A result that is a promise is an error then. Runs no promise jobs.
fn evaluate<'js>(ctx: &Ctx<'js>, parts: &Prelude<'js>, job: &Job) -> Result<String, Error> {
    let env = Object::new(ctx.clone())?;
    for (name, value) in job.env.iter() {
        env.set(name.as_str(), value.as_str())?;
    }
    let () = parts.prepare.call((env, job.copied_text.as_deref()))?;
    match &job.script {
        Script::Expression {
            source,
            wants_result,
        } => {
            let value: Value<'js> = parts.run.call((source.as_str(),))?;
            if !wants_result {
                return Ok(String::new());
            }
            if value.is_promise() {
                let message = "the script comes to a promise, which is not text; have it write what it comes to into `output`, \
                            and use that in the next command";
                return Err(Exception::throw_type(ctx, message));
            }
            parts.show.call((value,))
        }
        Script::File { name, source } => {
            evaluated_file(ctx, "", name, source)?;
            Ok(String::new())
        }
    }
}

/// Runs a script file in a function of its own, and discards its result. The code `before` comes in front of
/// it, on its first line. Stack traces call the file `name`.
pub(super) fn evaluated_file(
    ctx: &Ctx<'_>,
    before: &str,
    name: &str,
    source: &str,
) -> Result<(), Error> {
    let mut options = EvalOptions::default();
    options.filename = Some(name.to_owned());
    ctx.eval_with_options(format!("{before}{BEFORE_FILE}{source}\n}})()"), options)
}

/// Describes an exception for the script's author, with its place and the script's name or expression. `before` is
/// the number of bytes in front of the file's first line. Too much memory and too long texts have the fault
/// `TooLarge`; all else, also a syntax error, is `Thrown`. An exception without a place in a file has the script
/// before the message. A place is in the file, also of an error that the engine met behind its end.
pub(super) fn explain(caught: CaughtError<'_>, script: &Script, before: usize) -> ScriptError {
    let (thrown, stack) = match caught {
        CaughtError::Exception(error) => {
            let value = error.as_object().as_value();
            let thrown: Option<Coerced<String>> = value.get().ok();
            let thrown = thrown.map(|thrown| thrown.0).or_else(|| {
                // Its own `toString` threw.
                drop(value.ctx().catch());
                error.message()
            });
            (thrown, error.stack().unwrap_or_default())
        }
        CaughtError::Value(value) if value.is_null() => (thrown_null(script), String::new()),
        CaughtError::Value(value) => (thrown_text(&value), String::new()),
        CaughtError::Error(Error::InvalidString(_)) => {
            let reported = "the script holds a NUL character, which JavaScript does not take";
            (Some(reported.to_owned()), String::new())
        }
        CaughtError::Error(error) => (Some(error.to_string()), String::new()),
    };
    // `normalize` of a text that is too large throws nothing at all, which reads as `[uninitialized]`.
    let is_memory = thrown.as_ref().is_none_or(|thrown| {
        thrown.ends_with("out of memory") || thrown.as_str() == "[uninitialized]"
    });
    let mut error = if is_memory {
        ScriptError::new(
            ScriptFault::TooLarge,
            "the scripts of this flow take more than 64 MB, the most that they may",
        )
    } else {
        let thrown = thrown.unwrap_or_default();
        let message = if thrown.starts_with("RangeError: the text is longer") {
            return ScriptError::new(
                ScriptFault::TooLarge,
                thrown.trim_start_matches("RangeError: "),
            );
        } else if thrown.contains("call stack size exceeded") || thrown.contains("stack overflow") {
            format!("{thrown}; a function calls itself without an end")
        } else {
            thrown
        };
        ScriptError::new(ScriptFault::Thrown, message)
    };
    error.place = place(&stack, before);
    if let (Script::File { name, source }, Some(place)) = (script, &mut error.place)
        && place.file == *name
        && place.line as usize > source.lines().count()
    {
        *place = end_of(name, source);
        // The engine met the code behind the file.
        if error.message.to_lowercase().contains("unexpected token") {
            error.message = ENDS_TOO_EARLY.to_owned();
        }
    }
    match (script, &error.place) {
        (Script::File { name, .. }, None) => error.message = format!("{name}: {}", error.message),
        (Script::Expression { source, .. }, None) => {
            error.message = format!("`${{{}}}`: {}", source.trim(), error.message);
        }
        (Script::Expression { source, .. }, Some(_)) => {
            error.message = format!("{}, in `${{{}}}`", error.message, source.trim());
        }
        _ => {}
    }
    error
}

/// Returns the text of a thrown `null`; `None` if the script never says `null`, because the engine throws it too
/// where it has no memory for an error.
fn thrown_null(script: &Script) -> Option<String> {
    let (Script::Expression { source, .. } | Script::File { source, .. }) = script;
    let is_said = source.contains("null");
    is_said.then(|| {
        "`null` was thrown; if no script throws it, the scripts of this flow take more than 64 MB"
            .to_owned()
    })
}

/// Returns a thrown value that is no error as text: an object by its `message`, all else as JavaScript writes it, and
/// what that cannot write by its kind. `None` if there is no memory for a text.
fn thrown_text(value: &Value<'_>) -> Option<String> {
    let object = value.as_object();
    if let Some(message) = object.and_then(|it| it.get::<_, String>("message").ok()) {
        return Some(message);
    }
    // Reading `message` may have thrown.
    drop(value.ctx().catch());
    if let Some(symbol) = value.as_symbol() {
        let about: Option<String> = symbol.description().and_then(|it| it.get()).ok();
        return Some(format!("Symbol({})", about.unwrap_or_default()));
    }
    let written: Option<Coerced<String>> = value.get().ok();
    if let Some(written) = written {
        return Some(written.0);
    }
    let cause = value.ctx().catch();
    let is_null = cause.is_null();
    let error = cause.into_object().and_then(Exception::from_object);
    let message = error.and_then(|error| error.message());
    let is_memory = is_null || message.is_some_and(|it| it == "out of memory");
    (!is_memory).then(|| "an object that cannot be written as text".to_owned())
}

/// Returns the place behind the last text of a file.
fn end_of(name: &str, source: &str) -> ScriptPlace {
    let text = source.trim_end();
    let last = text.lines().next_back().unwrap_or_default();
    ScriptPlace {
        file: name.to_owned(),
        line: text.lines().count().max(1) as u32,
        column: last.chars().count() as u32 + 1,
    }
}

/// Returns the innermost position of a stack trace that is in a file of the flow. Line and column begin at one.
/// `before` is subtracted from columns of the first line. `None` if there is only the prelude or an
/// expression.
fn place(stack: &str, before: usize) -> Option<ScriptPlace> {
    stack.lines().find_map(|line| {
        let line = line.trim().strip_prefix("at ")?;
        let place = line
            .rsplit_once('(')
            .map_or(line, |(_, place)| place.trim_end_matches(')'));
        let (rest, column) = place.rsplit_once(':')?;
        let (file, number) = rest.rsplit_once(':')?;
        let (line, column): (u32, u32) = (number.parse().ok()?, column.parse().ok()?);
        // Skips the prelude and expressions.
        if file == EXPRESSION || file == "eval_script" || file.is_empty() {
            return None;
        }
        let before = if line == 1 { before as u32 } else { 0 };
        Some(ScriptPlace {
            file: file.to_owned(),
            line,
            column: column.saturating_sub(before).max(1),
        })
    })
}
