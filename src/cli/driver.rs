//! `runner driver`: lists, installs and removes drivers, and what they need on this machine and on devices.

use std::process::{Command, Stdio};

use camino::Utf8Path;
use clap::{Args, Subcommand, ValueEnum};

use super::error::CliError;
use super::runtime::runtime;
use super::selection::ServerSelection;
use super::{completions, output};
use crate::config::Config;
use crate::context::Context;
use crate::device::uia2::{self, Apks, ApksError, NPM_PACKAGE, Use};
use crate::device::{Device, DriverChoice};
use crate::exit_code::ExitCode;
use crate::run::devices::{self, OpenOptions};
use crate::secret::Excerpt;

#[derive(Debug, Args)]
pub struct DriverArguments {
    #[command(subcommand)]
    command: DriverCommand,
}

/// What there is to do with drivers.
#[derive(Debug, Subcommand)]
enum DriverCommand {
    /// List the drivers, and what they need
    List(DriverDevices),
    /// Get what a driver needs, with npm where it is not here yet, and install it on the device
    Install(NamedDriver),
    /// Remove a driver from the device, and what was got for it
    Remove(NamedDriver),
}

#[derive(Debug, Args)]
struct NamedDriver {
    /// Which driver
    driver: Installable,
    #[command(flatten)]
    device: DriverDevices,
}

/// The drivers that need something on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Installable {
    /// Appium's UiAutomator2 server
    Uia2,
}

/// Devices of which a driver is asked.
#[derive(Debug, Args)]
struct DriverDevices {
    /// Device: a serial or HOST:PORT; may be given several times
    #[arg(long = "device", short = 'd', value_name = "SERIAL", add = completions::devices())]
    devices: Vec<String>,
    #[command(flatten)]
    server: ServerSelection,
}

impl DriverDevices {
    /// Reads the settings of the project, with these devices, if any are named, and always with the stock driver.
    fn config(&self, context: &Context) -> Result<Config, CliError> {
        let mut overrides = self.server.overrides();
        overrides.devices.clone_from(&self.devices);
        overrides.settings.driver = Some(DriverChoice::Stock);
        Ok(Config::resolve(context, &overrides)?)
    }
}

impl From<ApksError> for CliError {
    /// Keeps errors of devices and files as they are; others become a failure with their message.
    fn from(error: ApksError) -> Self {
        match error {
            ApksError::Device(error) => Self::Device(error),
            ApksError::Io(error) => Self::Io(error),
            error => Self::Failed(error.to_string()),
        }
    }
}

/// Lists, installs or removes drivers on each device of the settings, or on the only connected one. Prints a line a
/// device. Install may fetch the APKs with npm, and remove deletes what was fetched. The exit code is 0; the first
/// failure is an error and ends it.
pub fn run(arguments: &DriverArguments, context: &Context) -> Result<ExitCode, CliError> {
    match &arguments.command {
        DriverCommand::List(devices) => list(&devices.config(context)?),
        DriverCommand::Install(NamedDriver {
            driver: Installable::Uia2,
            device,
        }) => install(&device.config(context)?),
        DriverCommand::Remove(NamedDriver {
            driver: Installable::Uia2,
            device,
        }) => remove(&device.config(context)?),
    }
}

/// Prints the drivers and where the APKs are, or why there are none. For each device, named or of the settings,
/// also prints whether it has them; without any, asks none. A device that cannot be opened is an error.
fn list(config: &Config) -> Result<ExitCode, CliError> {
    output::line("stock  Android's own commands; needs nothing on the device");
    output::line("uia2   Appium's UiAutomator2 server on the device, without Appium");
    output::line(&match config.apk_places().find() {
        Ok(Apks { folder, version }) => format!("       APKs {version} in {folder}"),
        Err(error) => format!("       {error}"),
    });
    if config.devices.value.is_empty() {
        return Ok(ExitCode::Passed);
    }
    on_each_device(config, async |label, device| {
        let has = match uia2::installed(device).await? {
            Some(there) if there.is_complete => {
                format!("has {}", there.version.as_deref().unwrap_or("it"))
            }
            Some(_) => "has one of its two packages only".to_owned(),
            None => "does not have it".to_owned(),
        };
        output::line(&format!("       {label} {has}"));
        Ok(())
    })?;
    Ok(ExitCode::Passed)
}

