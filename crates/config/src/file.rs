//! The project's file, `runner.yaml`: read and checked, each value with its place. It decides nothing: what beats what is
//! for the configuration.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Value, json};

use super::dialogs::{self, ProjectDialog};
use super::record_mode::RecordMode;
use super::schema::schema;
use runner_device::DriverChoice;
use runner_device::files::Location;
use runner_device::webdriver::SessionScope;
use runner_device::webdriver::cloud::Cloud;
use runner_engine::DialogRule;
use runner_flow::document::{self, ByteRange};
use runner_flow::{Matrix, MatrixError, STAR_HELP, STAR_IN_ID, check_name};
use runner_snapshot::{Redaction, RedactionError, Variants};
use runner_text::diagnostic::{self, Code, Diagnostic, Source};
use runner_text::secret::Scrubber;
use runner_text::source_file;
use runner_text::units::HumanDuration;

/// What `runner.yaml` says. A key that is not there is `None` or empty.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectFile {
    /// The text and the path it is shown under.
    #[serde(skip)]
    pub source: Option<Arc<Source>>,
    /// Where each value stands, by its dotted path: `snapshot.bars`, `devices.0.serial`.
    #[serde(skip)]
    pub places: BTreeMap<String, Range<usize>>,
    /// What it says without effect.
    #[serde(skip)]
    pub warnings: Vec<Diagnostic>,
    /// Files, folders and patterns of flows.
    pub flows: Option<Vec<Utf8PathBuf>>,
    /// Folder of the goldens.
    pub snapshots: Option<Utf8PathBuf>,
    /// Devices to run on.
    pub devices: Vec<ProjectDevice>,
    /// Names and values for expressions, before all others.
    pub env: IndexMap<String, String>,
    /// Names of env values that no output may show.
    pub secrets: Vec<String>,
    /// Limit of each flow.
    pub timeout: Option<HumanDuration>,
    /// How long a step looks for its element.
    pub step_timeout: Option<HumanDuration>,
    /// Limit of each flow's teardown.
    pub teardown_timeout: Option<HumanDuration>,
    /// Further runs after a failure.
    pub retries: Option<u32>,
    /// When attempts are traced.
    pub trace: Option<RecordMode>,
    /// When videos are made.
    pub video: Option<RecordMode>,
    /// A flow that takes longer is named.
    pub slow_after: Option<HumanDuration>,
    /// Settings of the device with their values: each flow is run for each combination. In the shape of [`Matrix`].
    pub matrix: Option<Value>,
    /// Each flow runs once, on the next free device that fits.
    pub spread: Option<bool>,
    /// How long a device that is in use or lost is waited for.
    pub device_wait: Option<HumanDuration>,
    /// Steps before those of each flow, which are read with the flows.
    pub setup: Option<Value>,
    /// Steps after those of each flow.
    pub teardown: Option<Value>,
    /// Steps before the first flow of a device and after its last, which are read with the flows.
    pub on_device: Option<Value>,
    /// Dialogs that would hide the app.
    pub on_dialog: Vec<ProjectDialog>,
    /// Where reports are written.
    pub reports: ReportPaths,
    /// Defaults of every snapshot.
    pub snapshot: SnapshotDefaults,
    /// Folders of the virtual device's apps.
    pub apps: Vec<Utf8PathBuf>,
    /// Folders of the device that the file tools may use, by id, beside the ones every device has.
    pub storage: IndexMap<String, ProjectStorage>,
    /// Flows may run commands in the device's shell.
    pub allow_shell: Option<bool>,
    /// What flows may reach by HTTP.
    pub http: ProjectHttp,
    /// How Maestro's flows are run.
    pub maestro: ProjectMaestro,
    /// How devices are looked at and touched.
    pub driver: Option<DriverChoice>,
    /// Folder of the UiAutomator2 server's APKs.
    pub uia2: Option<Utf8PathBuf>,
}

/// What flows may reach by HTTP.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectHttp {
    /// Hosts, each alone for every port or with its port.
    pub hosts: Vec<String>,
}

/// How Maestro's flows are run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectMaestro {
    /// What `takeScreenshot` makes.
    pub screenshots: ScreenshotUse,
}

/// What `takeScreenshot` of Maestro's flows makes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScreenshotUse {
    /// An artifact.
    #[default]
    Artifacts,
    /// A snapshot, compared with its golden.
    Goldens,
}

