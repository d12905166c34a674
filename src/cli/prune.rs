//! `runner prune`.

use clap::Args;

use super::error::CliError;
use crate::context::Context;
use crate::exit_code::ExitCode;

/// Arguments of `runner prune`.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct PruneArguments {
    /// List goldens that no flow names; exit 1 if there are any
    #[arg(long)]
    check: bool,
    /// Remove goldens that no flow names; `runner review` can take it back
    #[arg(long)]
    apply: bool,
}

/// Finds goldens that no flow names.
pub fn run(arguments: &PruneArguments, _: &Context) -> Result<ExitCode, CliError> {
    let _ = (arguments.check, arguments.apply);
    Err(CliError::Usage("not there yet".to_owned()))
}
