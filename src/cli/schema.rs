//! `runner schema`: prints the JSON Schema of a file.

use clap::{Args, ValueEnum};

use super::error::CliError;
use super::output;
use crate::exit_code::ExitCode;

#[derive(Debug, Args)]
pub struct SchemaArguments {
    /// Of which file
    #[arg(value_enum, default_value_t = SchemaKind::Flow)]
    which: SchemaKind,
}

/// Files that have a schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum SchemaKind {
    /// A flow
    Flow,
    /// A flow that uses the tools of agents as steps
    FlowWithTools,
    /// runner.yaml
    Config,
    /// A line of `--json`
    Events,
    /// app.yaml of the virtual device
    App,
}

pub fn run(arguments: &SchemaArguments) -> Result<ExitCode, CliError> {
    output::verbatim(&text(arguments.which)?);
    Ok(ExitCode::Passed)
}

/// Returns the schema of a kind of file as indented JSON with a line end, with keywords in the usual order, so that
/// a change makes a small difference.
pub(super) fn text(which: SchemaKind) -> Result<String, CliError> {
    let schema = match which {
        SchemaKind::Flow => crate::flow::schema(),
        SchemaKind::FlowWithTools => crate::flow::schema_with_tools(),
        SchemaKind::Config => crate::config::schema(),
        SchemaKind::Events => crate::report::events_schema().to_value(),
        SchemaKind::App => crate::virtual_device::app_schema(),
    };
    schemars::Schema::try_from(schema)
        .and_then(|schema| serde_json::to_string_pretty(&schema))
        .map(|text| text + "\n")
        .map_err(|error| CliError::Failed(error.to_string()))
}
