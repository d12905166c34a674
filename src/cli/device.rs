//! `runner device`: the virtual device, served until interrupted.

use camino::Utf8PathBuf;
use clap::Args;

use super::app_check::check_app;
use super::error::CliError;
use super::{interrupt, output, runtime};
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::diagnostic::{self, Diagnostic};
use crate::exit_code::ExitCode;
use crate::flow::document;
use crate::virtual_device::{self, FaultSpec, VirtualDevice, VirtualDeviceOptions};

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
    let (root, shown) = if arguments.apps.is_empty() {
        let config = Config::resolve(context, &Overrides::default())?;
        (config.root.clone(), config.apps.value)
    } else {
        (context.working_folder.clone(), arguments.apps)
    };
    let apps: Vec<Utf8PathBuf> = shown.iter().map(|folder| root.join(folder)).collect();
    let found: Vec<Diagnostic> = apps
        .iter()
        .zip(&shown)
        .flat_map(|(folder, shown)| check_app(folder, shown))
        .collect();
    if !found.is_empty() {
        let color = context.color(context.stderr_is_terminal);
        output::diagnostics_aside(&diagnostic::render(&found, color, context.width));
    }
    if virtual_device::app_has_errors(&found) {
        return Ok(ExitCode::Usage);
    }
    runtime()?.block_on(async {
        let options = VirtualDeviceOptions {
            port: arguments.port,
            apps,
            schema_check: document::problems,
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
