//! `runner report`: reports made again from saved event streams.

use camino::Utf8PathBuf;
use clap::Args;

use super::error::CliError;
use crate::context::Context;
use crate::exit_code::ExitCode;

/// Arguments of `runner report`.
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// Event streams, as `runner test --json` writes them; several are merged into one run
    #[arg(value_name = "STREAM", required = true)]
    streams: Vec<Utf8PathBuf>,
    /// Write JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<Utf8PathBuf>,
    /// Write an HTML report into this folder
    #[arg(long, value_name = "DIR")]
    html: Option<Utf8PathBuf>,
    /// Write the merged events
    #[arg(long, value_name = "FILE|-")]
    json: Option<Utf8PathBuf>,
}

/// Makes reports.
pub fn run(arguments: &ReportArguments, _: &Context) -> Result<ExitCode, CliError> {
    let _ = (
        &arguments.streams,
        &arguments.junit,
        &arguments.html,
        &arguments.json,
    );
    Err(CliError::Usage("not there yet".to_owned()))
}
