//! `runner undo`: takes back the last decision about goldens.

use clap::Args;

use super::error::CliError;
use super::output;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;

/// Note that accept, reject and prune print at their end.
pub(super) const HINT: &str = "`runner undo` takes it back";

#[derive(Debug, Args)]
pub struct UndoArguments {}

/// Takes back the last decision about goldens (accept, reject or prune), whichever process made it, and prints the
/// keys. An interrupted accept is completed first. Exits with 1 if there is nothing to take back. Patches to flows
/// are not taken back.
pub fn run(_: &UndoArguments, context: &Context) -> Result<ExitCode, CliError> {
    let config = Config::resolve(context, &Overrides::default())?;
    let Some(undone) = config.recovered_store()?.undo()? else {
        output::note("there is nothing to take back: nothing was accepted, rejected or pruned");
        return Ok(ExitCode::Failed);
    };
    for (keys, what) in [
        (&undone.accepted, "not accepted"),
        (&undone.rejected, "not rejected"),
        (&undone.removed, "not removed"),
    ] {
        output::keys(what, keys);
    }
    Ok(ExitCode::Passed)
}
