//! Arguments + environment + `runner.yaml` → one [`Config`], once, each value with where it came from.
//!
//! Command line beats `RUNNER_*` beats file beats default. Nothing else decides a setting.

mod adb;
mod dialogs;
mod drivers;
mod env_file;
mod file;
mod leases;
mod record_mode;
mod resolve;
mod schema;
mod setting;
mod webdriver;

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use indexmap::IndexMap;

pub use adb::keys as host_keys;
pub use drivers::DriverHomes;
pub use file::ScreenshotUse;
pub use record_mode::RecordMode;
pub use resolve::{ConfigError, Overrides};
pub use schema::schema;
pub use setting::{Origin, Setting};

use runner_device::adb::{Access, AdbServer, Host};
use runner_device::uia2::ApkPlaces;
use runner_device::{DeviceSpec, DriverChoice};
use runner_engine::{DialogRule, StorageLocation};
use runner_flow::{Matrix, ReadOptions};
use runner_history::HISTORY_FOLDER;
use runner_snapshot::{Redactions, SnapshotError, Store, UpdateMode, Variants};
use runner_text::diagnostic::{Diagnostic, Source};
use runner_text::secret::Scrubber;

/// All settings of the program.
#[derive(Debug, Clone)]
pub struct Config {
    /// The project's root, absolute: where `runner.yaml` is, else the working folder.
    pub root: Utf8PathBuf,
    /// The text of `runner.yaml`, where there is one: its `setup` and `teardown` are read with the flows.
    pub project_source: Option<Arc<Source>>,
    /// What `runner.yaml` says without effect.
    pub project_warnings: Vec<Diagnostic>,
    /// What to do with dialogs that would hide the app.
    pub dialogs: Arc<[DialogRule]>,
    /// Where flows are looked for, relative to the root.
    pub flows: Setting<Vec<Utf8PathBuf>>,
    /// Paths named on the command line, absolute; they replace `flows`.
    pub paths: Vec<Utf8PathBuf>,
    /// What takes the place of `config.yaml` in Maestro's workspaces, absolute.
    pub maestro_config: Option<Utf8PathBuf>,
    /// Folder of goldens, relative to the root.
    pub snapshots: Setting<Utf8PathBuf>,
    /// Devices, in order; empty means the only one connected.
    pub devices: Setting<Vec<DeviceSpec>>,
    /// The devices that `runner.yaml` lists, chosen or not.
    pub listed_devices: Vec<DeviceSpec>,
    /// Env of `runner.yaml`.
    pub file_env: IndexMap<String, String>,
    /// Env of `--env-file` and `--env`.
    pub command_env: IndexMap<String, String>,
    /// Names of env values that no output may show.
    pub secrets: Vec<String>,
    /// Limit of a flow.
    pub timeout: Setting<Duration>,
    /// How long a step looks for its element.
    pub step_timeout: Setting<Duration>,
    /// Limit of each flow's teardown.
    pub teardown_timeout: Setting<Duration>,
    /// Runs after a failure.
    pub retries: Setting<u32>,
    /// A flow that takes longer is named.
    pub slow_after: Setting<Option<Duration>>,
    /// The matrix of flows that have none of their own.
    pub matrix: Setting<Option<Arc<Matrix>>>,
    /// When attempts are traced.
    pub trace: Setting<RecordMode>,
    /// When videos are made.
    pub video: Setting<RecordMode>,
    /// Each flow runs once, on the next free device that fits.
    pub spread: Setting<bool>,
    /// Maximum wait for a busy or lost device.
    pub device_wait: Setting<Duration>,
    /// Folder of the leases on devices, absolute; this user's, for all projects.
    pub lease_folder: Utf8PathBuf,
    /// JUnit file, absolute.
    pub junit: Setting<Option<Utf8PathBuf>>,
    /// Folder of the HTML report, absolute.
    pub html: Setting<Option<Utf8PathBuf>>,
    /// Event stream, absolute, or `-`.
    pub json: Setting<Option<Utf8PathBuf>>,
    /// Folder of artifacts, absolute.
    pub artifacts: Setting<Utf8PathBuf>,
    /// Folder of the history, absolute; or a file that holds some, which is only read.
    pub history: Setting<Utf8PathBuf>,
    /// Which goldens are written.
    pub update: Setting<UpdateMode>,
    /// Defaults of `snapshot:` steps, in the shape of its options.
    pub snapshot_defaults: serde_json::Value,
    /// What is replaced in the texts of all goldens.
    pub redactions: Redactions,
    /// Which devices have variants of goldens.
    pub variants: Variants,
    /// Apps of the virtual device, relative to the root.
    pub apps: Setting<Vec<Utf8PathBuf>>,
    /// Folders of the device that the file tools may use.
    pub storage: Setting<Vec<StorageLocation>>,
    /// Whether flows may use `shell:`.
    pub allow_shell: Setting<bool>,
    /// Hosts that `http:` may reach, each alone or with its port.
    pub http_hosts: Arc<[String]>,
    /// What `takeScreenshot` of Maestro's flows makes.
    pub maestro_screenshots: ScreenshotUse,
    /// How devices are looked at and touched.
    pub driver: Setting<DriverChoice>,
    /// Folder of the UiAutomator2 server's APKs, relative to the root, where runner.yaml names one.
    pub uia2: Setting<Option<Utf8PathBuf>>,
    /// Folders outside the project where drivers are looked for.
    pub homes: DriverHomes,
    /// The adb server.
    pub adb: Setting<AdbServer>,
    /// This computer, as a device that asks for a key sees it.
    pub host: Host,
    /// Tests of the program only: it ends after so many things done to files of goldens.
    #[cfg(debug_assertions)]
    pub(crate) dies_after: Option<usize>,
}

