//! `runner test --watch`: what a saved file changes is run again, on a device that stays open.
//!
//! One run at a time. What is saved while one goes on is run after it, once, however often it was saved.

mod failures;
mod keys;
mod session;

use super::error::CliError;
use super::test::TestArguments;
use super::{output, runtime};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::run::Choice;
use keys::Keys;
use session::Session;

/// Watches until somebody ends it.
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