/// Installs the APKs on each device that lacks one of them or has older ones, and fetches them first if there are
/// none on this machine. The devices are those of the settings, or the only connected one. The first error ends it;
/// earlier devices keep them.
fn install(config: &Config) -> Result<ExitCode, CliError> {
    let apks = match config.apk_places().find() {
        Err(ApksError::NotFound) => {
            fetch(config)?;
            config.apk_places().find()?
        }
        found => found?,
    };
    output::line(&format!("APKs {} in {}", apks.version, apks.folder));
    on_each_device(config, async |label, device| {
        let there = uia2::installed(device)
            .await?
            .filter(|there| there.is_complete);
        if there.is_some_and(|there| !apks.are_newer_than(&there)) {
            output::line(&format!("{label} has them already"));
            return Ok(());
        }
        uia2::install(device, &apks).await?;
        output::line(&format!("{label} has them now"));
        Ok(())
    })?;
    Ok(ExitCode::Passed)
}

/// Removes the packages from each device, then the fetched APKs; those in another folder stay. A device without
/// them is no error. An error of a device ends it before the APKs are removed.
fn remove(config: &Config) -> Result<ExitCode, CliError> {
    on_each_device(config, async |label, device| {
        let was_there = uia2::remove(device).await?;
        let message = if was_there {
            "has it no more"
        } else {
            "had none"
        };
        output::line(&format!("{label} {message}"));
        Ok(())
    })?;
    if let Some(own) = config.homes.own.as_ref().filter(|own| own.exists()) {
        fs_err::remove_dir_all(own)?;
        output::line(&format!("removed {own}"));
    }
    Ok(ExitCode::Passed)
}

/// Opens the devices of the settings, or the only connected one, one after another and does the work on each; the
/// first error ends it.
fn on_each_device(
    config: &Config,
    work: impl AsyncFn(&str, &dyn Device) -> Result<(), CliError>,
) -> Result<(), CliError> {
    runtime()?.block_on(async {
        let options = OpenOptions::new(config, Use::WhereItRuns);
        let targets = devices::resolve(&config.devices.value, &options.access.server).await?;
        for target in &targets {
            let open = devices::open(target, &options).await?;
            work(&target.label, open.device.as_ref()).await?;
        }
        Ok(())
    })
}

/// Lets npm install the package with the APKs into this program's own folder, which is created. Prints a note
/// before. Returns an error without a home folder, if the folder cannot be created, or if npm fails. Does not check
/// that the APKs are there then.
fn fetch(config: &Config) -> Result<(), CliError> {
    let Some(folder) = &config.homes.own else {
        return Err(CliError::Failed(
            "there is no home folder to put the APKs into; name a folder with `uia2:` in runner.yaml".to_owned(),
        ));
    };
    output::note(&format!("npm gets {NPM_PACKAGE} into {folder}"));
    fs_err::create_dir_all(folder)?;
    npm(folder)
}

/// Installs the npm package into the folder, without running its scripts. Waits without a limit. The error has what
/// npm wrote, if it ran, and says how to do it by hand.
fn npm(folder: &Utf8Path) -> Result<(), CliError> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let ran = Command::new(program)
        .args(["install", "--no-audit", "--no-fund", "--ignore-scripts"])
        .args(["--prefix", folder.as_str(), NPM_PACKAGE])
        .stdin(Stdio::null())
        .output();
    let by_hand = format!(
        "install Node.js, or unpack the npm package {NPM_PACKAGE} and name its folder with `uia2:` in runner.yaml"
    );
    match ran {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let parsed = crate::secret::from_outside(&output.stderr);
            let response = Excerpt::new(parsed.trim(), 600);
            Err(CliError::Failed(format!(
                "npm failed: {response}\n{by_hand}"
            )))
        }
        Err(error) => Err(CliError::Failed(format!(
            "npm could not be run ({error}); {by_hand}"
        ))),
    }
}
