//! `runner mcp`.

use std::sync::Arc;

use camino::Utf8PathBuf;
use clap::Args;

use super::error::CliError;
use super::output;
use super::runtime;
use super::selection::DeviceSelection;
use crate::agent::Desk;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::mcp::{Dialect, DialectOptions, DialectToolbox, serve_stdio};

/// Arguments of `runner mcp`.
#[derive(Debug, Args)]
pub struct McpArguments {
    #[command(flatten)]
    device: DeviceSelection,
    /// Which tools, under which names
    #[arg(long, value_enum, default_value_t = Dialect::Android)]
    dialect: Dialect,
    /// Name of the device within the Android tools' names: `android_SLUG_tap`
    #[arg(long, value_name = "SLUG")]
    slug: Option<String>,
    /// Leave out the tools named `runner_…`
    #[arg(long)]
    no_agent_tools: bool,
    /// Write what is done as a flow, anew after each call; a file that is there is replaced by the first step
    #[arg(long, value_name = "FILE")]
    record: Option<Utf8PathBuf>,
    /// Agents may accept snapshots
    #[arg(long)]
    allow_accept: bool,
}

/// Serves agents until they are gone.
pub fn run(arguments: &McpArguments, context: &Context) -> Result<ExitCode, CliError> {
    let overrides = Overrides {
        devices: arguments.device.devices.clone(),
        adb_host: arguments.device.server.host.clone(),
        adb_port: arguments.device.server.port,
        ..Overrides::default()
    };
    let config = Config::resolve(context, &overrides)?;
    let desk = Arc::new(Desk::new(config, context.clone(), arguments.allow_accept));
    if let Some(file) = &arguments.record {
        desk.recorder.keep_in(context.working_folder.join(file));
    }
    let options = DialectOptions {
        dialect: arguments.dialect,
        slug: arguments.slug.clone(),
        no_agent_tools: arguments.no_agent_tools,
    };
    let toolbox = Arc::new(DialectToolbox::new(Arc::clone(&desk), options));
    let runtime = runtime()?;
    let served = runtime.block_on(serve_stdio(toolbox));
    if let Some(problem) = runtime.block_on(desk.recorder.close(&desk.connection)) {
        output::error(&problem);
    }
    served?;
    Ok(ExitCode::Passed)
}