/// A device that a project names.
#[derive(Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectDevice {
    /// Serial as adb knows it, or `virtual`.
    pub serial: String,
    /// Goldens' class, where it is not to be found from the device.
    pub render_class: Option<String>,
    /// Variant of the goldens it uses, instead of what the rules say.
    pub variant: Option<String>,
    /// Name in reports; the serial by default.
    pub label: Option<String>,
    /// How it is looked at and touched, instead of what `driver` says.
    pub driver: Option<DriverChoice>,
    /// By which flows say what they need.
    pub tags: Vec<String>,
    /// The server that has it, instead of a serial.
    pub webdriver: Option<String>,
    /// What the server is asked for.
    pub capabilities: serde_json::Map<String, Value>,
    /// The app that the server installs: its own path or address, or one of the cloud's.
    pub app: Option<String>,
    /// Whom the server knows.
    pub user: Option<String>,
    /// That user's key or password.
    pub key: Option<String>,
    /// How many devices of the server.
    pub sessions: Option<u32>,
    /// How long a session lasts.
    pub session: Option<SessionScope>,
    /// How long a session is waited for.
    pub session_timeout: Option<HumanDuration>,
    /// Whose server it is, where its address does not tell.
    pub cloud: Option<Cloud>,
}

/// Shows nothing that may be secret.
impl std::fmt::Debug for ProjectDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProjectDevice")
            .field("serial", &self.serial)
            .field("label", &self.label)
            .finish_non_exhaustive()
    }
}

impl ProjectDevice {
    /// What is missing, or does not go together.
    fn wrong(&self) -> Option<&'static str> {
        let of_server = !self.capabilities.is_empty()
            || self.app.is_some()
            || self.user.is_some()
            || self.key.is_some()
            || self.sessions.is_some()
            || self.session.is_some()
            || self.session_timeout.is_some()
            || self.cloud.is_some();
        match (&self.webdriver, self.serial.is_empty()) {
            (None, true) => Some("`serial` is missing, or `webdriver` for a device of a server"),
            (Some(_), false) => Some("a device has a `serial` or a `webdriver`, not both"),
            (None, false) if of_server => Some(
                "`capabilities`, `app`, `user`, `key`, `sessions`, `session`, `session_timeout` and `cloud` are for devices with `webdriver`",
            ),
            (Some(_), true) if self.user.is_some() != self.key.is_some() => {
                Some("`user` and `key` belong together")
            }
            (Some(_), true) if self.driver.is_some() => {
                Some("`driver` is for devices with `serial`: a server's device has its own")
            }
            _ => None,
        }
    }
}

/// A folder of the device that a project names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own"
)]
pub struct ProjectStorage {
    /// Absolute path on the device.
    pub path: String,
    /// Name for people; the id by default.
    pub name: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Files in it may be written.
    pub allow_write: bool,
    /// Files in it may be deleted.
    pub allow_delete: bool,
    /// Downloads into it may come by `http://`.
    pub allow_http: bool,
    /// Downloads into it may come from servers whose certificate cannot be verified.
    pub allow_unverified_https: bool,
    /// Longest time for a download.
    pub download_timeout: Option<HumanDuration>,
    /// Largest file in MiB.
    pub max_mb: Option<u32>,
}

/// Paths of reports, below the root.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReportPaths {
    /// JUnit XML.
    pub junit: Option<Utf8PathBuf>,
    /// Folder of the HTML report.
    pub html: Option<Utf8PathBuf>,
    /// Events, one JSON object a line.
    pub json: Option<Utf8PathBuf>,
    /// Folder of artifacts.
    pub artifacts: Option<Utf8PathBuf>,
    /// Folder of the history.
    pub history: Option<Utf8PathBuf>,
}

/// Defaults of every snapshot. `tolerance` and `masks` are as a `snapshot:` step takes them.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SnapshotDefaults {
    /// What a picture may differ by.
    pub tolerance: Option<Value>,
    /// Selectors, or maps with `rect`.
    pub masks: Vec<Value>,
    /// The system's bars are compared too.
    pub bars: Option<bool>,
    /// `app` or `all`: whose windows count.
    pub windows: Option<String>,
    /// `annotated`, `raw` or `none`: which pictures are kept.
    pub image: Option<String>,
    /// What differs from run to run in texts.
    pub redactions: Vec<Redaction>,
    /// Variants by what a device is: names, each with its patterns.
    pub variants: IndexMap<String, Patterns>,
}

/// One pattern, or several.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Patterns {
    /// One.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl Patterns {
    /// As a list.
    pub fn list(&self) -> &[String] {
        match self {
            Self::One(pattern) => std::slice::from_ref(pattern),
            Self::Several(patterns) => patterns,
        }
    }
}

