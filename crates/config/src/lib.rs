//! Arguments + environment + `runner.yaml` → one [`Config`], once, each value with where it came from.
//!
//! Command line beats `RUNNER_*` beats file beats default. Nothing else decides a setting.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod adb;
mod apps;
mod choice;
mod device_spec;
mod devices;
mod dialogs;
mod docs;
mod drivers;
mod env_file;
mod file;
mod impact;
mod kind;
mod leases;
mod paths;
mod quarantine_limit;
mod quirks;
mod record_mode;
mod resolve;
mod schema;
mod setting;
mod spec;
mod storage;
mod table;
mod webdriver;

use std::sync::Arc;

use camino::Utf8PathBuf;
use indexmap::IndexMap;

pub use adb::keys as host_keys;
pub use apps::{AppPaths, is_package};
pub use device_spec::DeviceSpec;
pub use docs::docs;
pub use drivers::DriverHomes;
pub use file::ScreenshotUse;
pub use impact::{ImpactMap, ImpactRule};
pub use quarantine_limit::{LimitError, QuarantineLimit};
pub use record_mode::RecordMode;
pub use resolve::{ConfigError, Overrides};
pub use schema::schema;
pub use setting::{Origin, Setting};
pub use spec::{Flag, Place, Row};
pub use table::{Given, SettingValues, rows};

use runner_app_host::places::Places;
use runner_device::adb::{Access, AdbServer, Host};
use runner_device::uia2::ApkPlaces;
use runner_engine::DialogRule;
use runner_flow::ReadOptions;
use runner_history::HISTORY_FOLDER;
use runner_snapshot::{Redactions, SnapshotError, Store, Variants};
use runner_text::diagnostic::{Diagnostic, Source};
use runner_text::secret::Scrubber;

/// Settings that `runner config` lists after all others, in this order.
const LISTED_LAST: [&str; 9] = [
    "adb server",
    "slow_after",
    "matrix",
    "driver",
    "uia2",
    "trace",
    "video",
    "spread",
    "device_wait",
];

/// All settings of the program.
#[derive(Debug, Clone)]
pub struct Config {
    /// The settings; they are read as if they were fields of this.
    pub settings: SettingValues,
    /// The project's root, absolute: where `runner.yaml` is, else the working folder.
    pub root: Utf8PathBuf,
    /// The text of `runner.yaml`, where there is one: its `setup` and `teardown` are read with the flows.
    pub project_source: Option<Arc<Source>>,
    /// What `runner.yaml` says without effect.
    pub project_warnings: Vec<Diagnostic>,
    /// What to do with dialogs that would hide the app.
    pub dialogs: Arc<[DialogRule]>,
    /// Paths named on the command line, absolute; they replace `flows`.
    pub paths: Vec<Utf8PathBuf>,
    /// What takes the place of `config.yaml` in Maestro's workspaces, absolute.
    pub maestro_config: Option<Utf8PathBuf>,
    /// Apps named on the command line, absolute; they replace `apps`.
    pub named_apps: Vec<Utf8PathBuf>,
    /// A build's class path that stands for the code of the one APK in `named_apps`.
    pub classes: Option<String>,
    /// Where this computer has what APKs run in.
    pub places: Places,
    /// The devices that `runner.yaml` lists, chosen or not.
    pub listed_devices: Vec<DeviceSpec>,
    /// Env of `runner.yaml`.
    pub file_env: IndexMap<String, String>,
    /// Env of `--env-file` and `--env`.
    pub command_env: IndexMap<String, String>,
    /// Names of env values that no output may show.
    pub secrets: Vec<String>,
    /// Folder of the leases on devices, absolute; this user's, for all projects.
    pub lease_folder: Utf8PathBuf,
    /// Defaults of `snapshot:` steps, in the shape of its options.
    pub snapshot_defaults: serde_json::Value,
    /// What is replaced in the texts of all goldens.
    pub redactions: Redactions,
    /// Which devices have variants of goldens.
    pub variants: Variants,
    /// Which flows the files of the project's code concern.
    pub impact: ImpactMap,
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

impl std::ops::Deref for Config {
    type Target = SettingValues;

    fn deref(&self) -> &SettingValues {
        &self.settings
    }
}

impl std::ops::DerefMut for Config {
    fn deref_mut(&mut self) -> &mut SettingValues {
        &mut self.settings
    }
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

    /// The same settings, with a way to show a person what to do while a device is waited for.
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

    /// The apps of the virtual device: those named on the command line, else those of `runner.yaml`.
    pub fn app_paths(&self) -> AppPaths {
        if self.named_apps.is_empty() {
            AppPaths::sort(self.apps.value.iter().map(|path| self.root.join(path)))
        } else {
            AppPaths {
                classes: self.classes.clone(),
                ..AppPaths::sort(self.named_apps.iter().cloned())
            }
        }
    }

    /// The APKs named on the command line, absolute: a phone gets them installed.
    pub fn named_apks(&self) -> Vec<Utf8PathBuf> {
        AppPaths::sort(self.named_apps.iter().cloned()).apks
    }

    /// Name, value and origin of each setting, for `runner config`. Secrets are masked.
    pub fn describe(&self) -> Vec<(String, String, String)> {
        let mut lines = self.settings.describe();
        lines.push((
            "adb server".to_owned(),
            format!("{}:{}", self.adb.value.host, self.adb.value.port),
            self.adb.origin.to_string(),
        ));
        lines.sort_by_key(|(name, _, _)| LISTED_LAST.iter().position(|last| last == name));
        let root = "where runner.yaml is, else here".to_owned();
        lines.insert(0, ("root".to_owned(), self.root.to_string(), root));
        let file = || "runner.yaml".to_owned();
        lines.extend(self.describe_snapshots());
        let impact = self.impact.describe();
        lines.extend(impact.map(|(files, flows)| (format!("impact.{files}"), flows, file())));
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
