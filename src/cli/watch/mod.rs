//! `runner test --watch`: runs the flows that a saved file concerns again, on a device that stays open.
//!
//! There is one run at a time. Files saved during a run make one further run, however often they were saved.

mod failures;
mod keys;
mod session;

use super::error::CliError;
use super::output;
use super::runtime::runtime;
use super::test::TestArguments;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::run::Choice;
use keys::Keys;
use session::Session;

/// Runs the flows, and those that saved files concern again, until somebody ends it, by a key or Ctrl-C; `q` gives
/// success, Ctrl-C the exit code of an interrupt. An error only if the settings cannot be read or an interrupted
/// accept cannot be completed at the start. Without a terminal there are no keys, which is told.
pub fn run(
    arguments: &TestArguments,
    choice: Choice,
    context: &Context,
) -> Result<ExitCode, CliError> {
    let keys = Keys::open(context);
    if keys.is_none() {
        output::note("watching without a terminal: Ctrl-C ends it");
    }
    runtime()?.block_on(Box::pin(async {
        Session::new(arguments, choice, context, keys).run().await
    }))
}
