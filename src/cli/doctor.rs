//! `runner doctor`: checks adb, devices and permissions, and says what to do.

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use runner_git::Repository;
use runner_text::temporary_folder::TemporaryFolder;

use super::error::CliError;
use super::init_git::merge_problems;
use super::runtime::runtime;
use super::selection::DeviceSelection;
use super::trial::Trial;
use super::{bundle, doctor_apk, output};
use crate::config::{Config, DeviceSpec};
use crate::context::Context;
use crate::device::adb::{ConnectedDevice, ConnectionState};
use crate::device::doctor::{self, CheckResult};
use crate::device::uia2::Use;
use crate::exit_code::ExitCode;
use crate::log;
use crate::run::devices::{self, Address, OpenOptions, Target};
use runner_base::output_file::{Form, OutputFile};

#[derive(Debug, Args)]
pub struct DoctorArguments {
    #[command(flatten)]
    device: DeviceSelection,
    /// Also do on each device what flows need, with times: press HOME and come back, copy, record a second, ask to grant
    #[arg(long = "try")]
    try_out: bool,
    /// With `--try`: type into the field of the app in front with this id or words; its text is replaced
    #[arg(long, value_name = "FIELD", requires = "try_out")]
    type_into: Option<String>,
    /// Pack what was found, the settings, a log and the last run's events, without secrets, to send to somebody
    #[arg(long, value_name = "FILE.zip")]
    bundle: Option<Utf8PathBuf>,
}

/// Runs the checks of the goldens, the host, the devices and of what APKs need, in this order, and prints the
/// findings at the end. With `--try` also changes the devices. Exits with 3 if any finding is bad, whatever its
/// kind, else with 0. With `--bundle` also packs an archive to send.
///
/// `log` is the file of `--log`, if the program already writes one; it is packed then.
pub fn run(
    arguments: &DoctorArguments,
    log: Option<&Utf8Path>,
    context: &Context,
) -> Result<ExitCode, CliError> {
    let config = Config::resolve(context, &arguments.device.overrides())?;
    arguments.device.check_apps(&context.working_folder)?;
    // One process has one log: what `--log` writes is packed.
    let bundle = arguments
        .bundle
        .as_ref()
        .map(|path| OutputFile::new(&context.working_folder, path, Form::Archive, "--bundle"));
    let bundle = bundle.transpose()?;
    let own_log = match (&arguments.bundle, log) {
        (Some(_), None) => Some(LogOfChecks::begin()?),
        _ => None,
    };
    let log = log.or(own_log.as_ref().map(|log| log.path.as_path()));
    let trial = arguments.try_out.then(|| Trial {
        field: arguments.type_into.clone(),
    });
    let mut findings = goldens(&config)?;
    findings.extend(runtime()?.block_on(examine(&config, trial.as_ref())));
    findings.push(doctor_apk::check(context));
    print(&findings);
    let bad = findings.iter().filter(|finding| !finding.ok).count();
    output::note(&match bad {
        0 => "all is well".to_owned(),
        1 => "1 problem".to_owned(),
        _ => format!("{bad} problems"),
    });
    if let (Some(bundle), Some(path), Some(log)) = (&bundle, &arguments.bundle, log) {
        bundle::write(bundle, &config, context, &findings, log)?;
        output::note(&format!(
            "packed in {path}; look into it before you send it"
        ));
    }
    Ok(if bad == 0 {
        ExitCode::Passed
    } else {
        ExitCode::NoDevice
    })
}

/// Checks the goldens of this clone: Git LFS pointers, which are bad, and merge settings, which are notes. Returns
/// one finding per problem; empty if all is well. All pointers are one problem. Outside a repository only the
/// pointers are checked. An error if the goldens cannot be listed.
fn goldens(config: &Config) -> Result<Vec<CheckResult>, CliError> {
    let mut findings = Vec::new();
    let pointers = config.store().pointers()?;
    if let Some(first) = pointers.first() {
        findings.push(CheckResult {
            advice: Some("run `git lfs pull`".to_owned()),
            ..unusable(
                "goldens",
                &format!(
                    "{} are pointers of Git LFS, the files themselves were not downloaded: {first}{}",
                    pointers.len(),
                    if pointers.len() > 1 { ", …" } else { "" }
                ),
            )
        });
    }
    // Outside a repository, and without git, nothing is merged.
    if let Ok(repository) = Repository::around(&config.root) {
        for what in merge_problems(config, &repository)? {
            findings.push(CheckResult::limited(
                "goldens",
                &what,
                "run `runner init --git`; what it does not change stands in other attributes",
            ));
        }
    }
    Ok(findings)
}

