//! Table of all settings. Each entry has the field that the program reads, its kind, its names, its texts and
//! its default. The fields of `runner.yaml`, the options of the command line, the schema and the tables of
//! `docs/reference/config.md` are generated from it.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::Setting;
use super::devices::Devices;
use super::error::ConfigError;
use super::kind::{Hosts, Limit, Retries};
use super::layers::Layers;
use super::paths::{FolderInRoot, NamedFolder, Output, OutputFolder, OutputStream, PathsInRoot};
use super::quarantine_limit::QuarantineLimit;
use super::quirks::Quirks;
use super::record_mode::RecordMode;
use super::screenshot_use::ScreenshotUse;
use super::spec::{FlagGroup, Kind, Row, Spec};
use super::storage::Storage;
use super::value_error::ValueError;
use runner_device::DriverChoice;
use runner_engine::StorageLocation;
use runner_flow::Matrix;
use runner_history::HISTORY_FOLDER;
use runner_snapshot::UpdateMode;
use runner_text::units::HumanDuration;

/// Expands `/// Doc` and `name: Kind = Spec;` to a field of each struct and a step of each function below.
macro_rules! settings {
    ($($(#[$doc:meta])+ $name:ident: $kind:ty = $spec:expr;)+) => {
        struct Specs;

        impl Specs {
            $(fn $name() -> Spec<$kind> {
                $spec
            })+
        }

        /// Values of all settings from one source: `runner.yaml` or the command line. Paths are as written.
        #[derive(Debug, Clone, Default)]
        pub struct RawSettings {
            $($(#[$doc])+ pub $name: Option<<$kind as Kind>::RawValue>,)+
        }

        /// Merged values of all settings, each with its origin.
        #[derive(Debug, Clone)]
        pub struct SettingValues {
            $($(#[$doc])+ pub $name: Setting<<$kind as Kind>::Value>,)+
        }

        impl RawSettings {
            /// Reads all settings from a file that has passed the schema.
            pub(super) fn from_document(file: &Value) -> serde_json::Result<Self> {
                Ok(Self { $($name: Specs::$name().given(file)?,)+ })
            }

            /// Returns problems that the schema cannot find: dotted path and message.
            pub(super) fn problems(&self) -> Vec<(String, String)> {
                [$(Specs::$name().problems(self.$name.as_ref())),+].concat()
            }

            /// Sets the setting `name` from the text of its option, and replaces an earlier value.
            ///
            /// # Errors
            /// [`ValueError`] if the text is no value of the setting, or if there is no such setting. Then nothing
            /// changes.
            pub fn set(&mut self, name: &str, text: &str) -> Result<(), ValueError> {
                match name {
                    $(stringify!($name) => self.$name = Some(<$kind as Kind>::read(text)?),)+
                    _ => return Err(ValueError::NoSetting),
                }
                Ok(())
            }
        }

        impl SettingValues {
            /// Merges the sources of each setting. The first setting with an error ends it.
            pub(super) fn resolve(layers: &Layers, file: &RawSettings, flags: &RawSettings) -> Result<Self, ConfigError> {
                Ok(Self {
                    $($name: <$kind as Kind>::resolve(
                        &Specs::$name(), layers, file.$name.as_ref(), flags.$name.as_ref(),
                    )?,)+
                })
            }

            /// Returns name, value and origin of each listed setting.
            pub(super) fn describe(&self) -> Vec<(String, String, String)> {
                let lines = [$(Specs::$name().describe(stringify!($name), &self.$name)),+];
                lines.into_iter().flatten().collect()
            }
        }

        /// Returns all settings, in the order of the schema.
        pub fn rows() -> Vec<Row> {
            vec![$(Specs::$name().row(stringify!($name))),+]
        }
    };
}

settings! {
    /// Files, folders and patterns of flows, relative to the root.
    flows: PathsInRoot = Spec::new(default_flows)
        .key("flows", "Files, folders and patterns of flows; `flows` by default.")
        .docs("files, folders or patterns; a folder means `**/*.yaml` and `**/*.yml` below it");

    /// Folder of goldens, relative to the root.
    snapshots: FolderInRoot = Spec::new(|_| "snapshots".into())
        .key("snapshots", "Folder of the goldens; `snapshots` by default.")
        .docs("folder of the goldens");

    /// Devices, in order. Empty stands for the only one connected.
    devices: Devices = Spec::new(|_| Vec::new())
        .key("devices", "Devices to run on.")
        .variable("RUNNER_DEVICE")
        .flag(FlagGroup::Ungrouped, "device", "SERIAL|virtual", "")
        .docs("serials, `HOST:PORT`, `virtual`, or maps `{ serial, label, tags, render_class, variant, driver }`; a map with [`webdriver`](../guide/drivers.md#webdriver) is a device of a server")
        .docs_default("the only one connected");

    /// Maximum time of a flow. Chosen: five minutes end a hanging flow long before a CI job's limit.
    timeout: Limit = Spec::new(|_| Duration::from_mins(5))
        .key("timeout", "Limit of each flow.")
        .variable("RUNNER_TIMEOUT")
        .docs("limit of each flow");

    /// Maximum wait of a step for its element. Chosen: longer than the usual loading of a screen.
    step_timeout: HumanDuration = Spec::new(|_| Duration::from_secs(10))
        .key("step_timeout", "How long a step looks for its element.")
        .variable("RUNNER_STEP_TIMEOUT")
        .docs("how long a step looks for its element");

    /// Maximum time of each flow's teardown.
    teardown_timeout: Limit = Spec::new(|_| Duration::from_secs(30))
        .key("teardown_timeout", "Limit of each flow's teardown.")
        .variable("RUNNER_TEARDOWN_TIMEOUT")
        .docs("limit of each flow's teardown");

    /// Number of further runs of a failed flow.
    retries: Retries = Spec::new(|_| 0)
        .key("retries", "Further runs after a failure.")
        .variable("RUNNER_RETRIES")
        .flag(FlagGroup::Run, "retries", "N", "Run a failed flow again, this often at most")
        .docs("how often a failed flow runs again, 0–10");

    /// True if failed flows run again after all others.
    retry_last: bool = Spec::new(|_| false)
        .key("retry_last", "Failed flows run again after all others, not at once.")
        .variable("RUNNER_RETRY_LAST")
        .flag(FlagGroup::Run, "retry-last", "BOOL", "Run failed flows again after all others, when the devices are free")
        .implied_value("true")
        .docs("whether failed flows run again after all others, when the devices are free");

    /// Maximum number of flows in quarantine.
    quarantine_limit: Option<QuarantineLimit> = Spec::new(|_| None)
        .key("quarantine_limit", "How many flows may be in quarantine, such as `5%` or a number; the run fails where there are more.")
        .variable("RUNNER_QUARANTINE_LIMIT")
        .docs("how many flows may be in [quarantine](../guide/history.md#quarantine), such as `5%` or `3`; the run fails where there are more")
        .docs_default("no limit");

    /// Attempts that are traced.
    trace: RecordMode = Spec::new(|_| RecordMode::Off)
        .key("trace", "When flows are traced, so that the HTML report walks through them; `off` by default.")
        .variable("RUNNER_TRACE")
        .flag(FlagGroup::Run, "trace", "MODE", "Keep what flows saw and did, so that the HTML report walks through them")
        .implied_value("on")
        .docs("when flows are [traced](../guide/trace.md): `on`, `on-first-retry`, `retain-on-failure` or `off`");

    /// Attempts of which videos are made.
    video: RecordMode = Spec::new(|_| RecordMode::Off)
        .key("video", "When videos of flows are made; `off` by default.")
        .variable("RUNNER_VIDEO")
        .flag(FlagGroup::Run, "video", "MODE", "Record videos of flows")
        .implied_value("on")
        .docs("when flows are [recorded](../guide/trace.md), as `trace`");

    /// Time after which the run's output names a flow as slow.
    slow_after: Option<HumanDuration> = Spec::new(|_| None)
        .key("slow_after", "A flow that takes longer is named in the run's output.")
        .docs("a flow that takes longer is named by a warning");

    /// Matrix of flows that have none of their own.
    matrix: Matrix = Spec::new(|_| None)
        .key("matrix", "")
        .docs("settings of the device and their values, for flows without a [matrix](../guide/flows.md#combinations-matrix) of their own");

    /// True if each flow runs once, on the next free device that fits.
    spread: bool = Spec::new(|_| false)
        .key("spread", "Each flow runs once, on the next free device that fits, instead of on every device.")
        .variable("RUNNER_SPREAD")
        .flag(FlagGroup::Run, "spread", "BOOL", "Run each flow once, on the next free device that fits, instead of on every device")
        .implied_value("true")
        .docs("whether each flow runs once, on the next free device that fits; see [Many devices](../guide/many-devices.md)");

    /// Maximum wait for a busy or lost device.
    device_wait: HumanDuration = Spec::new(|_| Duration::from_mins(1))
        .key("device_wait", "Maximum wait for a busy or lost device; 60s by default.")
        .variable("RUNNER_DEVICE_WAIT")
        .flag(FlagGroup::Run, "device-wait", "DURATION", "Maximum wait for a busy or lost device [default: 60s]")
        .docs("maximum wait for a busy or lost device");

    /// Goldens that are written.
    update: UpdateMode = Spec::new(|_| UpdateMode::Pending)
        // In CI nobody reviews pending files, so they are saved as artifacts instead.
        .in_ci(UpdateMode::None)
        .variable("RUNNER_UPDATE")
        .flag(FlagGroup::Goldens, "update", "MODE", "Which goldens to write; without a mode: all [default: pending, `none` where CI is set]")
        .implied_value("all")
        .docs("which goldens are written: `pending`, `none`, `new`, `changed` or `all`")
        .docs_default("`pending`; `none` where `CI` is set");

    /// JUnit file, absolute.
    junit: Output = Spec::new(|_| None)
        .key("reports.junit", "JUnit XML.")
        .variable("RUNNER_JUNIT")
        .flag(FlagGroup::Junit, "junit", "FILE", "Write JUnit XML")
        .docs("file of JUnit XML");

    /// Folder of the HTML report, or its only file, absolute.
    html: Output = Spec::new(|_| None)
        .key("reports.html", "Folder of the HTML report; a name that ends in `.html` is a report of one file.")
        .variable("RUNNER_HTML")
        .flag(FlagGroup::Reports, "html", "DIR|FILE.html", "Write an HTML report into this folder, or as one file")
        .docs("folder of the HTML report; a name that ends in `.html` is a report of one file");

    /// Folder of results for Allure, absolute.
    allure: Output = Spec::new(|_| None)
        .key("reports.allure", "Folder of results for Allure.")
        .variable("RUNNER_ALLURE")
        .flag(FlagGroup::Reports, "allure", "DIR", "Write results for Allure into this folder")
        .docs("folder of [results for Allure](../guide/report.md#allure)");

    /// File of the event stream, absolute, or `-`.
    json: OutputStream = Spec::new(|_| None)
        .key("reports.json", "Events, one JSON object a line.")
        .variable("RUNNER_JSON")
        .flag(FlagGroup::Reports, "json", "FILE|-", "Write the events as JSON lines; `-` is standard output")
        .docs("file of the [events](events.md)");

    /// Folder of artifacts, absolute.
    artifacts: OutputFolder = Spec::new(|root| root.join(".runner/artifacts"))
        .key("reports.artifacts", "Folder of screenshots, logs and differences.")
        .variable("RUNNER_ARTIFACTS")
        .flag(FlagGroup::Folders, "artifacts", "DIR", "Folder for screenshots, differences and logs [default: .runner/artifacts]")
        .docs("folder of screenshots, logs and differences");

    /// Folder of the history, absolute, or a file of one that is only read.
    history: OutputFolder = Spec::new(|root| root.join(HISTORY_FOLDER))
        .key("reports.history", "Folder of the history of runs; `.runner/history` by default.")
        .variable("RUNNER_HISTORY")
        .flag(FlagGroup::Folders, "history", "DIR|FILE", "Folder of the history of runs, or a file of it that is only read [default: .runner/history]")
        .docs("folder of the [history](../guide/history.md#the-history)");

    /// True if the history keeps the screens of flows.
    recordings: bool = Spec::new(|_| true)
        .key("reports.recordings", "The history keeps recordings: the screens that flows meet; true by default.")
        .variable("RUNNER_RECORDINGS")
        .docs("whether the history keeps [recordings](../guide/history.md#recordings): the screens that flows meet");

    /// Apps of the virtual device, relative to the root.
    apps: PathsInRoot = Spec::new(|_| Vec::new())
        .key("apps", "Apps of the virtual device: APKs, and folders with an `app.yaml`.")
        .docs("apps of the [virtual device](../guide/virtual-device.md): [APKs](../guide/your-apk.md), and folders with an `app.yaml`");

    /// Deviations of some phones that the virtual device imitates.
    quirks: Quirks = Spec::new(|_| Vec::new())
        .key("quirks", "What the virtual device does as some phones do; nothing by default.")
        .variable("RUNNER_QUIRKS")
        .docs("what the built-in device does as some phones do: its [quirks](../guide/virtual-device.md#quirks)");

    /// Folders of the device that the file tools may use.
    storage: Storage = Spec::new(|_| StorageLocation::defaults())
        .key("storage", "Folders of the device that the file tools may use, by id.")
        .docs("folders of the device that the file tools may use, by id: [below](#storage)")
        .docs_default("`sdcard`, `downloads`, `pictures`");

    /// True if flows may use `shell:`.
    allow_shell: bool = Spec::new(|_| false)
        .key("allow_shell", "Flows may run commands in the device's shell.")
        .docs("whether flows may use `shell:`");

    /// Hosts that `http:` may reach, each for all ports or with its port.
    http_hosts: Hosts = Spec::new(|_| [].into())
        .key("http.hosts", "Hosts, each alone for every port or with its port.")
        .unlisted()
        .docs("what the step [`http`](../guide/flows.md#test-data-over-http) and [scripts](javascript.md#http) may reach")
        .docs_default("none");

    /// Effect of `takeScreenshot` in Maestro flows.
    maestro_screenshots: ScreenshotUse = Spec::new(|_| ScreenshotUse::Artifacts)
        .key("maestro.screenshots", "What `takeScreenshot` makes: an artifact, or a snapshot that is compared with its golden; artifacts by default.")
        .unlisted()
        .docs("what `takeScreenshot` of [Maestro's flows](../guide/maestro.md) makes: `artifacts`, or `goldens` that are compared and reviewed: their names have no `${…}`, and a picture of one element (`cropOn`) stays an artifact");

    /// Driver of devices.
    driver: DriverChoice = Spec::new(|_| DriverChoice::Auto)
        .key("driver", "How devices are looked at and touched; `auto` by default.")
        .variable("RUNNER_DRIVER")
        .flag(FlagGroup::Device, "driver", "DRIVER", "How it is looked at and touched: Android's own commands, or Appium's server on the device [default: auto]")
        .docs("how devices are looked at and touched: `auto`, `stock` or `uia2`; see [Drivers](../guide/drivers.md)");

    /// Folder of the UiAutomator2 server's APKs, relative to the root, if `runner.yaml` names one.
    uia2: NamedFolder = Spec::new(|_| None)
        .key("uia2", "Folder of the UiAutomator2 server's APKs; by default they are looked for.")
        .docs("folder of the APKs that the driver `uia2` needs")
        .docs_default("[looked for](../guide/drivers.md#get-it)");
}

/// Returns `flows`, or `.maestro` if only that folder exists in the root. `flows` is returned even if it does
/// not exist.
fn default_flows(root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let is_there = |name: &str| root.join(name).is_dir();
    let name = if is_there(".maestro") && !is_there("flows") {
        ".maestro"
    } else {
        "flows"
    };
    vec![Utf8PathBuf::from(name)]
}

#[cfg(test)]
mod tests;
