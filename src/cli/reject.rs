//! `runner reject`.

use clap::Args;

use super::error::CliError;
use super::output;
use super::pending::KeySelection;
use super::undo;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;

/// Arguments of `runner reject`.
#[derive(Debug, Args)]
pub struct RejectArguments {
    #[command(flatten)]
    keys: KeySelection,
}

/// Removes pending files; the goldens stay.
pub fn run(arguments: &RejectArguments, context: &Context) -> Result<ExitCode, CliError> {
    let config = Config::resolve(context, &Overrides::default())?;
    let rejected = config
        .recovered_store()?
        .reject(&arguments.keys.selection())?;
    output::keys("rejected", &rejected);
    output::note(if rejected.is_empty() {
        "nothing to review"
    } else {
        undo::HINT
    });
    #[cfg(feature = "review")]
    super::review::tell_git(&config, &rejected)?;
    Ok(ExitCode::Passed)
}
