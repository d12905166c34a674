//! The thread of scripts: one `QuickJS` runtime, with its limits.

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
use super::engine::{Job, Reply, Request, Script, Stop, out_of_time};
use super::error::{ScriptError, ScriptFault, ScriptPlace};
use super::scope::ScriptOptions;

/// Most memory of all scripts of an attempt, in bytes.
const MEMORY: usize = 64 << 20;
/// Most stack of a script, in bytes.
pub(super) const STACK: usize = 1 << 20;
/// Most that promises may leave to do after a script; more has no end.
const MOST_JOBS: usize = 100_000;
/// Most of them where the script had to stop.
const JOBS_AFTER_STOP: usize = 1000;
/// What surrounds a script file: its first line begins so much further right.
pub(super) const BEFORE_FILE: &str = "(function(){";
/// What the engine calls a script that is not a file.
const EXPRESSION: &str = "<input>";

/// What `prelude.js` gives back.
struct Parts<'js> {
    /// Sets the names of the environment, and takes away what the last script left.
    prepare: Function<'js>,
    /// Runs an expression.
    run: Function<'js>,
    /// A value as a text.
    show: Function<'js>,
}

/// Serves requests until nobody can send one any more.
pub(super) fn serve(options: &ScriptOptions, requests: &mpsc::Receiver<Request>) {
    let Ok((runtime, context)) = make() else {
        // Whoever waits learns it from the closed channel.
        return;
    };
    let rejections = Rejections::of(&runtime);
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
            // Once promises did not end, no script waits for any again: nothing takes them away.
            if !has_endless_jobs {
                is_endless = !run_jobs(&ctx, &request.stop);
                has_endless_jobs = is_endless;
            }
            // What was rejected says more than the script's result without it.
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
            // Nothing that a script catches or throws says as well that it was stopped.
            if request.stop.is_now() {
                result = Err(request.stop.error());
            }
            *stop.borrow_mut() = None;
            let reply: Reply = (result, host.take_log());
            // Nobody may wait any more.
            let _ = request.reply.send(reply);
        }
    });
}

type PersistentValue = Persistent<Value<'static>>;

/// Promises that were rejected, each with its reason, and that nothing has handled since. Each is kept for as long, so that
/// no other one comes to stand in its place.
#[derive(Default)]
struct Rejections(RefCell<IndexMap<PersistentValue, PersistentValue>>);

impl Rejections {
    /// Those of a runtime, from now on.
    fn of(runtime: &Runtime) -> Rc<Self> {
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

    /// Why one of them was rejected; then none is left.
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

fn make() -> Result<(Runtime, Context), Error> {
    let runtime = Runtime::new()?;
    runtime.set_memory_limit(MEMORY);
    runtime.set_max_stack_size(STACK);
    let context = Context::full(&runtime)?;
    Ok((runtime, context))
}

fn prelude<'js>(
    ctx: &Ctx<'js>,
    host: &Rc<Host>,
    options: &ScriptOptions,
) -> Result<Parts<'js>, Error> {
    let make: Function<'js> = ctx.eval(include_str!("prelude.js"))?;
    let native = bindings::native(ctx, host)?;
    native.set("platform", options.platform.as_str())?;
    let parts: Object<'js> = make.call((native,))?;
    Ok(Parts {
        prepare: parts.get("prepare")?,
        run: parts.get("run")?,
        show: parts.get("show")?,
    })
}

fn run<'js>(ctx: &Ctx<'js>, parts: &Parts<'js>, job: &Job) -> Result<String, ScriptError> {
    let result = evaluate(ctx, parts, job).catch(ctx);
    result.map_err(|caught| explain(caught, &job.script, BEFORE_FILE.len()))
}

/// Does what promises left to do; whether that came to an end.
fn run_jobs(ctx: &Ctx<'_>, stop: &Stop) -> bool {
    for done in 0..MOST_JOBS {
        if !ctx.execute_pending_job() {
            return true;
        }
        if done >= JOBS_AFTER_STOP && stop.is_now() {
            return false;
        }
    }
    false
}

fn evaluate<'js>(ctx: &Ctx<'js>, parts: &Parts<'js>, job: &Job) -> Result<String, Error> {
    let env = Object::new(ctx.clone())?;
    for (name, value) in job.env.iter() {
        env.set(name.as_str(), value.as_str())?;
    }
    let () = parts.prepare.call((env, job.copied_text.as_deref()))?;
    match &job.script {
        Script::Expression { source, is_wanted } => {
            let value: Value<'js> = parts.run.call((source.as_str(),))?;
            if !is_wanted {
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

/// Runs a file in a function of its own, behind what stands before it.
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

/// What went wrong in a script, for the person who wrote it. So many bytes stood before a file's first line.
pub(super) fn explain(caught: CaughtError<'_>, script: &Script, before: usize) -> ScriptError {
    let (thrown, stack) = match caught {
        CaughtError::Exception(error) => {
            let thrown: Option<Coerced<String>> = error.as_object().as_value().get().ok();
            (
                thrown.map(|thrown| thrown.0),
                error.stack().unwrap_or_default(),
            )
        }
        CaughtError::Value(value) if value.is_null() => (None, String::new()),
        CaughtError::Value(value) => {
            let thrown: Option<Coerced<String>> = value.get().ok();
            (thrown.map(|thrown| thrown.0), String::new())
        }
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

/// The innermost place of a stack that is in a file of the flow.
fn place(stack: &str, before: usize) -> Option<ScriptPlace> {
    stack.lines().find_map(|line| {
        let line = line.trim().strip_prefix("at ")?;
        let place = line
            .rsplit_once('(')
            .map_or(line, |(_, place)| place.trim_end_matches(')'));
        let (rest, column) = place.rsplit_once(':')?;
        let (file, number) = rest.rsplit_once(':')?;
        let (line, column): (u32, u32) = (number.parse().ok()?, column.parse().ok()?);
        // Files of the flow only: not the prelude, not expressions.
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
