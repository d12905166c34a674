//! `runner devices`: lists the devices that can be reached.

use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::error::CliError;
use super::output;
use super::runtime::runtime;
use super::selection::ServerSelection;
use crate::config::Config;
use crate::context::Context;
use crate::device::VIRTUAL;
use crate::device::nearby_devices::{NearbyDevice, NearbyDevices, find_nearby};
use crate::exit_code::ExitCode;

/// Time that wireless devices have to announce themselves. Chosen: those in the same room answer within a
/// second.
const BROWSE_TIME: Duration = Duration::from_millis(1500);

#[derive(Debug, Args)]
pub struct DevicesArguments {
    #[command(flatten)]
    server: ServerSelection,
    /// Look no further than the adb server and USB: do not wait for wireless devices to announce themselves
    #[arg(long)]
    no_wireless: bool,
    /// How to print them
    #[arg(long, value_enum, default_value_t = Format::List)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line for each device: name, how it is reached, state, model
    List,
    /// One JSON object
    Json,
}

/// Prints the devices of the adb server, of USB and of the network, and the built-in one; as JSON with what went wrong.
/// Opens none of them, but starts the adb server if it has a program. Listens to the network for [`BROWSE_TIME`],
/// unless `--no-wireless` is given. Problems of the search are notes. A missing adb server is an error, after the list,
/// only if no other device than the built-in one was found.
pub fn run(arguments: &DevicesArguments, context: &Context) -> Result<ExitCode, CliError> {
    let config = Config::resolve(context, &arguments.server.overrides())?;
    let browse = (!arguments.no_wireless).then_some(BROWSE_TIME);
    let nearby = runtime()?.block_on(find_nearby(&config.adb_server(), browse));
    match arguments.format {
        Format::List => list(&nearby.devices),
        Format::Json => output::json(&as_json(&nearby)),
    }
    for why in &nearby.problems {
        output::note(why);
    }
    // After the list, as the virtual device is there without an adb server too.
    match nearby.no_server {
        None => Ok(ExitCode::Passed),
        Some(error) if nearby.devices.len() == 1 => Err(error.into()),
        Some(error) => {
            output::note(&error.to_string());
            Ok(ExitCode::Passed)
        }
    }
}

/// Prints a line for each device, in columns: name, way, state and model if it is known, and its advice below it,
/// if any. Prints nothing for none.
fn list(devices: &[NearbyDevice]) {
    let width = |text: fn(&NearbyDevice) -> &str| {
        let widths = devices.iter().map(|device| text(device).chars().count());
        widths.max().unwrap_or(0)
    };
    let name = width(|device| &device.name);
    let way = width(|device| &device.way);
    for device in devices {
        let known = device.model.as_ref().or(device.announced_as.as_ref());
        let known = match known {
            Some(model) => model,
            None if device.name == VIRTUAL => "asked for by `--device virtual`",
            None => "",
        };
        let line = format!(
            "{:name$}  {:way$}  {:12}  {known}",
            device.name, device.way, device.state
        );
        output::line(line.trim_end());
        if let Some(advice) = &device.advice {
            output::line(&format!("      → {advice}"));
        }
    }
}

fn as_json(nearby: &NearbyDevices) -> String {
    let problems = nearby.no_server.iter().map(ToString::to_string);
    let problems: Vec<String> = problems.chain(nearby.problems.iter().cloned()).collect();
    json!({ "devices": nearby.devices, "problems": problems }).to_string()
}
