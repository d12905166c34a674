//! The one place where arguments, environment and `runner.yaml` meet.

use std::sync::Arc;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;
use serde_json::Value;

use super::adb::AdbVariableError;
use super::file::{ProjectDevice, ProjectFile, SnapshotDefaults};
use super::record_mode::RecordMode;
use super::{Config, Origin, Setting, adb, drivers, env_file, leases, webdriver};
use runner_base::context::Context;
use runner_device::{DeviceSpec, DriverChoice};
use runner_engine::StorageLocation;
use runner_flow::{MAX_RETRIES, Matrix};
use runner_history::HISTORY_FOLDER;
use runner_snapshot::{Redactions, UpdateMode, Variants};
use runner_text::diagnostic;
use runner_text::units::HumanDuration;

/// Default limit of a flow.
const FLOW_TIMEOUT: Duration = Duration::from_mins(5);
/// Default time a step looks for its element.
const STEP_TIMEOUT: Duration = Duration::from_secs(10);
const TEARDOWN_TIMEOUT: Duration = Duration::from_secs(30);
/// Default time that a device is waited for.
const DEVICE_WAIT: Duration = Duration::from_mins(1);

/// What the command line said; paths are as they were written.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// Flow files, folders, globs.
    pub paths: Vec<Utf8PathBuf>,
    /// `--config`.
    pub maestro_config: Option<Utf8PathBuf>,
    /// `--device`.
    pub devices: Vec<String>,
    /// `--adb-host`.
    pub adb_host: Option<String>,
    /// `--adb-port`.
    pub adb_port: Option<u16>,
    /// `--env`.
    pub env: Vec<(String, String)>,
    /// `--env-file`.
    pub env_file: Option<Utf8PathBuf>,
    /// `--update`.
    pub update: Option<UpdateMode>,
    /// `--junit`.
    pub junit: Option<Utf8PathBuf>,
    /// `--html`.
    pub html: Option<Utf8PathBuf>,
    /// `--json`.
    pub json: Option<Utf8PathBuf>,
    /// `--artifacts`.
    pub artifacts: Option<Utf8PathBuf>,
    /// `--history`.
    pub history: Option<Utf8PathBuf>,
    /// `--retries`.
    pub retries: Option<u32>,
    /// `--driver`.
    pub driver: Option<DriverChoice>,
    /// `--trace`.
    pub trace: Option<RecordMode>,
    /// `--video`.
    pub video: Option<RecordMode>,
    /// `--spread`.
    pub spread: Option<bool>,
    /// `--device-wait`.
    pub device_wait: Option<HumanDuration>,
}

