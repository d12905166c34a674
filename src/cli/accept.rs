//! `runner accept`: makes pending changes the goldens.

#[cfg(feature = "review")]
use camino::Utf8PathBuf;
use clap::Args;

use super::error::CliError;
use super::{accepted, completions, output, pending};
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::snapshot::Selection;

#[derive(Debug, Args)]
pub struct AcceptArguments {
    #[command(flatten)]
    selection: AcceptSelection,
    /// What the decisions are about: a ZIP archive of a run's artifacts, or their folder
    #[cfg(feature = "review")]
    #[arg(long, value_name = "FILE|DIR", requires = "decisions")]
    from: Option<Utf8PathBuf>,
}

/// What is accepted.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct AcceptSelection {
    /// Keys as `runner pending` lists them; globs are allowed
    #[arg(value_name = "KEY", add = completions::pending_keys())]
    keys: Vec<String>,
    /// All of them
    #[arg(long)]
    all: bool,
    /// What was decided on the page of `runner review --static`: a file, or - for a comment on standard input
    #[cfg(feature = "review")]
    #[arg(long, value_name = "FILE|-", requires = "from")]
    decisions: Option<Utf8PathBuf>,
}

/// Accepts the named pending files, or the decisions of a static review page. `--all` accepts goldens only; patches to
/// selectors need their names and are written first. The exit code is 1 if one was refused, which stays pending while
/// the others are accepted; if a patch was refused, no golden is accepted. An interrupted accept is completed before
/// goldens are accepted. A key that nothing pending matches is an error; nothing pending with `--all` is no failure,
/// unless a merge waits for a decision.
pub fn run(arguments: &AcceptArguments, context: &Context) -> Result<ExitCode, CliError> {
    let config = Config::resolve(context, &Overrides::default())?;
    #[cfg(feature = "review")]
    if let (Some(file), Some(archive)) = (&arguments.selection.decisions, &arguments.from) {
        return super::decisions::run(file, archive, &config, context);
    }
    #[cfg_attr(
        not(feature = "review"),
        expect(
            unused_mut,
            reason = "only with the review are keys of patches removed"
        )
    )]
    let mut keys = arguments.selection.keys.clone();
    #[cfg(feature = "review")]
    {
        let patches = super::patches::take_keys(&mut keys);
        let are_all = super::patches::accept(&config, &patches)?;
        if !are_all || (keys.is_empty() && !arguments.selection.all) {
            return Ok(if are_all {
                ExitCode::Passed
            } else {
                ExitCode::Failed
            });
        }
    }
    // `--all` accepts goldens only: a script that accepts all goldens must not edit flows. Patches need their names.
    let selection = if arguments.selection.all {
        Selection::All
    } else {
        Selection::Keys(keys)
    };
    if arguments.selection.all {
        pending::note_running(&config, pending::ALL_OF_RUNNING);
    }
    let done = config.recovered_store()?.accept(&selection);
    let done = done.map_err(|error| pending::with_all(error, "accept"))?;
    accepted::print(&done);
    for (key, error) in &done.refused {
        output::error(&format!("{key} was not accepted: {error}"));
    }
    if !done.accepted.is_empty() {
        #[cfg(feature = "review")]
        super::review::tell_git(&config, &done.accepted)?;
    } else if done.refused.is_empty() {
        #[cfg(feature = "review")]
        if super::review::print_unmerged(&config) {
            return Ok(ExitCode::Failed);
        }
        output::note("nothing to review");
    }
    Ok(if done.refused.is_empty() {
        ExitCode::Passed
    } else {
        ExitCode::Failed
    })
}
