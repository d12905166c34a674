//! The interface of the module.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::device::{DeviceInfo, Picture};
use crate::screen::{Rect, Screen, Selector};

/// Errors of the store.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// Reading or writing a file.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Anything else, with what to do.
    #[error("{0}")]
    Other(String),
}

/// `--update`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum UpdateMode {
    /// What differs or is new goes beside the goldens, to be reviewed; the test fails.
    #[default]
    Pending,
    /// Nothing is written but artifacts; the test fails. The default where `CI` is set.
    None,
    /// Goldens that do not exist yet are written and pass.
    New,
    /// Goldens that differ are written and pass.
    Changed,
    /// Both.
    All,
}

/// Options of a `snapshot:` step beside its name; one definition for the parser, the schema and the docs.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StepOptions {
    // Filled in by the module's owner: name, each, of, mask, tolerance, windows, bars, annotated, …
}

/// A golden's name within its flow: `[A-Za-z0-9._-]{1,64}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SnapshotName(String);

/// Devices that draw the same pixels: `virtual1-34-1080x2400-420-en-light`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RenderClass(String);

impl RenderClass {
    /// From what the device says of itself, or `named` in `runner.yaml`.
    pub fn of(info: &DeviceInfo, landscape: bool, named: Option<&str>) -> Self {
        let _ = (info, landscape, named);
        todo!()
    }
}

/// What was seen, to be compared.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The rows.
    pub screen: Arc<Screen>,
    /// The picture.
    pub picture: Option<Picture>,
    /// Package of the flow's app: only its windows count unless `windows: all`.
    pub app: Option<String>,
    /// Whose pixels these are.
    pub class: RenderClass,
    /// Areas of the system's bars.
    pub bars: Vec<Rect>,
    /// Masks by selector.
    pub masks: Vec<Selector>,
    /// Masks by rectangle.
    pub rects: Vec<Rect>,
    /// Only this element's part of the screen.
    pub of: Option<Selector>,
}

/// A stored golden, for one class.
#[derive(Debug, Clone)]
pub struct Golden {
    /// Text of the shared TSV.
    pub shared: Option<String>,
    /// Text of the class's TSV.
    pub rows: Option<String>,
    /// PNG bytes.
    pub picture: Option<Vec<u8>>,
}

/// What came of a check.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// Equal, or within the tolerance.
    Passed,
}

/// The result of a check with all a report needs.
#[derive(Debug, Clone)]
pub struct Check {
    /// The verdict.
    pub verdict: Verdict,
}

/// A pending golden.
#[derive(Debug, Clone)]
pub struct PendingEntry {
    /// `flow/path/name[@VARIANT][~CLASS]`.
    pub key: String,
    /// Its files below the root.
    pub files: Vec<Utf8PathBuf>,
}

/// The folder of goldens.
#[derive(Debug, Clone)]
pub struct Store {
    root: Utf8PathBuf,
    folder: Utf8PathBuf,
}

impl Store {
    /// The store in `folder` (such as `snapshots`) below `root`.
    pub fn new(root: &Utf8Path, folder: &Utf8Path) -> Self {
        Self {
            root: root.to_owned(),
            folder: folder.to_owned(),
        }
    }
}