/// Settings that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// `runner.yaml` does not read.
    #[error("runner.yaml does not read\n{0}")]
    File(String),
    /// A file cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A line of the env file.
    #[error("{path}:{line}: {message}")]
    EnvFile {
        /// The file.
        path: Utf8PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A variable.
    #[error("{variable}={value}: {expected}")]
    Variable {
        /// Its name.
        variable: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        expected: String,
    },
    /// A variable of adb.
    #[error(transparent)]
    Adb(#[from] AdbVariableError),
}

/// Where the event stream goes; `-` is standard output, not a file.
fn events_target(here: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    if path == "-" {
        path.to_owned()
    } else {
        here.join(path)
    }
}

impl Config {
    /// Resolves all settings.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn resolve(context: &Context, overrides: &Overrides) -> Result<Self, ConfigError> {
        let here = &context.working_folder;
        // A flow that is named by its path belongs to the project around it, wherever this was started.
        let first = overrides.paths.first();
        let first = first.map_or_else(|| here.clone(), |path| here.join(path));
        let (root, file) = read_file(here, &first)?;
        let layers = Layers {
            context,
            file: &file,
            root: &root,
        };
        // A path of the command line is one of the folder this was started in; those of `runner.yaml` are its root's.
        let working = |path: &Utf8PathBuf| here.join(path);
        let json = overrides
            .json
            .as_ref()
            .map(|path| events_target(here, path));
        Ok(Self {
            project_source: file.source.clone(),
            project_warnings: file.warnings.clone(),
            dialogs: file.dialogs(),
            flows: layers.file_only("flows", default_flows(&root), file.flows.clone()),
            maestro_config: overrides.maestro_config.as_ref().map(working),
            paths: overrides.paths.iter().map(working).collect(),
            snapshots: layers.file_only(
                "snapshots",
                Utf8PathBuf::from("snapshots"),
                file.snapshots.clone(),
            ),
            devices: layers.devices(&overrides.devices),
            listed_devices: layers.listed_devices(),
            file_env: file.env.clone(),
            command_env: command_env(here, overrides)?,
            secrets: file.secrets.clone(),
            timeout: layers.limit("timeout", FLOW_TIMEOUT, file.timeout, "RUNNER_TIMEOUT")?,
            step_timeout: layers.duration(
                "step_timeout",
                STEP_TIMEOUT,
                file.step_timeout,
                "RUNNER_STEP_TIMEOUT",
            )?,
            teardown_timeout: layers.limit(
                "teardown_timeout",
                TEARDOWN_TIMEOUT,
                file.teardown_timeout,
                "RUNNER_TEARDOWN_TIMEOUT",
            )?,
            retries: layers.retries(overrides.retries)?,
            trace: layers.record("trace", file.trace, "RUNNER_TRACE", overrides.trace)?,
            video: layers.record("video", file.video, "RUNNER_VIDEO", overrides.video)?,
            spread: layers.spread(overrides.spread)?,
            device_wait: layers.device_wait(overrides.device_wait)?,
            lease_folder: leases::folder(context),
            slow_after: layers.slow_after(),
            matrix: layers.matrix()?,
            junit: layers.path(
                "junit",
                file.reports.junit.as_ref(),
                "RUNNER_JUNIT",
                overrides.junit.as_ref().map(working),
            ),
            html: layers.path(
                "html",
                file.reports.html.as_ref(),
                "RUNNER_HTML",
                overrides.html.as_ref().map(working),
            ),
            json: layers.path("json", file.reports.json.as_ref(), "RUNNER_JSON", json),
            artifacts: layers.folder(
                "artifacts",
                file.reports.artifacts.as_ref(),
                "RUNNER_ARTIFACTS",
                overrides.artifacts.as_ref().map(working),
                ".runner/artifacts",
            ),
            history: layers.folder(
                "history",
                file.reports.history.as_ref(),
                "RUNNER_HISTORY",
                overrides.history.as_ref().map(working),
                HISTORY_FOLDER,
            ),
            update: layers.update(overrides.update)?,
            snapshot_defaults: snapshot_defaults(&file.snapshot),
            redactions: Redactions::new(&file.snapshot.redactions)
                .map_err(|error| ConfigError::File(error.to_string()))?,
            variants: variants(&file.snapshot)?,
            apps: layers.apps(),
            storage: layers.file_only("storage", StorageLocation::defaults(), storage(&file)),
            allow_shell: layers.file_only("allow_shell", false, file.allow_shell),
            http_hosts: file.http.hosts.clone().into(),
            maestro_screenshots: file.maestro.screenshots,
            driver: layers.driver(overrides.driver)?,
            uia2: layers.file_only("uia2", None, file.uia2.clone().map(Some)),
            homes: drivers::homes(context),
            adb: adb::server(context, overrides.adb_host.as_deref(), overrides.adb_port)?,
            host: adb::host(context)?,
            #[cfg(debug_assertions)]
            dies_after: context
                .variable("RUNNER_TEST_DIES_AFTER")
                .and_then(|steps| steps.parse().ok()),
            root,
        })
    }
}

/// `flows`, or `.maestro` where only that is there.
fn default_flows(root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let is_there = |name: &str| root.join(name).is_dir();
    let name = if is_there(".maestro") && !is_there("flows") {
        ".maestro"
    } else {
        "flows"
    };
    vec![Utf8PathBuf::from(name)]
}

/// The nearest `runner.yaml` at or above `start`, with the folder it is in; else an empty one and the working folder.
fn read_file(here: &Utf8Path, start: &Utf8Path) -> Result<(Utf8PathBuf, ProjectFile), ConfigError> {
    let Some(root) = runner_flow::find_root(start) else {
        // Where nothing is named, here is the project.
        let named = (start != here).then(|| runner_flow::find_maestro_root(start));
        let root = named.flatten().unwrap_or_else(|| here.to_owned());
        return Ok((root, ProjectFile::default()));
    };
    let path = root.join("runner.yaml");
    let displayed = path.strip_prefix(here).unwrap_or(&path).to_owned();
    let file = ProjectFile::read(&path, &displayed)
        .map_err(|diagnostics| ConfigError::File(diagnostic::render(&diagnostics, false, 100)))?;
    Ok((root, file))
}

fn variants(defaults: &SnapshotDefaults) -> Result<Variants, ConfigError> {
    defaults.variants().map_err(|wrong| {
        let wrong: Vec<String> = wrong.into_iter().map(|(_, message)| message).collect();
        ConfigError::File(wrong.join("\n"))
    })
}

