//! `runner config`: prints each setting and where it came from.

use clap::Args;

use super::error::CliError;
use super::output;
use crate::config::{Config, Overrides, mistaken_variables};
use crate::context::Context;
use crate::diagnostic::{self, Diagnostic};
use crate::exit_code::ExitCode;
use crate::secret::Scrubber;

#[derive(Debug, Args)]
pub struct ConfigArguments {}

/// Prints the settings to standard output, each with its value and where it comes from, then notes about doubtful
/// ones. Values of secrets are masked. Changes nothing; returns an error if the settings cannot be read.
pub fn run(_: &ConfigArguments, context: &Context) -> Result<ExitCode, CliError> {
    let config = Config::resolve(context, &Overrides::default())?;
    let hidden = all_secrets(&config, context);
    let mut lines = config.describe();
    for (_, value, _) in &mut lines {
        *value = hidden.scrub(value).into_owned();
    }
    let width = |column: fn(&(String, String, String)) -> &String| {
        lines
            .iter()
            .map(|line| column(line).chars().count())
            .max()
            .unwrap_or(0)
    };
    // A maximum, so that one long value does not push the origins of all others away.
    let (names, values) = (width(|line| &line.0), width(|line| &line.1).min(48));
    for (name, value, origin) in &lines {
        output::line(&format!("{name:names$}  {value:values$}  # {origin}"));
    }
    report_doubts(&config, context);
    Ok(ExitCode::Passed)
}

/// Prints a note to standard error for each variable of the environment that was probably meant as one of this
/// program's, and for what the command line or the environment gives that was probably meant in another way. Prints
/// nothing without any.
pub(super) fn report_doubts(config: &Config, context: &Context) {
    for said in mistaken_variables(context)
        .into_iter()
        .chain(config.doubts())
    {
        output::note(&format!("note: {said}"));
    }
}

/// Returns a scrubber with the values of all names in `secrets`, also of those that only the environment gives. The
/// global scrubber learns them too.
pub(super) fn all_secrets(config: &Config, context: &Context) -> Scrubber {
    let hidden = config.known_secrets();
    for name in &config.secrets {
        if let Some(value) = context.variable(name) {
            hidden.add(value);
        }
    }
    hidden
}

/// Masks in diagnostics the secrets of the project, and those that stand in the lines that they quote. Masked ones stay.
pub(super) fn masked(found: Vec<Diagnostic>, config: &Config) -> Vec<Diagnostic> {
    diagnostic::without_secrets(found, &config.secrets, &config.known_secrets())
}
