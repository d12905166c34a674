//! Whether scripts can be read as JavaScript. None of them runs.

use rquickjs::{CatchResultExt, CaughtError, Context, Ctx, Error, Function, Runtime, Value};

use super::engine::Script;
use super::error::ScriptError;
use super::runtime::{BEFORE_FILE, STACK, evaluated_file, explain};

/// What stands before a script, so that nothing of it runs: all of a text is read before the first of it does.
const STOP: &str = "throw 0;";

/// What is wrong with each script that is not JavaScript, with its place in `scripts`.
pub(super) fn errors(scripts: &[Script]) -> Vec<(usize, ScriptError)> {
    // Most flows have none, and an engine takes as long as reading the flow.
    if scripts.is_empty() {
        return Vec::new();
    }
    // A thread of its own: callers may have less stack than the engine takes.
    let checking = || check(scripts).unwrap_or_default();
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(2 * STACK);
        let spawned = thread.spawn_scoped(scope, checking);
        let checked = spawned.map(std::thread::ScopedJoinHandle::join);
        checked.ok().and_then(Result::ok).unwrap_or_default()
    })
}

fn check(scripts: &[Script]) -> Result<Vec<(usize, ScriptError)>, Error> {
    let runtime = Runtime::new()?;
    runtime.set_max_stack_size(STACK);
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

fn read<'js>(ctx: &Ctx<'js>, eval: &Function<'js>, script: &Script) -> Result<(), Error> {
    match script {
        // As `prelude.js` runs it.
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
