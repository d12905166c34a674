//! `runner devices`.

use clap::Args;

use super::error::CliError;
use super::selection::ServerSelection;
use super::{output, runtime};
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::device::adb::{ConnectionState, list_devices};
use crate::exit_code::ExitCode;

/// Arguments of `runner devices`.
#[derive(Debug, Args)]
pub struct DevicesArguments {
    #[command(flatten)]
    server: ServerSelection,
}

/// Lists what the adb server knows, and the device that needs none.
pub fn run(arguments: &DevicesArguments, context: &Context) -> Result<ExitCode, CliError> {
    let overrides = Overrides {
        adb_host: arguments.server.host.clone(),
        adb_port: arguments.server.port,
        ..Overrides::default()
    };
    let config = Config::resolve(context, &overrides)?;
    let devices = runtime()?.block_on(list_devices(&config.adb_server()));
    let found = devices.as_ref().map_or(&[][..], Vec::as_slice);
    let width = found
        .iter()
        .map(|device| device.serial.len())
        .max()
        .unwrap_or(0)
        .max("virtual".len());
    for device in found {
        let state = match &device.state {
            ConnectionState::Online => "ready",
            ConnectionState::Other(state) => state,
        };
        let model = device.model.as_deref().unwrap_or_default();
        output::line(format!("{:width$}  {state:12}  {model}", device.serial).trim_end());
    }
    output::line(&format!(
        "{:width$}  {:12}  built in, asked for by `--device virtual`",
        "virtual", "ready"
    ));
    // Last, for the virtual device is there without an adb server too.
    match devices {
        Ok(_) => Ok(ExitCode::Passed),
        Err(error) => Err(error.into()),
    }
}
