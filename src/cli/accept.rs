//! `runner accept`.

use clap::Args;

use super::error::CliError;
use super::output;
use super::pending::KeySelection;
use super::undo;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;

/// Arguments of `runner accept`.
#[derive(Debug, Args)]
pub struct AcceptArguments {
    #[command(flatten)]
    keys: KeySelection,
}

/// Makes pending files the goldens. What cannot be accepted stays pending and makes the exit code 1.
pub fn run(arguments: &AcceptArguments, context: &Context) -> Result<ExitCode, CliError> {
    let config = Config::resolve(context, &Overrides::default())?;
    let done = config
        .recovered_store()?
        .accept(&arguments.keys.selection())?;
    for key in &done.accepted {
        output::line(&format!("accepted  {key}"));
    }
    for (key, error) in &done.refused {
        output::error(&format!("{key} was not accepted: {error}"));
    }
    if !done.accepted.is_empty() {
        for line in done.in_words() {
            output::note(&line);
        }
        output::note(undo::HINT);
        #[cfg(feature = "review")]
        super::review::tell_git(&config, &done.accepted)?;
    } else if done.refused.is_empty() {
        output::note("nothing to review");
    }
    Ok(if done.refused.is_empty() {
        ExitCode::Passed
    } else {
        ExitCode::Failed
    })
}