impl SnapshotDefaults {
    /// The rules by which devices have variants; what is wrong with them comes with its path.
    pub fn variants(&self) -> Result<Variants, Vec<(String, String)>> {
        let mut variants = Variants::default();
        let wrong: Vec<(String, String)> = self
            .variants
            .iter()
            .filter_map(|(name, patterns)| {
                let error = variants.add(name, patterns.list()).err()?;
                Some((format!("snapshot.variants.{name}"), error.to_string()))
            })
            .collect();
        if wrong.is_empty() {
            Ok(variants)
        } else {
            Err(wrong)
        }
    }

    /// What cannot be used, by its path.
    fn wrong(&self) -> Vec<(String, String)> {
        let mut wrong = self.variants().err().unwrap_or_default();
        for (index, rule) in self.redactions.iter().enumerate() {
            if let Err(error) = rule.compile() {
                let key = match error {
                    RedactionError::Alias(_) => "alias",
                    _ => "pattern",
                };
                let path = format!("snapshot.redactions.{index}.{key}");
                wrong.push((path, error.to_string()));
            }
        }
        wrong
    }
}

impl ProjectFile {
    /// Reads the file at `path`, shown as `displayed`. All errors are given; a file with errors gives no value.
    pub fn read(path: &Utf8Path, displayed: &Utf8Path) -> Result<Self, Vec<Diagnostic>> {
        let source = source_file::load(path, displayed).map_err(|wrong| vec![*wrong])?;
        Self::parse(&source)
            // The lines that are shown may hold the values of secrets.
            .map_err(|wrong| diagnostic::without_secrets(wrong, &[], &Scrubber::default()))
    }

    /// Reads a text.
    pub fn parse(source: &Arc<Source>) -> Result<Self, Vec<Diagnostic>> {
        let mut document = document::read(source, &schema())?;
        let mut diagnostics = Vec::new();
        let fail = |path: &str, message: String, places: &BTreeMap<String, ByteRange>| {
            document::problem(source, places.get(path), Code::RunnerYaml, message)
        };
        // After the check: the schema knows both ways to write them, the type one.
        name_devices(&mut document.value);
        let file: Result<Self, _> = serde_json::from_value(document.value);
        let mut file = match file {
            Ok(file) => file,
            Err(error) => return Err(vec![fail("", error.to_string(), &document.places)]),
        };
        for name in file.env.keys() {
            if let Err(wrong) = check_name(name) {
                let path = format!("env.{name}");
                diagnostics.push(fail(&path, wrong.to_string(), &document.places));
            }
        }
        for (id, storage) in &file.storage {
            if let Err(wrong) = Location::new(&storage.path) {
                let path = format!("storage.{id}.path");
                diagnostics.push(fail(&path, wrong.to_string(), &document.places));
            }
        }
        for (index, device) in file.devices.iter().enumerate() {
            if let Some(wrong) = device.wrong() {
                let path = format!("devices.{index}");
                diagnostics.push(fail(&path, wrong.to_owned(), &document.places));
            }
        }
        for (path, value) in file.paths() {
            if !stays_below(&value) {
                let message =
                    format!("`{value}` leaves the project; paths are relative to runner.yaml");
                diagnostics.push(fail(&path, message, &document.places));
            }
        }
        if let Err(MatrixError { path, message }) = file.matrix() {
            let path = format!("matrix.{path}");
            let path = path.trim_end_matches('.');
            diagnostics.push(fail(path, message, &document.places));
        }
        for (path, wrong) in dialogs::rules(&file.on_dialog, &document.places)
            .err()
            .unwrap_or_default()
        {
            diagnostics.push(fail(&path, wrong, &document.places));
        }
        for (path, wrong) in file.snapshot.wrong() {
            diagnostics.push(fail(&path, wrong, &document.places));
        }
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        file.warnings = stars_in_ids(source, &document.places);
        file.source = Some(Arc::clone(source));
        file.places = document.places;
        Ok(file)
    }

    /// The rules for dialogs that would hide the app. The file was checked when it was read.
    pub fn dialogs(&self) -> Arc<[DialogRule]> {
        dialogs::rules(&self.on_dialog, &self.places).unwrap_or_default()
    }

    /// The matrix of all flows that have none of their own.
    pub fn matrix(&self) -> Result<Option<Matrix>, MatrixError> {
        let matrix = self.matrix.as_ref().map(Matrix::of).transpose()?;
        Ok(matrix.filter(|matrix| !matrix.is_empty()))
    }