impl Config {
    /// Where flows are looked for: what was named, else `flows`, absolute.
    pub fn flow_paths(&self) -> Vec<Utf8PathBuf> {
        if self.paths.is_empty() {
            self.flows
                .value
                .iter()
                .map(|path| self.root.join(path))
                .collect()
        } else {
            self.paths.clone()
        }
    }

    /// What reading flows needs to know.
    pub fn read_options(&self) -> ReadOptions {
        let env = self
            .file_env
            .keys()
            .chain(self.command_env.keys())
            .cloned()
            .collect();
        ReadOptions {
            root: self.root.clone(),
            env,
            secrets: self.secrets.clone(),
            hidden: self.known_secrets(),
            allow_shell: self.allow_shell.value,
            matrix: self.matrix.value.clone(),
        }
    }

    /// The values that the project and the command line give to secret names.
    pub fn known_secrets(&self) -> Scrubber {
        let known = Scrubber::default();
        for name in &self.secrets {
            // Also a value that another one overrides: it still stands in its file.
            for values in [&self.file_env, &self.command_env] {
                if let Some(value) = values.get(name) {
                    known.add(value);
                }
            }
        }
        for secret in self.device_secrets() {
            known.add(secret);
        }
        known
    }

    /// Where a run's history is written: the folder, or that of the project where a file is named to be read.
    pub fn history_folder(&self) -> Utf8PathBuf {
        if self.history.value.is_file() {
            self.root.join(HISTORY_FOLDER)
        } else {
            self.history.value.clone()
        }
    }

    /// Users and keys of servers, and whatever else of the environment their devices name.
    pub fn device_secrets(&self) -> impl Iterator<Item = &String> {
        let servers = self.devices.value.iter().chain(&self.listed_devices);
        servers
            .filter_map(|device| device.webdriver.as_ref())
            .flat_map(|server| &server.secrets)
    }

    /// The adb server.
    pub fn adb_server(&self) -> AdbServer {
        self.adb.value.clone()
    }

    /// What devices are reached with.
    pub fn adb_access(&self) -> Access {
        Access {
            server: self.adb_server(),
            host: self.host.clone(),
        }
    }

    /// The same settings, with a way to tell a person what to do while a device is waited for.
    #[must_use]
    pub fn with_notifier(mut self, notify: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.host = self.adb_access().with_notifier(notify).host;
        self
    }

    /// Where the APKs of the UiAutomator2 server are looked for.
    pub fn apk_places(&self) -> ApkPlaces {
        let named = self.uia2.value.as_ref();
        ApkPlaces {
            configured: named.map(|path| self.root.join(path)),
            project: Some(self.root.clone()),
            appium: self.homes.appium.clone(),
            own: self.homes.own.clone(),
        }
    }

    /// The golden store.
    pub fn store(&self) -> Store {
        let store = Store::new(&self.root, &self.snapshots.value);
        #[cfg(debug_assertions)]
        if let Some(steps) = self.dies_after {
            return store.dying_after(steps);
        }
        store
    }

    /// The golden store, after what a crash had interrupted was brought to its end.
    ///
    /// # Errors
    /// The store's.
    pub fn recovered_store(&self) -> Result<Store, SnapshotError> {
        let store = self.store();
        store.recover()?;
        Ok(store)
    }

    /// App folders of the virtual device, absolute.
    pub fn app_folders(&self) -> Vec<Utf8PathBuf> {
        self.apps
            .value
            .iter()
            .map(|folder| self.root.join(folder))
            .collect()
    }

