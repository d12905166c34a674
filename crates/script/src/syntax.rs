//! Checks the syntax of scripts without running them.

use rquickjs::{CatchResultExt, CaughtError, Context, Ctx, Error, Function, Runtime, Value};

use super::error::ScriptError;
use super::job::Script;
use super::runtime::{BEFORE_FILE, MAX_STACK_BYTES, evaluated_file, explain};

/// Statement in front of a script that prevents it from running: the whole text is parsed before its first
/// statement runs.
const STOP: &str = "throw 0;";

/// Returns the syntax errors in the order of the scripts, at most one each, with the index of its script in
/// `scripts`. Runs no script. If the engine cannot be started, none are found.
pub(super) fn errors(scripts: &[Script]) -> Vec<(usize, ScriptError)> {
    // Most flows have no scripts, and starting an engine takes as long as reading a flow.
    if scripts.is_empty() {
        return Vec::new();
    }
    // On its own thread, because callers may have less stack than the engine needs.
    let checking = || check(scripts).unwrap_or_default();
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(2 * MAX_STACK_BYTES);
        let spawned = thread.spawn_scoped(scope, checking);
        let checked = spawned.map(std::thread::ScopedJoinHandle::join);
        checked.ok().and_then(Result::ok).unwrap_or_default()
    })
}

/// Returns the syntax errors on this thread, at most one a script. Returns an error only if the engine cannot be
/// started.
fn check(scripts: &[Script]) -> Result<Vec<(usize, ScriptError)>, Error> {
    let runtime = Runtime::new()?;
    runtime.set_max_stack_size(MAX_STACK_BYTES);
    let context = Context::full(&runtime)?;
    context.with(|ctx| {
        let eval: Function<'_> = ctx.globals().get("eval")?;
        let mut errors = Vec::new();
        for (number, script) in scripts.iter().enumerate() {
            if let Err(caught) = read(&ctx, &eval, script).catch(&ctx)
                && !is_stop(&caught)
            {
                let before = STOP.len() + BEFORE_FILE.len();
                errors.push((number, explain(caught, script, before)));
            }
        }
        Ok(errors)
    })
}

/// Parses a script by an evaluation that throws 0 before its first statement. So the result is always an error:
/// that 0 if the syntax is right.
fn read<'js>(ctx: &Ctx<'js>, eval: &Function<'js>, script: &Script) -> Result<(), Error> {
    match script {
        // `prelude.js` runs it in the same way.
        Script::Expression { source, .. } => {
            let _: Value<'js> = eval.call((format!("\"use strict\";{STOP}{source}"),))?;
            Ok(())
        }
        Script::File { name, source } => evaluated_file(ctx, STOP, name, source),
    }
}

fn is_stop(caught: &CaughtError<'_>) -> bool {
    matches!(caught, CaughtError::Value(value) if value.as_int() == Some(0))
}