/// The project's defaults in the shape of a step's options.
fn snapshot_defaults(defaults: &SnapshotDefaults) -> Value {
    let mut options = serde_json::Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            options.insert(name.to_owned(), value);
        }
    };
    set("tolerance", defaults.tolerance.clone());
    set(
        "mask",
        (!defaults.masks.is_empty()).then(|| Value::Array(defaults.masks.clone())),
    );
    set("bars", defaults.bars.map(Value::Bool));
    set("windows", defaults.windows.clone().map(Value::String));
    set("image", defaults.image.clone().map(Value::String));
    Value::Object(options)
}

/// The locations of `runner.yaml` with those every device has; one of the same id takes its place.
fn storage(file: &ProjectFile) -> Option<Vec<StorageLocation>> {
    if file.storage.is_empty() {
        return None;
    }
    let mut locations = StorageLocation::defaults();
    locations.retain(|location| !file.storage.contains_key(&location.id));
    locations.extend(file.storage.iter().map(|(id, storage)| {
        StorageLocation {
            id: id.clone(),
            name: storage.name.clone().unwrap_or_else(|| id.clone()),
            path: storage.path.clone(),
            description: storage.description.clone().unwrap_or_default(),
            allow_write: storage.allow_write,
            allow_delete: storage.allow_delete,
            allow_http: storage.allow_http,
            allow_unverified_https: storage.allow_unverified_https,
            download_timeout: storage
                .download_timeout
                .map_or(StorageLocation::DOWNLOAD_TIMEOUT, |limit| limit.0),
            max_mb: storage.max_mb.unwrap_or(StorageLocation::MAX_MB),
        }
    }));
    Some(locations)
}

fn command_env(
    here: &Utf8Path,
    overrides: &Overrides,
) -> Result<IndexMap<String, String>, ConfigError> {
    let mut values = IndexMap::new();
    if let Some(path) = &overrides.env_file {
        let text = fs_err::read_to_string(here.join(path))?;
        let lines = env_file::parse(&text).map_err(|bad| ConfigError::EnvFile {
            path: path.clone(),
            line: bad.line,
            message: bad.message,
        })?;
        values.extend(lines);
    }
    // After the file, which it beats.
    values.extend(overrides.env.iter().cloned());
    Ok(values)
}

struct Layers<'a> {
    context: &'a Context,
    file: &'a ProjectFile,
    root: &'a Utf8Path,
}

