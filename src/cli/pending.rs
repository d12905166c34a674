//! `runner pending`.

use clap::Args;

use super::error::CliError;
use super::output;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::snapshot::Selection;

/// Arguments of `runner pending`.
#[derive(Debug, Args)]
pub struct PendingArguments {
    /// Print only the keys
    #[arg(long, short)]
    quiet: bool,
}

/// Lists pending goldens.
pub fn run(arguments: &PendingArguments, context: &Context) -> Result<ExitCode, CliError> {
    let pending = Config::resolve(context, &Overrides::default())?
        .recovered_store()?
        .pending()?;
    for entry in &pending {
        output::line(&entry.key.to_string());
        if !arguments.quiet {
            for file in &entry.files {
                output::line(&format!("    {} → {}", file.pending, file.golden));
            }
        }
    }
    if pending.is_empty() {
        output::note("nothing to review");
        return Ok(ExitCode::Passed);
    }
    output::note(
        "accept with `runner accept KEY…` or `--all`, reject with `runner reject KEY…` or `--all`",
    );
    Ok(ExitCode::Failed)
}

/// Which pending goldens.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
pub struct KeySelection {
    /// Keys as `runner pending` lists them; globs are allowed
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    /// All of them
    #[arg(long)]
    all: bool,
}

impl KeySelection {
    /// The selection they stand for.
    pub fn selection(&self) -> Selection {
        if self.all {
            Selection::All
        } else {
            Selection::Keys(self.keys.clone())
        }
    }
}
