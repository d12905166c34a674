//! `runner schema`.

use clap::{Args, ValueEnum};

use super::error::CliError;
use super::output;
use crate::exit_code::ExitCode;

/// Arguments of `runner schema`.
#[derive(Debug, Args)]
pub struct SchemaArguments {
    /// Of which file
    #[arg(value_enum, default_value_t = Which::Flow)]
    which: Which,
}

/// Files that have a schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Which {
    /// A flow
    Flow,
    /// runner.yaml
    Config,
    /// A line of `--json`
    Events,
    /// app.yaml of the virtual device
    App,
}

/// Prints the schema.
pub fn run(arguments: &SchemaArguments) -> Result<ExitCode, CliError> {
    let schema = match arguments.which {
        Which::Flow => crate::flow::schema(),
        Which::Config => crate::config::schema(),
        Which::Events => crate::report::events_schema().to_value(),
        Which::App => crate::virtual_device::app_schema(),
    };
    let text = serde_json::to_string_pretty(&schema)
        .map_err(|error| CliError::Failed(error.to_string()))?;
    output::line(&text);
    Ok(ExitCode::Passed)
}