    /// Folders that the program reads or writes below the root. Reports may stand anywhere.
    fn paths(&self) -> Vec<(String, Utf8PathBuf)> {
        let flows = self.flows.as_deref().unwrap_or_default();
        let mut paths = Vec::new();
        for (key, values) in [("flows", flows), ("apps", &self.apps)] {
            for (index, value) in values.iter().enumerate() {
                paths.push((format!("{key}.{index}"), value.clone()));
            }
        }
        if let Some(snapshots) = &self.snapshots {
            paths.push(("snapshots".to_owned(), snapshots.clone()));
        }
        paths
    }
}

/// A device's name alone is its serial.
fn name_devices(file: &mut Value) {
    for key in ["devices", "flows", "apps"] {
        if let Some(value) = file.get_mut(key)
            && value.is_string()
        {
            *value = json!([value.take()]);
        }
    }
    let devices = file.get_mut("devices").and_then(Value::as_array_mut);
    for device in devices.into_iter().flatten() {
        if device.is_string() {
            *device = json!({ "serial": device.take() });
        }
    }
}

fn stays_below(path: &Utf8Path) -> bool {
    use camino::Utf8Component::{CurDir, Normal, ParentDir};
    // At each part: `a/../../b/c` goes out and comes back to as deep a place.
    let mut depth = 0_i32;
    for part in path.components() {
        match part {
            Normal(_) => depth += 1,
            CurDir => {}
            ParentDir => depth -= 1,
            _ => return false,
        }
        if depth < 0 {
            return false;
        }
    }
    true
}