impl Layers<'_> {
    /// The line of a key of `runner.yaml`.
    fn origin(&self, key: &str) -> Origin {
        let offset = self.file.places.get(key).map_or(0, |range| range.start);
        match &self.file.source {
            Some(source) => Origin::File {
                path: source.path.clone(),
                line: diagnostic::line_column(&source.text, offset).0,
            },
            None => Origin::Default,
        }
    }

    fn apps(&self) -> Setting<Vec<Utf8PathBuf>> {
        let apps = (!self.file.apps.is_empty()).then(|| self.file.apps.clone());
        self.file_only("apps", Vec::new(), apps)
    }

    fn slow_after(&self) -> Setting<Option<Duration>> {
        let after = self.file.slow_after.map(|after| Some(after.0));
        self.file_only("slow_after", None, after)
    }

    fn matrix(&self) -> Result<Setting<Option<Arc<Matrix>>>, ConfigError> {
        let matrix = self.file.matrix();
        let matrix = matrix.map_err(|error| ConfigError::File(error.to_string()))?;
        let matrix = matrix.map(|matrix| Some(Arc::new(matrix)));
        Ok(self.file_only("matrix", None, matrix))
    }

    fn file_only<T>(&self, key: &str, default: T, file: Option<T>) -> Setting<T> {
        Setting::default(default).or_higher(file.map(|value| (value, self.origin(key))))
    }

    fn parsed<T>(
        &self,
        key: &str,
        default: T,
        file: Option<T>,
        variable: &'static str,
        read: impl Fn(&str) -> Option<T>,
        expected: &str,
    ) -> Result<Setting<T>, ConfigError> {
        let setting = self.file_only(key, default, file);
        let Some(text) = self.context.variable(variable) else {
            return Ok(setting);
        };
        let value = read(text).ok_or_else(|| ConfigError::Variable {
            variable,
            value: text.to_owned(),
            expected: format!("must be {expected}"),
        })?;
        Ok(Setting {
            value,
            origin: Origin::Environment(variable),
        })
    }

    fn spread(&self, argument: Option<bool>) -> Result<Setting<bool>, ConfigError> {
        let setting = self.parsed(
            "spread",
            false,
            self.file.spread,
            "RUNNER_SPREAD",
            |text| text.parse().ok(),
            "true or false",
        )?;
        Ok(setting.or_higher(argument.map(|spread| (spread, Origin::CommandLine))))
    }

    fn record(
        &self,
        key: &str,
        file: Option<RecordMode>,
        variable: &'static str,
        argument: Option<RecordMode>,
    ) -> Result<Setting<RecordMode>, ConfigError> {
        let expected = "on, on-first-retry, retain-on-failure or off";
        let mode = RecordMode::default();
        let setting = self.parsed(key, mode, file, variable, RecordMode::named, expected)?;
        Ok(setting.or_higher(argument.map(|mode| (mode, Origin::CommandLine))))
    }

    fn device_wait(
        &self,
        argument: Option<HumanDuration>,
    ) -> Result<Setting<Duration>, ConfigError> {
        let setting = self.duration(
            "device_wait",
            DEVICE_WAIT,
            self.file.device_wait,
            "RUNNER_DEVICE_WAIT",
        )?;
        Ok(setting.or_higher(argument.map(|wait| (wait.0, Origin::CommandLine))))
    }

    fn retries(&self, argument: Option<u32>) -> Result<Setting<u32>, ConfigError> {
        let setting = self.parsed(
            "retries",
            0,
            self.file.retries,
            "RUNNER_RETRIES",
            |text| text.parse().ok().filter(|count| *count <= MAX_RETRIES),
            &format!("a whole number from 0 to {MAX_RETRIES}"),
        )?;
        Ok(setting.or_higher(argument.map(|retries| (retries, Origin::CommandLine))))
    }

    fn driver(&self, argument: Option<DriverChoice>) -> Result<Setting<DriverChoice>, ConfigError> {
        let setting = self.parsed(
            "driver",
            DriverChoice::default(),
            self.file.driver,
            "RUNNER_DRIVER",
            |text| text.parse().ok(),
            "auto, stock or uia2",
        )?;
        Ok(setting.or_higher(argument.map(|driver| (driver, Origin::CommandLine))))
    }

    fn duration(
        &self,
        key: &str,
        default: Duration,
        file: Option<HumanDuration>,
        variable: &'static str,
    ) -> Result<Setting<Duration>, ConfigError> {
        let read = |text: &str| text.parse().ok();
        let expected = "a duration such as 10s";
        let setting = self.parsed(key, HumanDuration(default), file, variable, read, expected)?;
        Ok(Setting {
            value: setting.value.0,
            origin: setting.origin,
        })
    }

    /// A duration that leaves time for some step.
    fn limit(
        &self,
        key: &str,
        default: Duration,
        file: Option<HumanDuration>,
        variable: &'static str,
    ) -> Result<Setting<Duration>, ConfigError> {
        let setting = self.duration(key, default, file, variable)?;
        if setting.value.is_zero() {
            return Err(ConfigError::Variable {
                variable,
                value: "0s".to_owned(),
                expected: "must be longer, such as 30s: it leaves no time for any step".to_owned(),
            });
        }
        Ok(setting)
    }

    fn path(
        &self,
        key: &str,
        file: Option<&Utf8PathBuf>,
        variable: &'static str,
        argument: Option<Utf8PathBuf>,
    ) -> Setting<Option<Utf8PathBuf>> {
        let of_file = file.map(|path| {
            (
                Some(self.root.join(path)),
                self.origin(&format!("reports.{key}")),
            )
        });
        let of_variable = self.context.variable(variable).map(|path| {
            (
                Some(self.context.working_folder.join(path)),
                Origin::Environment(variable),
            )
        });
        Setting::default(None)
            .or_higher(of_file)
            .or_higher(of_variable)
            .or_higher(argument.map(|path| (Some(path), Origin::CommandLine)))
    }

    /// As [`Self::path`], with a folder below the root as the default.
    fn folder(
        &self,
        key: &str,
        file: Option<&Utf8PathBuf>,
        variable: &'static str,
        argument: Option<Utf8PathBuf>,
        default: &str,
    ) -> Setting<Utf8PathBuf> {
        let setting = self.path(key, file, variable, argument);
        Setting {
            value: setting.value.unwrap_or_else(|| self.root.join(default)),
            origin: setting.origin,
        }
    }

    fn listed_devices(&self) -> Vec<DeviceSpec> {
        let wanted = |device| wanted(device, self.context);
        self.file.devices.iter().flat_map(wanted).collect()
    }

    fn devices(&self, arguments: &[String]) -> Setting<Vec<DeviceSpec>> {
        let of_file = self.listed_devices();
        // `ANDROID_SERIAL` is what adb itself goes by.
        let of_variable = ["RUNNER_DEVICE", "ANDROID_SERIAL"]
            .into_iter()
            .find_map(|variable| {
                let serial = self.context.variable(variable)?;
                Some((
                    vec![DeviceSpec::named(serial)],
                    Origin::Environment(variable),
                ))
            });
        let of_arguments: Vec<DeviceSpec> = arguments
            .iter()
            .map(|name| DeviceSpec::named(name))
            .collect();
        let some =
            |devices: Vec<DeviceSpec>, origin| (!devices.is_empty()).then_some((devices, origin));
        let setting = Setting::default(Vec::new())
            .or_higher(some(of_file.clone(), self.origin("devices")))
            .or_higher(of_variable)
            .or_higher(some(of_arguments, Origin::CommandLine));
        // What runner.yaml says of a device (its label, its render class, its variant) holds however the device was chosen.
        let known = |device: DeviceSpec| {
            let mut listed = of_file.iter();
            if let Some(found) = listed.find(|listed| listed.name == device.name) {
                return vec![found.clone()];
            }
            let named: Vec<DeviceSpec> = of_file
                .iter()
                .filter(|listed| is_called(listed, &device.name))
                .cloned()
                .collect();
            if named.is_empty() {
                vec![device]
            } else {
                named
            }
        };
        // The file's own list is as it stands: `virtual` may be in it several times.
        if matches!(setting.origin, Origin::File { .. }) {
            return setting;
        }
        Setting {
            value: setting.value.into_iter().flat_map(known).collect(),
            origin: setting.origin,
        }
    }

    fn update(&self, argument: Option<UpdateMode>) -> Result<Setting<UpdateMode>, ConfigError> {
        let mut setting = Setting::default(UpdateMode::Pending);
        // In CI nobody reviews pending files; what would be pending goes among the artifacts.
        if self.context.is_ci() {
            setting = Setting {
                value: UpdateMode::None,
                origin: Origin::Environment("CI"),
            };
        }
        if let Some(text) = self.context.variable("RUNNER_UPDATE") {
            let value = UpdateMode::ALL
                .into_iter()
                .find(|mode| mode.name().eq_ignore_ascii_case(text))
                .ok_or_else(|| ConfigError::Variable {
                    variable: "RUNNER_UPDATE",
                    value: text.to_owned(),
                    expected: "must be pending, none, new, changed or all".to_owned(),
                })?;
            setting = Setting {
                value,
                origin: Origin::Environment("RUNNER_UPDATE"),
            };
        }
        Ok(setting.or_higher(argument.map(|mode| (mode, Origin::CommandLine))))
    }
}

