//! `runner prune`: lists or removes goldens that no flow names.

use clap::Args;

use super::error::CliError;
use super::{output, prune_history, undo};
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::run::{UnreadableFlow, golden_uses};
use runner_text::shell::operands_to_copy;

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct PruneArguments {
    /// List goldens that no flow names; exit 1 if there are any
    #[arg(long)]
    check: bool,
    /// Remove goldens that no flow names; `runner undo` takes it back
    #[arg(long)]
    apply: bool,
    /// Say what pictures of goldens cost in the repository's history, and what could be saved
    #[arg(long)]
    history: bool,
}

/// Lists goldens that no flow names, and their pending files, with `--check`, removes them with `--apply`, or prints
/// what old pictures cost with `--history`. Exits with 1 if `--check` finds any or `--apply` could not remove one.
/// Goldens of flows that cannot be read are kept, which notes say. An interrupted accept is completed first. What
/// `--apply` removed, `runner undo` brings back.
pub fn run(arguments: &PruneArguments, context: &Context) -> Result<ExitCode, CliError> {
    let config = Config::resolve(context, &Overrides::default())?;
    if arguments.history {
        return prune_history::run(&config);
    }
    let store = config.recovered_store()?;
    let uses = golden_uses(&config)?;
    let obsolete = store.obsolete(|key| uses.keeps(key))?;
    for flow in &uses.unreadable {
        output::note(&unreadable_message(flow));
    }
    let pointers = store.pointers()?.len();
    if pointers > 0 {
        output::note(&format!(
            "{pointers} files of goldens are pointers of Git LFS, the files themselves were not downloaded; run `git lfs pull`"
        ));
    }
    if obsolete.is_empty() {
        output::note("flows name every golden");
        return Ok(ExitCode::Passed);
    }
    if arguments.check {
        output::keys("obsolete", &obsolete);
        output::note("no flow names them; `runner prune --apply` removes them");
        return Ok(ExitCode::Failed);
    }
    let done = store.remove(&obsolete)?;
    output::keys("removed", &done.removed);
    for (key, error) in &done.refused {
        output::error(&format!("{key} was not removed: {error}"));
    }
    if !done.removed.is_empty() {
        output::note(undo::HINT);
    }
    Ok(if done.refused.is_empty() {
        ExitCode::Passed
    } else {
        ExitCode::Failed
    })
}

/// Returns the message about a flow whose goldens are kept because it does not read, with the command that says
/// why.
fn unreadable_message(flow: &UnreadableFlow) -> String {
    format!(
        "kept: all goldens of {}, for it does not read; `runner lint {}` says why",
        flow.file,
        operands_to_copy([flow.file.as_str()])
    )
}
