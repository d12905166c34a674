//! `runner completions`.

use clap::{Args, CommandFactory as _};

use super::error::CliError;
use super::{Arguments, output};
use crate::exit_code::ExitCode;

/// Arguments of `runner completions`.
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

/// Prints the script.
#[expect(clippy::unnecessary_wraps, reason = "every subcommand has this shape")]
pub fn run(arguments: &CompletionsArguments) -> Result<ExitCode, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut Arguments::command(),
        "runner",
        &mut script,
    );
    output::text(&String::from_utf8_lossy(&script));
    Ok(ExitCode::Passed)
}
