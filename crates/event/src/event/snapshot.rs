//! Parts of events that tell how a snapshot ended.

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use runner_snapshot::{Areas, Cause, Verdict};

/// How a snapshot ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SnapshotVerdict {
    /// It is as its golden.
    Passed,
    /// It has no golden yet.
    New,
    /// It differs from its golden.
    Differs,
    /// The screen did not come to rest, so nothing was compared.
    Unstable,
    /// Its golden was written, as `--update` asked.
    Written,
    /// The masks of the step are not those of the golden.
    MaskChanged,
    /// The masks cover too much of the screen, so nothing was compared.
    MaskTooLarge,
}

impl SnapshotVerdict {
    /// Returns the name used in the event stream, in snake case such as `mask_changed`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::New => "new",
            Self::Differs => "differs",
            Self::Unstable => "unstable",
            Self::Written => "written",
            Self::MaskChanged => "mask_changed",
            Self::MaskTooLarge => "mask_too_large",
        }
    }
}

impl From<Verdict> for SnapshotVerdict {
    /// Converts the verdict of a comparison, which is never `Unstable` or `Written`.
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Passed => Self::Passed,
            Verdict::New => Self::New,
            Verdict::Differs => Self::Differs,
            Verdict::MaskChanged => Self::MaskChanged,
            Verdict::MaskTooLarge(_) => Self::MaskTooLarge,
        }
    }
}

/// What a snapshot came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotResult {
    /// The golden's key: `flow/path/name[@VARIANT][~CLASS]`.
    pub key: String,
    /// What it came to.
    pub verdict: SnapshotVerdict,
    /// Lines that say what changed, in order of weight.
    pub changes: Vec<String>,
    /// Why it did not pass, of what is up for review: snapshots with the same cause's id changed in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Where the pictures differ, of what did not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub areas: Option<Areas>,
    /// Pending files below the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub pending: Vec<Utf8PathBuf>,
}

impl SnapshotResult {
    /// Returns true unless the snapshot passed or its golden was just written. Also snapshots that could not
    /// be compared are open.
    pub fn is_open(&self) -> bool {
        !matches!(
            self.verdict,
            SnapshotVerdict::Passed | SnapshotVerdict::Written
        )
    }

    /// Returns true if a person must accept or reject the snapshot. False if it passed or was written, or if
    /// nothing was compared: the screen did not stand still, or the mask was too large.
    pub fn needs_decision(&self) -> bool {
        let compared = !matches!(
            self.verdict,
            SnapshotVerdict::Unstable | SnapshotVerdict::MaskTooLarge
        );
        self.is_open() && compared
    }
}