/// Log of the checks, in a temporary folder that is removed on drop.
struct LogOfChecks {
    // Dropped, it removes the folder and the log in it.
    _folder: TemporaryFolder,
    path: Utf8PathBuf,
}

impl LogOfChecks {
    /// Begins the log of the process, in a temporary folder that is removed when the result is dropped. An error if
    /// the process has a log already.
    fn begin() -> Result<Self, CliError> {
        let folder = TemporaryFolder::new()?;
        let path = folder.path().join("doctor.log");
        log::begin(
            &OutputFile::new(folder.path(), &path, Form::Log, "--log")?,
            None,
        )?;
        Ok(Self {
            _folder: folder,
            path,
        })
    }
}

/// Prints one line per finding, and one per advice. Timed ones are aligned in columns. A good finding with advice
/// is marked as a note. Prints nothing for none, and no total.
fn print(findings: &[CheckResult]) {
    let tried = findings.iter().filter(|finding| finding.took_ms.is_some());
    let width = tried.map(|finding| finding.title.chars().count()).max();
    let width = width.unwrap_or_default();
    for finding in findings {
        let mark = match (finding.ok, &finding.advice) {
            (false, _) => "BAD ",
            (true, Some(_)) => "note",
            (true, None) => "ok  ",
        };
        let CheckResult { title, detail, .. } = finding;
        output::line(&match finding.took_ms {
            Some(took) => format!("{mark}  {title:<width$} {took:>7} ms  {detail}"),
            None => format!("{mark}  {title}: {detail}"),
        });
        if let Some(advice) = &finding.advice {
            output::line(&format!("      → {advice}"));
        }
    }
}

/// Checks the host, then each named device, or else each that is ready. Checking the host starts the adb server; it is
/// left out if all named devices are remote ones. A missing server is no bad finding if no device needs it. If no
/// device was named and none is ready, there are only the host's findings. Devices that cannot be resolved are a bad
/// finding, no error.
async fn examine(config: &Config, trial: Option<&Trial>) -> Vec<CheckResult> {
    let server = config.adb_server();
    let named = &config.devices.value;
    let resolved = devices::resolve(named, &server).await;
    // The virtual device, one on USB and one at an address need no adb server.
    let through_server = |target: &Target| matches!(target.address, Address::Serial(_));
    let needed = resolved
        .as_ref()
        .map_or(true, |targets| targets.iter().any(through_server));
    let is_remote = |target: &Target| matches!(target.address, Address::WebDriver { .. });
    let (mut findings, connected) = match &resolved {
        // These devices need nothing of this computer.
        Ok(targets) if targets.iter().all(is_remote) => (Vec::new(), Vec::new()),
        _ => doctor::check_host(&server, needed).await,
    };
    let resolved = if named.is_empty() && needed {
        let ready = ready(&connected);
        if ready.is_empty() {
            return findings;
        }
        devices::resolve(&ready, &server).await
    } else {
        resolved
    };
    match resolved {
        Ok(targets) => {
            for target in &targets {
                findings.extend(examine_device(target, config, trial).await);
            }
        }
        Err(error) => findings.push(unusable("devices", &error)),
    }
    findings
}

/// Returns the devices that are online, by their serial numbers and in order. Empty if none is.
fn ready(connected: &[ConnectedDevice]) -> Vec<DeviceSpec> {
    connected
        .iter()
        .filter(|device| device.state == ConnectionState::Online)
        .map(|device| DeviceSpec::named(&device.serial))
        .collect()
}

/// Opens the device, which may wait for a person who must allow that, and checks it, with the trial if there is one.
/// Installs no driver. The first finding says how the device was reached; all begin with its name. A device that does
/// not open gives a single bad result.
async fn examine_device(
    target: &Target,
    config: &Config,
    trial: Option<&Trial>,
) -> Vec<CheckResult> {
    let options = OpenOptions::new(config, Use::WhereItRuns).with_notifier(output::note);
    match devices::open(target, &options).await {
        Ok(open) => {
            let mut findings = vec![CheckResult::good("reached", target.address.way())];
            findings.extend(doctor::check_device(open.device.as_ref()).await);
            if let Some(trial) = trial {
                findings.extend(trial.run(&open, target, config).await);
            }
            for finding in &mut findings {
                finding.title = format!("{}, {}", target.label, finding.title);
            }
            findings
        }
        Err(error) => {
            let address = match &target.address {
                Address::Direct(address) => format!("{address} (asked without a server)"),
                _ => target.label.clone(),
            };
            vec![unusable(&address, &error)]
        }
    }
}

/// Returns a bad result with the error and without advice.
fn unusable(title: &str, error: &impl std::fmt::Display) -> CheckResult {
    CheckResult {
        ok: false,
        title: title.to_owned(),
        detail: error.to_string(),
        advice: None,
        took_ms: None,
    }
}
