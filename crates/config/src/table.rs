//! The settings. Each is one entry here: the field that the program reads, its kind, and all its names, texts and its
//! default. The file, the options of the command line, the schema and the tables of `docs/config.md` are made from it.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::Setting;
use super::devices::Devices;
use super::file::ScreenshotUse;
use super::kind::{Hosts, Kind, Limit, Retries, ValueError};
use super::paths::{FolderBelow, NamedFolder, Output, OutputFolder, OutputStream, PathsBelow};
use super::quarantine_limit::QuarantineLimit;
use super::quirks::Quirks;
use super::record_mode::RecordMode;
use super::resolve::ConfigError;
use super::spec::{Layers, Place, Row, Spec};
use super::storage::Storage;
use runner_device::DriverChoice;
use runner_engine::StorageLocation;
use runner_flow::Matrix;
use runner_history::HISTORY_FOLDER;
use runner_snapshot::UpdateMode;
use runner_text::units::HumanDuration;

/// Expands `/// What it is` and `name: Kind = Spec;` to a field of each struct and a step of each function below.
macro_rules! settings {
    ($($(#[$doc:meta])+ $name:ident: $kind:ty = $spec:expr;)+) => {
        struct Specs;

        impl Specs {
            $(fn $name() -> Spec<$kind> {
                $spec
            })+
        }

        /// What one source says of the settings: `runner.yaml`, or the command line, with paths as they were written.
        #[derive(Debug, Clone, Default)]
        pub struct Given {
            $($(#[$doc])+ pub $name: Option<<$kind as Kind>::Given>,)+
        }

        /// The settings, each with where it came from.
        #[derive(Debug, Clone)]
        pub struct SettingValues {
            $($(#[$doc])+ pub $name: Setting<<$kind as Kind>::Value>,)+
        }

        impl Given {
            /// What a file says that the schema has passed.
            pub(super) fn of_file(file: &Value) -> serde_json::Result<Self> {
                Ok(Self { $($name: Specs::$name().given(file)?,)+ })
            }

            /// What the schema cannot say is wrong, by its path.
            pub(super) fn wrong(&self) -> Vec<(String, String)> {
                [$(Specs::$name().wrong(self.$name.as_ref())),+].concat()
            }

            /// Takes the text of an option.
            ///
            /// # Errors
            /// [`ValueError`].
            pub fn give(&mut self, name: &str, text: &str) -> Result<(), ValueError> {
                match name {
                    $(stringify!($name) => self.$name = Some(<$kind as Kind>::read(text)?),)+
                    _ => return Err(ValueError::NoSetting),
                }
                Ok(())
            }
        }

        impl SettingValues {
            pub(super) fn resolve(layers: &Layers, file: &Given, flags: &Given) -> Result<Self, ConfigError> {
                Ok(Self {
                    $($name: <$kind as Kind>::resolve(
                        &Specs::$name(), layers, file.$name.as_ref(), flags.$name.as_ref(),
                    )?,)+
                })
            }

            /// Name, value and origin of each setting to show.
            pub(super) fn describe(&self) -> Vec<(String, String, String)> {
                let lines = [$(Specs::$name().describe(stringify!($name), &self.$name)),+];
                lines.into_iter().flatten().collect()
            }
        }

        /// All settings, in the order of the schema.
        pub fn rows() -> Vec<Row> {
            vec![$(Specs::$name().row(stringify!($name))),+]
        }
    };
}

settings! {
    /// Where flows are looked for, relative to the root.
    flows: PathsBelow = Spec::new(default_flows)
        .key("flows", "Files, folders and patterns of flows; `flows` by default.")
        .docs("files, folders or patterns; a folder means `**/*.yaml` and `**/*.yml` below it");

    /// Folder of goldens, relative to the root.
    snapshots: FolderBelow = Spec::new(|_| "snapshots".into())
        .key("snapshots", "Folder of the goldens; `snapshots` by default.")
        .docs("folder of the goldens");

    /// Devices, in order; empty means the only one connected.
    devices: Devices = Spec::new(|_| Vec::new())
        .key("devices", "Devices to run on.")
        .variable("RUNNER_DEVICE")
        .flag(Place::Apart, "device", "SERIAL|virtual", "")
        .docs("serials, `HOST:PORT`, `virtual`, or maps `{ serial, label, tags, render_class, variant, driver }`; a map with [`webdriver`](drivers.md#webdriver) is a device of a server")
        .docs_default("the only one connected");

    /// Limit of a flow.
    timeout: Limit = Spec::new(|_| Duration::from_mins(5))
        .key("timeout", "Limit of each flow.")
        .variable("RUNNER_TIMEOUT")
        .docs("limit of each flow");

    /// How long a step looks for its element.
    step_timeout: HumanDuration = Spec::new(|_| Duration::from_secs(10))
        .key("step_timeout", "How long a step looks for its element.")
        .variable("RUNNER_STEP_TIMEOUT")
        .docs("how long a step looks for its element");

    /// Limit of each flow's teardown.
    teardown_timeout: Limit = Spec::new(|_| Duration::from_secs(30))
        .key("teardown_timeout", "Limit of each flow's teardown.")
        .variable("RUNNER_TEARDOWN_TIMEOUT")
        .docs("limit of each flow's teardown");

    /// Runs after a failure.
    retries: Retries = Spec::new(|_| 0)
        .key("retries", "Further runs after a failure.")
        .variable("RUNNER_RETRIES")
        .flag(Place::Run, "retries", "N", "Run a failed flow again, this often at most")
        .docs("how often a failed flow runs again, 0–10");

    /// Whether failed flows run again after all others.
    retry_last: bool = Spec::new(|_| false)
        .key("retry_last", "Failed flows run again after all others, not at once.")
        .variable("RUNNER_RETRY_LAST")
        .flag(Place::Run, "retry-last", "BOOL", "Run failed flows again after all others, when the devices are free")
        .alone("true")
        .docs("whether failed flows run again after all others, when the devices are free");

    /// How many flows may be in quarantine.
    quarantine_limit: Option<QuarantineLimit> = Spec::new(|_| None)
        .key("quarantine_limit", "How many flows may be in quarantine, such as `5%` or a number; the run fails where there are more.")
        .variable("RUNNER_QUARANTINE_LIMIT")
        .docs("how many flows may be in [quarantine](again.md#quarantine), such as `5%` or `3`; the run fails where there are more")
        .docs_default("no limit");

    /// When attempts are traced.
    trace: RecordMode = Spec::new(|_| RecordMode::Off)
        .key("trace", "When flows are traced, so that the HTML report walks through them; `off` by default.")
        .variable("RUNNER_TRACE")
        .flag(Place::Run, "trace", "MODE", "Keep what flows saw and did, so that the HTML report walks through them")
        .alone("on")
        .docs("when flows are [traced](trace.md): `on`, `on-first-retry`, `retain-on-failure` or `off`");

    /// When videos are made.
    video: RecordMode = Spec::new(|_| RecordMode::Off)
        .key("video", "When videos of flows are made; `off` by default.")
        .variable("RUNNER_VIDEO")
        .flag(Place::Run, "video", "MODE", "Record videos of flows")
        .alone("on")
        .docs("when flows are [recorded](trace.md), as `trace`");

    /// A flow that takes longer is named.
    slow_after: Option<HumanDuration> = Spec::new(|_| None)
        .key("slow_after", "A flow that takes longer is named in the run's output.")
        .docs("a flow that takes longer is named by a warning");

    /// The matrix of flows that have none of their own.
    matrix: Matrix = Spec::new(|_| None)
        .key("matrix", "")
        .docs("settings of the device and their values, for flows without a [matrix](flows.md#combinations-matrix) of their own");

    /// Each flow runs once, on the next free device that fits.
    spread: bool = Spec::new(|_| false)
        .key("spread", "Each flow runs once, on the next free device that fits, instead of on every device.")
        .variable("RUNNER_SPREAD")
        .flag(Place::Run, "spread", "BOOL", "Run each flow once, on the next free device that fits, instead of on every device")
        .alone("true")
        .docs("whether each flow runs once, on the next free device that fits; see [Many devices](scale.md)");

    /// Maximum wait for a busy or lost device.
    device_wait: HumanDuration = Spec::new(|_| Duration::from_mins(1))
        .key("device_wait", "Maximum wait for a busy or lost device; 60s by default.")
        .variable("RUNNER_DEVICE_WAIT")
        .flag(Place::Run, "device-wait", "DURATION", "Maximum wait for a busy or lost device [default: 60s]")
        .docs("maximum wait for a busy or lost device");

    /// Which goldens are written.
    update: UpdateMode = Spec::new(|_| UpdateMode::Pending)
        // In CI nobody reviews pending files; what would be pending goes among the artifacts.
        .in_ci(UpdateMode::None)
        .variable("RUNNER_UPDATE")
        .flag(Place::Goldens, "update", "MODE", "Which goldens to write; without a mode: all [default: pending, `none` where CI is set]")
        .alone("all")
        .docs("which goldens are written: `pending`, `none`, `new`, `changed` or `all`")
        .docs_default("`pending`; `none` where `CI` is set");

    /// JUnit file, absolute.
    junit: Output = Spec::new(|_| None)
        .key("reports.junit", "JUnit XML.")
        .variable("RUNNER_JUNIT")
        .flag(Place::Junit, "junit", "FILE", "Write JUnit XML")
        .docs("file of JUnit XML");

    /// Folder of the HTML report, or its only file, absolute.
    html: Output = Spec::new(|_| None)
        .key("reports.html", "Folder of the HTML report; a name that ends in `.html` is a report of one file.")
        .variable("RUNNER_HTML")
        .flag(Place::Reports, "html", "DIR|FILE.html", "Write an HTML report into this folder, or as one file")
        .docs("folder of the HTML report; a name that ends in `.html` is a report of one file");

    /// Folder of results for Allure, absolute.
    allure: Output = Spec::new(|_| None)
        .key("reports.allure", "Folder of results for Allure.")
        .variable("RUNNER_ALLURE")
        .flag(Place::Reports, "allure", "DIR", "Write results for Allure into this folder")
        .docs("folder of [results for Allure](report.md#allure)");

    /// Event stream, absolute, or `-`.
    json: OutputStream = Spec::new(|_| None)
        .key("reports.json", "Events, one JSON object a line.")
        .variable("RUNNER_JSON")
        .flag(Place::Reports, "json", "FILE|-", "Write the events as JSON lines; `-` is standard output")
        .docs("file of the [events](events.md)");

    /// Folder of artifacts, absolute.
    artifacts: OutputFolder = Spec::new(|root| root.join(".runner/artifacts"))
        .key("reports.artifacts", "Folder of screenshots, logs and differences.")
        .variable("RUNNER_ARTIFACTS")
        .flag(Place::Folders, "artifacts", "DIR", "Folder for screenshots, differences and logs [default: .runner/artifacts]")
        .docs("folder of screenshots, logs and differences");

    /// Folder of the history, absolute; or a file that holds some, which is only read.
    history: OutputFolder = Spec::new(|root| root.join(HISTORY_FOLDER))
        .key("reports.history", "Folder of the history of runs; `.runner/history` by default.")
        .variable("RUNNER_HISTORY")
        .flag(Place::Folders, "history", "DIR|FILE", "Folder of the history of runs, or a file of it that is only read [default: .runner/history]")
        .docs("folder of the [history](again.md#the-history)");

    /// Whether the history keeps the screens that flows meet.
    recordings: bool = Spec::new(|_| true)
        .key("reports.recordings", "The history keeps recordings: the screens that flows meet; true by default.")
        .variable("RUNNER_RECORDINGS")
        .docs("whether the history keeps [recordings](again.md#recordings): the screens that flows meet");

    /// Apps of the virtual device, relative to the root.
    apps: PathsBelow = Spec::new(|_| Vec::new())
        .key("apps", "Apps of the virtual device: APKs, and folders with an `app.yaml`.")
        .docs("apps of the [virtual device](virtual-device.md): [APKs](your-apk.md), and folders with an `app.yaml`");

    /// What the built-in virtual device does as some phones do.
    quirks: Quirks = Spec::new(|_| Vec::new())
        .key("quirks", "What the virtual device does as some phones do; nothing by default.")
        .variable("RUNNER_QUIRKS")
        .docs("what the built-in device does as some phones do: its [quirks](virtual-device.md#quirks)");

    /// Folders of the device that the file tools may use.
    storage: Storage = Spec::new(|_| StorageLocation::defaults())
        .key("storage", "Folders of the device that the file tools may use, by id.")
        .docs("folders of the device that the file tools may use, by id: [below](#storage)")
        .docs_default("`sdcard`, `downloads`, `pictures`");

    /// Whether flows may use `shell:`.
    allow_shell: bool = Spec::new(|_| false)
        .key("allow_shell", "Flows may run commands in the device's shell.")
        .docs("whether flows may use `shell:`");

    /// Hosts that `http:` may reach, each alone or with its port.
    http_hosts: Hosts = Spec::new(|_| [].into())
        .key("http.hosts", "Hosts, each alone for every port or with its port.")
        .unlisted()
        .docs("what the step [`http`](flows.md#test-data-over-http) and [scripts](javascript.md#http) may reach")
        .docs_default("none");

    /// What `takeScreenshot` of Maestro's flows makes.
    maestro_screenshots: ScreenshotUse = Spec::new(|_| ScreenshotUse::Artifacts)
        .key("maestro.screenshots", "What `takeScreenshot` makes: an artifact, or a snapshot that is compared with its golden; artifacts by default.")
        .unlisted()
        .docs("what `takeScreenshot` of [Maestro's flows](maestro.md) makes: `artifacts`, or `goldens` that are compared and reviewed");

    /// How devices are looked at and touched.
    driver: DriverChoice = Spec::new(|_| DriverChoice::Auto)
        .key("driver", "How devices are looked at and touched; `auto` by default.")
        .variable("RUNNER_DRIVER")
        .flag(Place::Device, "driver", "DRIVER", "How it is looked at and touched: Android's own commands, or Appium's server on the device [default: auto]")
        .docs("how devices are looked at and touched: `auto`, `stock` or `uia2`; see [Drivers](drivers.md)");

    /// Folder of the UiAutomator2 server's APKs, relative to the root, where runner.yaml names one.
    uia2: NamedFolder = Spec::new(|_| None)
        .key("uia2", "Folder of the UiAutomator2 server's APKs; by default they are looked for.")
        .docs("folder of the APKs that the driver `uia2` needs")
        .docs_default("[looked for](drivers.md#get-it)");
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

#[cfg(test)]
mod tests;
