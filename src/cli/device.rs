//! `runner device`: the virtual device, served until interrupted.

use camino::Utf8PathBuf;
use clap::Args;

use super::error::CliError;
use super::{interrupt, output, runtime};
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::virtual_device::{FaultSpec, VirtualDevice, VirtualDeviceOptions};

/// Arguments of `runner device`.
#[derive(Debug, Args)]
pub struct DeviceArguments {
    /// TCP port on 127.0.0.1; 0 takes a free one. An adb server looks for emulators at 5555 to 5585 by itself
    #[arg(long, default_value_t = 5600)]
    port: u16,
    /// Folder of an app with an app.yaml; may be given several times [default: `apps` of runner.yaml]
    #[arg(long = "app", value_name = "DIR")]
    apps: Vec<Utf8PathBuf>,
    /// Take the time that real devices take
    #[arg(long)]
    realistic: bool,
    /// Misbehave, such as `null-root` or `slow-command=5s:2` (twice); may be given several times. A wrong name lists all
    #[arg(long = "fault", value_name = "FAULT")]
    faults: Vec<FaultSpec>,
}

/// Serves the device.
pub fn run(arguments: DeviceArguments, context: &Context) -> Result<ExitCode, CliError> {
    let apps = if arguments.apps.is_empty() {
        Config::resolve(context, &Overrides::default())?.app_folders()
    } else {
        arguments
            .apps
            .iter()
            .map(|folder| context.working_folder.join(folder))
            .collect()
    };
    runtime()?.block_on(async {
        let options = VirtualDeviceOptions {
            port: arguments.port,
            apps,
            realistic: arguments.realistic,
            faults: arguments.faults,
            ..VirtualDeviceOptions::default()
        };
        let device = VirtualDevice::start(options)
            .await
            .map_err(|error| CliError::Failed(error.to_string()))?;
        let address = format!("127.0.0.1:{}", device.port());
        output::line(&format!(
            "virtual device at {address}: `adb connect {address}`, or `--device {address}`"
        ));
        interrupt::requested().await?;
        Ok(ExitCode::Passed)
    })
}