/// Whether `name` is its label, or that of all sessions of its server.
fn is_called(device: &DeviceSpec, name: &str) -> bool {
    let of_sessions = device
        .name
        .rsplit_once('-')
        .filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    device.label.as_deref() == Some(name)
        || device.webdriver.is_some() && of_sessions.is_some_and(|(label, _)| label == name)
}

fn wanted(device: &ProjectDevice, context: &Context) -> Vec<DeviceSpec> {
    if let Some(url) = &device.webdriver {
        return webdriver::devices(device, url, context);
    }
    vec![DeviceSpec {
        name: device.serial.clone(),
        label: device.label.clone(),
        render_class: device.render_class.clone(),
        variant: device.variant.clone(),
        driver: device.driver,
        tags: device.tags.clone(),
        webdriver: None,
    }]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn retries_of_the_environment_have_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        fs_err::write(root.join("runner.yaml"), "").unwrap();
        for (message, read) in [
            ("0", Some(0)),
            ("10", Some(10)),
            ("11", None),
            ("4294967295", None),
            ("-1", None),
            ("many", None),
        ] {
            let variables = BTreeMap::from([("RUNNER_RETRIES".to_owned(), message.to_owned())]);
            let context = Context::fixed(root.clone(), variables);
            match (Config::resolve(&context, &Overrides::default()), read) {
                (Ok(config), read) => assert_eq!(Some(config.retries.value), read, "{message}"),
                (Err(error), None) => assert_eq!(
                    error.to_string(),
                    format!("RUNNER_RETRIES={message}: must be a whole number from 0 to 10")
                ),
                (Err(error), Some(_)) => panic!("{message}: {error}"),
            }
        }
    }
}
