//! All settings of the program, merged.

use std::sync::Arc;

use camino::Utf8PathBuf;
use indexmap::IndexMap;

use super::{AppPaths, DeviceSpec, DriverHomes, ImpactMap, Origin, Setting, SettingValues, doubts};
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

#[derive(Debug, Clone)]
pub struct Config {
    /// Settings of the table. `Config` dereferences to them.
    pub settings: SettingValues,
    /// Absolute path of the project's root: the folder of `runner.yaml`, or else the working folder.
    pub root: Utf8PathBuf,
    /// Text of `runner.yaml`, if there is one. Its `setup` and `teardown` are parsed together with the flows.
    pub project_source: Option<Arc<Source>>,
    /// Warnings about values of `runner.yaml` without effect.
    pub project_warnings: Vec<Diagnostic>,
    /// Rules for dialogs that hide the app.
    pub dialogs: Arc<[DialogRule]>,
    /// Paths of flows from the command line, absolute. They replace `flows`.
    pub paths: Vec<Utf8PathBuf>,
    /// File that replaces `config.yaml` of Maestro workspaces, absolute.
    pub maestro_config: Option<Utf8PathBuf>,
    /// Apps from the command line, absolute. They replace `apps`.
    pub named_apps: Vec<Utf8PathBuf>,
    /// Class path of a build, which replaces the code of the only APK in `named_apps`.
    pub classes: Option<String>,
    /// Places on this computer of the Java and SDK files that running APKs needs.
    pub places: Places,
    /// Devices that `runner.yaml` lists, chosen or not.
    pub listed_devices: Vec<DeviceSpec>,
    /// Variables of `runner.yaml`.
    pub file_env: IndexMap<String, String>,
    /// Variables of `--env-file` and `--env`.
    pub command_env: IndexMap<String, String>,
    /// Sentences about lines of `--env-file` that were probably meant in another way. They tell no value.
    pub(crate) env_doubts: Vec<String>,
    /// Names of variables whose values are masked.
    pub secrets: Vec<String>,
    /// Absolute folder of the leases on devices, shared by all projects of the user.
    pub lease_folder: Utf8PathBuf,
    /// Defaults of `snapshot:` steps, in the form of their options.
    pub snapshot_defaults: serde_json::Value,
    /// Replacements in the texts of all goldens.
    pub redactions: Redactions,
    /// Rules that give devices variants of goldens.
    pub variants: Variants,
    /// Map from files of the project's code to the flows that test them.
    pub impact: ImpactMap,
    /// Folders outside of the project in which drivers are searched for.
    pub homes: DriverHomes,
    pub adb: Setting<AdbServer>,
    /// Computer of the program as devices see it: its keys, and the wait for a person to allow it.
    pub host: Host,
    /// Number of file operations on goldens after which the process exits. Only for tests of the program
    /// itself.
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
    /// Returns absolute paths of flows: those from the command line, or else those of `flows`, below the root. They may
    /// be folders and patterns, and need not exist.
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

    /// Returns a sentence for each device of the command line or the environment that no device has as its serial and
    /// that `runner.yaml` does not list, then for each variable of `--env` and `--env-file` that is written as those of
    /// other tools are, then for odd lines of `--env-file`. Values of variables are not told.
    pub fn doubts(&self) -> Vec<String> {
        let is_given = matches!(
            self.devices.origin,
            Origin::CommandLine | Origin::Environment(_)
        );
        let devices = self.devices.value.iter().filter(|_| is_given);
        let unlisted = devices.filter(|device| !self.listed_devices.contains(device));
        let devices = unlisted.filter_map(|device| {
            let help = doubts::serial(&device.name)?;
            Some(format!(
                "no device has the serial `{}`: {help}",
                device.name
            ))
        });
        let values = self.command_env.iter().filter_map(|(name, value)| {
            let meant = doubts::variable(value)?;
            let is_beside = meant != name && self.command_env.contains_key(meant);
            if is_beside && !value.contains("os.") {
                return Some(format!(
                    "the value of `{name}` is a text, and nothing in it is expanded: write out the value of `{meant}`, which is set beside it"
                ));
            }
            Some(format!(
                "the value of `{name}` is a text, and nothing in it is expanded: write `${{os.NAME}}` in the flow for a variable of the environment"
            ))
        });
        let lines = self.env_doubts.iter().cloned();
        devices.chain(values).chain(lines).collect()
    }

