//! `runner virtual`: serves the virtual device until interrupted.

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, Subcommand};
use runner_adb::auth::PublicKey;

use super::app_check::check_app;
use super::error::CliError;
use super::output;
use super::runtime::runtime;
use super::selection::apps_exist;
use super::virtual_install::{self, InstallArguments};
use crate::app_host::places::Places;
use crate::config::{AppPaths, Config, Overrides, host_keys, is_package};
use crate::context::Context;
use crate::device::VIRTUAL;
use crate::diagnostic::{self, Diagnostic};
use crate::exit_code::ExitCode;
use crate::flow::document;
use crate::interrupt;
use crate::run::devices::with_apks;
use crate::units::HumanDuration;
use crate::virtual_automation::SERVERS;
use crate::virtual_device::{
    self, FaultSpec, KeyDemand, Quirk, VirtualDevice, VirtualDeviceOptions,
};
use runner_text::input_file::{MAX_TEXT, read_named_text};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct VirtualArguments {
    #[command(subcommand)]
    command: Option<VirtualCommand>,
    /// TCP port on 127.0.0.1; 0 takes a free one. An adb server looks for emulators at 5555 to 5585 by itself
    #[arg(long, default_value_t = 5600)]
    port: u16,
    /// App: an APK, or a folder with an app.yaml; may be given several times [default: `apps` of runner.yaml]
    #[arg(long = "app", value_name = "APK|DIR")]
    apps: Vec<Utf8PathBuf>,
    /// Class path of the app's own build, to run instead of the code in the one APK of `--app`: jars and folders
    #[arg(long, value_name = "PATHS", requires = "apps")]
    classes: Option<String>,
    /// Take the time that real devices take, and offer nothing that phones lack; short for the quirk `real-time`
    #[arg(long)]
    realistic: bool,
    /// Be as some phones are, such as `samsung-user-150,no-log`; a wrong name lists all [default: `quirks` of runner.yaml]
    #[arg(long = "quirk", value_name = "QUIRK", value_delimiter = ',')]
    quirks: Vec<Quirk>,
    /// Misbehave, such as `null-root` or `slow-command=5s:2` (twice); may be given several times. A wrong name lists all
    #[arg(long = "fault", value_name = "FAULT")]
    faults: Vec<FaultSpec>,
    /// Ask hosts for a key, and let in those of these `adbkey.pub` files [default: this computer's keys]
    #[arg(long, value_name = "FILE", num_args = 0..)]
    require_key: Option<Vec<Utf8PathBuf>>,
    /// Allow an unknown key after this time, as a person at the phone would; without it, nobody answers the question
    #[arg(
        long,
        value_name = "DURATION",
        requires = "require_key",
        conflicts_with = "tls"
    )]
    allow_after: Option<HumanDuration>,
    /// Ask for the key over TLS, as wireless debugging does; nobody is asked to allow one
    #[arg(long)]
    tls: bool,
}

/// What else there is to do with the virtual device.
#[derive(Debug, Subcommand)]
enum VirtualCommand {
    /// Get the parts that run an APK on the virtual device: about 400 MB, once for all projects
    Install(InstallArguments),
}

/// Serves the device on 127.0.0.1, and prints its address, until somebody ends it, which is a success, or installs the
/// parts for APKs. Without apps on the command line, the device has the apps of `runner.yaml`, and the quirks of
/// `runner.yaml` if none is given; with apps, `runner.yaml` is not read. Exits with 2, and serves nothing, if the files
/// of an app have errors; warnings are only printed. An APK that cannot run, and a port in use, are errors.
pub fn run(arguments: VirtualArguments, context: &Context) -> Result<ExitCode, CliError> {
    if let Some(VirtualCommand::Install(install)) = &arguments.command {
        return virtual_install::run(install, context);
    }
    let demand = demand(&arguments, context)?;
    let mut quirks = arguments.quirks;
    let (root, displayed) = if arguments.apps.is_empty() {
        let config = Config::resolve(context, &Overrides::default())?;
        if quirks.is_empty() {
            quirks.clone_from(&config.quirks.value);
        }
        (config.root.clone(), config.settings.apps.value)
    } else {
        let classes = arguments.classes.as_deref();
        apps_exist(&arguments.apps, classes, &context.working_folder)?;
        (context.working_folder.clone(), arguments.apps)
    };
    quirks.extend(arguments.realistic.then_some(Quirk::RealTime));
    let (apks, displayed): (Vec<Utf8PathBuf>, Vec<Utf8PathBuf>) =
        displayed.into_iter().partition(|path| is_package(path));
    let apps = AppPaths {
        folders: displayed.iter().map(|folder| root.join(folder)).collect(),
        apks: apks.iter().map(|apk| root.join(apk)).collect(),
        classes: arguments.classes,
    };
    let found: Vec<Diagnostic> = apps
        .folders
        .iter()
        .zip(&displayed)
        .flat_map(|(folder, display_path)| check_app(folder, display_path))
        .collect();
    if !found.is_empty() {
        let color = context.color(context.stderr_is_terminal);
        output::diagnostics_to_stderr(&diagnostic::render(&found, color, context.width));
    }
    if virtual_device::app_has_errors(&found) {
        return Ok(ExitCode::Usage);
    }
    runtime()?.block_on(async {
        let mut requests = interrupt::Requests::new()?;
        let options = VirtualDeviceOptions {
            port: arguments.port,
            apps: apps.folders.clone(),
            schema_check: document::problems,
            quirks,
            faults: arguments.faults,
            demand,
            servers: Some(SERVERS),
            ..VirtualDeviceOptions::default()
        };
        let options = with_apks(options, &apps, &Places::from_context(context), VIRTUAL).await?;
        let device = VirtualDevice::start(options)
            .await
            .map_err(|error| CliError::Failed(error.to_string()))?;
        let address = format!("127.0.0.1:{}", device.port());
        output::line(&format!(
            "virtual device at {address}: `adb connect {address}`, or `--device {address}`"
        ));
        requests.next().await?;
        Ok(ExitCode::Passed)
    })
}

/// Returns the keys that hosts have to show, or `None` if all may connect: without `--require-key` and `--tls`. If
/// no file is named, this computer's key is known; if it has none, no key is, with a note. Returns an error for a
/// file that cannot be read or is no public key; nothing of it is repeated.
fn demand(arguments: &VirtualArguments, context: &Context) -> Result<Option<KeyDemand>, CliError> {
    if arguments.require_key.is_none() && !arguments.tls {
        return Ok(None);
    }
    let files = arguments.require_key.as_deref().unwrap_or_default();
    let known = if files.is_empty() {
        host_keys(context).public()
    } else {
        let folder = &context.working_folder;
        let read = |file: &Utf8PathBuf| known_key(&folder.join(file), file);
        files.iter().map(read).collect::<Result<_, _>>()?
    };
    if known.is_empty() {
        output::note("this computer has no key yet, so the device knows none");
    }
    Ok(Some(KeyDemand {
        known,
        allow_after: arguments.allow_after.map(|HumanDuration(time)| time),
        tls: arguments.tls,
    }))
}

fn known_key(path: &Utf8Path, displayed: &Utf8Path) -> Result<PublicKey, CliError> {
    let text = read_named_text(path, MAX_TEXT)?;
    // Nothing of the file is repeated: somebody may have named the private half.
    PublicKey::parse(&text).map_err(|error| CliError::Usage(format!("{displayed} holds {error}")))
}
