//! `runner accept`.

#[cfg(feature = "review")]
use camino::Utf8PathBuf;
use clap::Args;

use super::completions;
use super::error::CliError;
use super::output;
use super::undo;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::snapshot::{AcceptResult, Selection};

/// Arguments of `runner accept`.
#[derive(Debug, Args)]
pub struct AcceptArguments {
    #[command(flatten)]
    what: Accepted,
    /// What the decisions are about: a ZIP archive of a run's artifacts, or their folder
    #[cfg(feature = "review")]
    #[arg(long, value_name = "FILE|DIR", requires = "decisions")]
    from: Option<Utf8PathBuf>,
}

/// What is accepted.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Accepted {
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

/// Makes pending files the goldens. What cannot be accepted stays pending and makes the exit code 1.
pub fn run(arguments: &AcceptArguments, context: &Context) -> Result<ExitCode, CliError> {
    let config = Config::resolve(context, &Overrides::default())?;
    #[cfg(feature = "review")]
    if let (Some(file), Some(archive)) = (&arguments.what.decisions, &arguments.from) {
        return super::decisions::run(file, archive, &config, context);
    }
    #[cfg_attr(
        not(feature = "review"),
        expect(unused_mut, reason = "keys of patches are taken out")
    )]
    let mut keys = arguments.what.keys.clone();
    #[cfg(feature = "review")]
    {
        let patches = super::patches::take_keys(&mut keys);
        let are_all = super::patches::accept(&config, &patches)?;
        if !are_all || (keys.is_empty() && !arguments.what.all) {
            return Ok(if are_all {
                ExitCode::Passed
            } else {
                ExitCode::Failed
            });
        }
    }
    // Flows are edited only by the names of patches: a script that accepts all goldens means goldens.
    let selection = if arguments.what.all {
        Selection::All
    } else {
        Selection::Keys(keys)
    };
    let done = config.recovered_store()?.accept(&selection)?;
    print(&done);
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

/// What became goldens, and why it waited.
pub(super) fn print(done: &AcceptResult) {
    output::keys("accepted", &done.accepted);
    if !done.accepted.is_empty() {
        for line in done.in_words() {
            output::note(&line);
        }
        output::note(undo::HINT);
    }
}