/// The ids with a `*` among the selectors of dialogs and masks, as lint tells of those in flows.
fn stars_in_ids(source: &Arc<Source>, places: &BTreeMap<String, ByteRange>) -> Vec<Diagnostic> {
    let is_id = |path: &str| {
        let is_selector = ["on_dialog.", "snapshot.masks."]
            .iter()
            .any(|list| path.starts_with(list));
        is_selector && path.ends_with(".id")
    };
    let with_star = places.iter().filter(|(path, place)| {
        is_id(path)
            && source
                .text
                .get(place.start..place.end)
                .is_some_and(|text| text.contains('*'))
    });
    let warning = |(_, place): (&String, &ByteRange)| Diagnostic {
        help: Some(STAR_HELP.to_owned()),
        ..document::problem(source, Some(place), Code::StarInId, STAR_IN_ID.to_owned())
    };
    with_star.map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_text::diagnostic::render_line;

    fn parse(text: &str) -> Result<ProjectFile, Vec<String>> {
        let source = Arc::new(Source {
            path: "runner.yaml".into(),
            text: text.to_owned(),
        });
        ProjectFile::parse(&source).map_err(|found| found.iter().map(render_line).collect())
    }

    #[test]
    fn a_whole_file_reads() {
        let file = parse(
            "flows: tests\nsnapshots: goldens\ndevices:\n  - virtual\n  - { serial: R58, render_class: lab, label: phone }\nenv: { PIN: 0042, ON: yes }\nsecrets: [PIN]\ntimeout: 5m\nstep_timeout: 10s\nteardown_timeout: 20s\nretries: 1\nreports: { junit: out/junit.xml, html: out/html, json: out/events.ndjson, artifacts: out }\nsnapshot: { tolerance: { cluster: 3 }, masks: [ { id: clock }, Date ], bars: true }\napps: [demo]\nallow_shell: true\n",
        )
        .unwrap();
        assert_eq!(file.flows, Some(vec!["tests".into()]));
        assert_eq!(file.devices[0].serial, "virtual");
        assert_eq!(file.devices[1].render_class.as_deref(), Some("lab"));
        assert_eq!(
            (file.env["PIN"].as_str(), file.env["ON"].as_str()),
            ("0042", "yes")
        );
        assert_eq!(file.step_timeout.unwrap().0.as_secs(), 10);
        assert_eq!(file.teardown_timeout.unwrap().0.as_secs(), 20);
        assert_eq!(
            file.snapshot.masks,
            [json!({ "id": "clock" }), json!("Date")]
        );
        assert_eq!(file.allow_shell, Some(true));
        let source = file.source.unwrap();
        for (path, text) in [
            ("timeout", "5m"),
            ("devices.1.label", "phone"),
            ("env.PIN", "0042"),
            ("snapshot.tolerance.cluster", "3"),
        ] {
            assert_eq!(&source.text[file.places[path].clone()], text);
        }
    }

    #[test]
    fn redactions_and_variants_read_or_name_their_place() {
        let file = parse(
            "devices: [ { serial: R58, variant: tablet } ]\nsnapshot:\n  image: raw\n  redactions:\n    - { pattern: '\\d+', alias: '[n]', columns: [text, class] }\n  variants:\n    tablet: '*Tablet*'\n    old: [android-28, android-29]\n",
        )
        .unwrap();
        assert_eq!(file.devices[0].variant.as_deref(), Some("tablet"));
        assert_eq!(file.snapshot.redactions[0].alias, "[n]");
        assert_eq!(
            file.snapshot.variants().unwrap().describe(),
            "tablet: *Tablet*; old: android-28, android-29"
        );
        let found = parse(
            "snapshot:\n  image: big\n  redactions:\n    - { pattern: '(', alias: x }\n    - { pattern: x, alias: y, columns: [flags] }\n",
        )
        .unwrap_err();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("runner.yaml:2:10: "), "{found:?}");
        assert!(
            found[1].starts_with("runner.yaml:4:18: error[regex]: "),
            "{found:?}"
        );
        assert!(found[2].starts_with("runner.yaml:5:"), "{found:?}");
        assert_eq!(
            parse("snapshot:\n  redactions: [ { pattern: 'a*', alias: x } ]\n  variants: { 'a b': virtual }\n").unwrap_err(),
            [
                "runner.yaml:3:22: error[runner-yaml]: variant \"a b\" cannot be used: only letters A-Z a-z, digits, `_` and `-` are allowed, at most 128",
                "runner.yaml:2:28: error[runner-yaml]: the pattern `a*` matches the empty text; write `+` instead of `*`",
            ]
        );
    }

    #[test]
    fn an_empty_file_is_a_project() {
        for text in ["", "# only a comment\n", "{}\n"] {
            assert_eq!(parse(text).unwrap().flows, None);
        }
    }

    #[test]
    fn all_errors_are_told_with_their_place() {
        assert_eq!(
            parse("flow: x\ntimeout: 5\nretries: many\nallow_shell: yes\nreports: { junt: x }\n")
                .unwrap_err(),
            [
                "runner.yaml:1:1: error[unknown-key]: `flow` is not known here",
                "runner.yaml:2:10: error[duration]: `5` is not a duration; write a number with a unit, such as `500ms`, `10s` or `2m`",
                "runner.yaml:3:10: error[wrong-type]: a whole number is expected here, not text",
                "runner.yaml:4:14: error[wrong-type]: `true` or `false` is expected here, not text",
                "runner.yaml:5:12: error[unknown-key]: `junt` is not known here",
            ]
        );
        assert_eq!(
            parse("env: { os: x }\nsnapshots: ../goldens\nflows: [ok, /etc]\n").unwrap_err(),
            [
                "runner.yaml:1:12: error[runner-yaml]: `os` already means something in expressions; choose another name",
                "runner.yaml:3:13: error[runner-yaml]: `/etc` leaves the project; paths are relative to runner.yaml",
                "runner.yaml:2:12: error[runner-yaml]: `../goldens` leaves the project; paths are relative to runner.yaml",
            ]
        );
        assert_eq!(
            parse("- x\n").unwrap_err(),
            ["runner.yaml:1:1: error[wrong-type]: a map is expected here, not a list"]
        );
    }

    #[test]
    fn a_device_has_a_serial_or_a_server() {
        for (device, says) in [
            ("{ label: x }", "`serial` is missing, or `webdriver`"),
            ("{ serial: R58, webdriver: 'http://a' }", "not both"),
            (
                "{ serial: R58, sessions: 2 }",
                "are for devices with `webdriver`",
            ),
            ("{ webdriver: 'http://a', user: ada }", "belong together"),
            (
                "{ webdriver: 'http://a', driver: stock }",
                "`driver` is for devices with `serial`",
            ),
            ("{ webdriver: 'http://a', sessions: 0 }", "1"),
            ("{ webdriver: 'http://a', session: week }", "run"),
        ] {
            let found = parse(&format!("devices: [ {device} ]\n")).unwrap_err();
            assert!(
                found.len() == 1 && found[0].starts_with("runner.yaml:1:"),
                "{found:?}"
            );
            assert!(found[0].contains(says), "{found:?}");
        }
        let file = parse("devices: [ { webdriver: 'http://a', sessions: 2, session: flow, session_timeout: 30s } ]\n").unwrap();
        assert_eq!(file.devices[0].sessions, Some(2));
    }
}
