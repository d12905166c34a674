//! `runner reject`: removes pending changes.

use clap::Args;

use super::error::CliError;
use super::output;
use super::pending::{ALL_OF_RUNNING, KeySelection, note_running, with_all};
use super::undo;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::snapshot::Selection;

#[derive(Debug, Args)]
pub struct RejectArguments {
    #[command(flatten)]
    keys: KeySelection,
}

/// Rejects the named patches, then removes the named pending files, and prints their keys. The goldens stay; `--all`
/// rejects no patches. The exit code is 1 if a patch was refused; then no pending file is removed. Nothing pending is
/// no failure with `--all`; a key that nothing pending matches is an error. An interrupted accept is completed before
/// pending files are removed.
pub fn run(arguments: &RejectArguments, context: &Context) -> Result<ExitCode, CliError> {
    let config = Config::resolve(context, &Overrides::default())?;
    #[cfg_attr(
        not(feature = "review"),
        expect(
            unused_mut,
            reason = "only with the review are keys of patches removed"
        )
    )]
    let mut selection = arguments.keys.selection();
    #[cfg(feature = "review")]
    if let Selection::Keys(keys) = &mut selection {
        let are_all = super::patches::reject(&config, &super::patches::take_keys(keys))?;
        if !are_all || keys.is_empty() {
            return Ok(if are_all {
                ExitCode::Passed
            } else {
                ExitCode::Failed
            });
        }
    }
    if matches!(selection, Selection::All) {
        note_running(&config, ALL_OF_RUNNING);
    }
    let rejected = config.recovered_store()?.reject(&selection);
    let rejected = rejected.map_err(|error| with_all(error, "reject"))?;
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
