//! `runner man`: the man page, for packages.

use clap::CommandFactory as _;

use super::error::CliError;
use super::{Arguments, output};
use crate::exit_code::ExitCode;

/// Prints the page.
pub fn run() -> Result<ExitCode, CliError> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Arguments::command()).render(&mut page)?;
    output::text(&String::from_utf8_lossy(&page));
    Ok(ExitCode::Passed)
}