    /// Name, value and origin of each setting, for `runner config`. Secrets are masked.
    pub fn describe(&self) -> Vec<(String, String, String)> {
        let mut lines = vec![(
            "root".to_owned(),
            self.root.to_string(),
            String::from("where runner.yaml is, else here"),
        )];
        let mut add = |name: &str, value: String, origin: &Origin| {
            lines.push((name.to_owned(), value, origin.to_string()));
        };
        let optional = |path: &Option<Utf8PathBuf>| {
            path.as_ref().map_or("none".to_owned(), ToString::to_string)
        };
        let duration = |value: Duration| runner_text::units::HumanDuration(value).to_string();
        add("flows", join(&self.flows.value), &self.flows.origin);
        add(
            "snapshots",
            self.snapshots.value.to_string(),
            &self.snapshots.origin,
        );
        let devices: Vec<&str> = self
            .devices
            .value
            .iter()
            .map(|device| device.name.as_str())
            .collect();
        let devices = if devices.is_empty() {
            "the only one connected".to_owned()
        } else {
            devices.join(", ")
        };
        add("devices", devices, &self.devices.origin);
        add(
            "timeout",
            duration(self.timeout.value),
            &self.timeout.origin,
        );
        add(
            "step_timeout",
            duration(self.step_timeout.value),
            &self.step_timeout.origin,
        );
        add(
            "teardown_timeout",
            duration(self.teardown_timeout.value),
            &self.teardown_timeout.origin,
        );
        add(
            "retries",
            self.retries.value.to_string(),
            &self.retries.origin,
        );
        add(
            "update",
            self.update.value.name().to_owned(),
            &self.update.origin,
        );
        for (name, report) in [
            ("junit", &self.junit),
            ("html", &self.html),
            ("json", &self.json),
        ] {
            add(name, optional(&report.value), &report.origin);
        }
        for (name, folder) in [("artifacts", &self.artifacts), ("history", &self.history)] {
            add(name, folder.value.to_string(), &folder.origin);
        }
        add("apps", join(&self.apps.value), &self.apps.origin);
        let storage = describe_storage(&self.storage.value);
        add("storage", storage, &self.storage.origin);
        add(
            "allow_shell",
            self.allow_shell.value.to_string(),
            &self.allow_shell.origin,
        );
        add(
            "adb server",
            format!("{}:{}", self.adb.value.host, self.adb.value.port),
            &self.adb.origin,
        );
        let file = || "runner.yaml".to_owned();
        lines.extend(self.describe_cases());
        lines.extend(self.describe_drivers());
        for (name, mode) in [("trace", &self.trace), ("video", &self.video)] {
            let origin = mode.origin.to_string();
            lines.push((name.to_owned(), mode.value.name().to_owned(), origin));
        }
        lines.extend(self.describe_spread());
        lines.extend(self.describe_snapshots());
        if !self.secrets.is_empty() {
            lines.push(("secrets".to_owned(), self.secrets.join(", "), file()));
        }
        for (name, value) in &self.file_env {
            let display = if self.secrets.contains(name) {
                runner_text::secret::MASK
            } else {
                value
            };
            lines.push((format!("env.{name}"), display.to_owned(), file()));
        }
        lines
    }

    /// What flows are run with, and what is too long.
    fn describe_cases(&self) -> Vec<(String, String, String)> {
        let slow_after = self.slow_after.value.map(runner_text::units::HumanDuration);
        let slow_after = slow_after.map_or_else(|| "none".to_owned(), |after| after.to_string());
        let origin = self.slow_after.origin.to_string();
        let mut lines = vec![("slow_after".to_owned(), slow_after, origin)];
        if let Some(matrix) = &self.matrix.value {
            let origin = self.matrix.origin.to_string();
            lines.push(("matrix".to_owned(), matrix.describe(), origin));
        }
        lines
    }

    fn describe_spread(&self) -> [(String, String, String); 2] {
        let wait = runner_text::units::HumanDuration(self.device_wait.value);
        [
            (
                "spread".to_owned(),
                self.spread.value.to_string(),
                self.spread.origin.to_string(),
            ),
            (
                "device_wait".to_owned(),
                wait.to_string(),
                self.device_wait.origin.to_string(),
            ),
        ]
    }

    fn describe_drivers(&self) -> [(String, String, String); 2] {
        let apks = self.uia2.value.as_ref();
        [
            (
                "driver".to_owned(),
                self.driver.value.name().to_owned(),
                self.driver.origin.to_string(),
            ),
            (
                "uia2".to_owned(),
                apks.map_or("none".to_owned(), ToString::to_string),
                self.uia2.origin.to_string(),
            ),
        ]
    }

    /// The defaults of snapshots, which only `runner.yaml` has.
    fn describe_snapshots(&self) -> Vec<(String, String, String)> {
        let file = || "runner.yaml".to_owned();
        let mut lines = Vec::new();
        for (name, value) in self.snapshot_defaults.as_object().into_iter().flatten() {
            let key = if name == "mask" { "masks" } else { name };
            lines.push((format!("snapshot.{key}"), value.to_string(), file()));
        }
        for rule in self.redactions.rules() {
            let value = format!("{} → {}", rule.pattern, rule.alias);
            lines.push(("snapshot.redactions".to_owned(), value, file()));
        }
        if !self.variants.is_empty() {
            let value = self.variants.describe();
            lines.push(("snapshot.variants".to_owned(), value, file()));
        }
        lines
    }
}

fn describe_storage(locations: &[StorageLocation]) -> String {
    let storage = locations.iter().map(|location| {
        let rights = match (location.allow_write, location.allow_delete) {
            (true, true) => "write, delete",
            (true, false) => "write",
            (false, true) => "delete",
            (false, false) => "read-only",
        };
        format!("{}: {} ({rights})", location.id, location.path)
    });
    storage.collect::<Vec<_>>().join("; ")
}

fn join(paths: &[Utf8PathBuf]) -> String {
    if paths.is_empty() {
        "none".to_owned()
    } else {
        paths
            .iter()
            .map(|path| path.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    }
}