    /// Returns the options for reading flows. `env` has the names of variables, not the values; those of the
    /// process environment are not in it.
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

    /// Returns a scrubber with the values that the project and the command line give to secret names, and
    /// with the secrets of devices, such as keys of servers. Values from the process environment are not in
    /// it.
    pub fn known_secrets(&self) -> Scrubber {
        let known = Scrubber::default();
        for name in &self.secrets {
            // Also an overridden value, because its file still contains it.
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

    /// Returns the folder into which a run writes its history. It is the value of `history`, also if
    /// nothing is there yet. If that is an existing file, the file is only read, and this is the project's
    /// default folder. Creates nothing.
    pub fn history_folder(&self) -> Utf8PathBuf {
        if self.history.value.is_file() {
            self.root.join(HISTORY_FOLDER)
        } else {
            self.history.value.clone()
        }
    }

    /// Returns users and keys of WebDriver servers, and the values of all environment variables that their entries
    /// use, of chosen and of other devices. A value may occur several times.
    pub fn device_secrets(&self) -> impl Iterator<Item = &String> {
        let servers = self.devices.value.iter().chain(&self.listed_devices);
        servers
            .filter_map(|device| device.webdriver.as_ref())
            .flat_map(|server| &server.secrets)
    }

    pub fn adb_server(&self) -> AdbServer {
        self.adb.value.clone()
    }

    /// Returns the adb server, and the keys and the waiting time of this computer. Nothing is connected.
    pub fn adb_access(&self) -> Access {
        Access {
            server: self.adb_server(),
            host: self.host.clone(),
        }
    }

    /// Sets a callback that tells a person what to do while the program waits for a device.
    #[must_use]
    pub fn with_notifier(mut self, notify: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.host = self.adb_access().with_notifier(notify).host;
        self
    }

    /// Returns the folders to search for the APKs of the UiAutomator2 server: that of the setting, the
    /// project, that of Appium and our own. None is checked.
    pub fn apk_places(&self) -> ApkPlaces {
        let named = self.uia2.value.as_ref();
        ApkPlaces {
            configured: named.map(|path| self.root.join(path)),
            project: Some(self.root.clone()),
            appium: self.homes.appium.clone(),
            own: self.homes.own.clone(),
        }
    }

    /// Opens the golden store of the project; does not create its folder.
    pub fn store(&self) -> Store {
        let store = Store::new(&self.root, &self.snapshots.value);
        #[cfg(debug_assertions)]
        if let Some(steps) = self.dies_after {
            return store.dying_after(steps);
        }
        store
    }

    /// Opens the golden store, and completes a decision that a crash interrupted, which may write goldens.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn recovered_store(&self) -> Result<Store, SnapshotError> {
        let store = self.store();
        store.recover()?;
        Ok(store)
    }

    /// Returns the apps of the virtual device, absolute: those from the command line, or else those of `runner.yaml`.
    /// Classes count only together with apps of the command line.
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

    /// Returns the APKs and bundles from the command line, absolute; other paths are left out. They are
    /// installed on phones.
    pub fn named_apks(&self) -> Vec<Utf8PathBuf> {
        AppPaths::sort(self.named_apps.iter().cloned()).apks
    }

    /// Returns name, value and origin of each listed setting, for `runner config`: the root first, then settings, then
    /// what only `runner.yaml` has. Settings with nothing to show are left out. Values of `env` are masked if `secrets`
    /// has their names; a secret inside of another value is not.
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

    /// Returns name, value and origin of each part of `snapshot` that is set, none if nothing is; only `runner.yaml`
    /// has it. Each redaction has a line of its own, of the same name.
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
