//! Parts of events that tell of a run as a whole: its machine, its share of a plan, its totals and its failures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine a run ran on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// `linux`, `macos`, `windows`.
    pub os: String,
    /// `x86_64`, `aarch64`.
    pub arch: String,
    /// Which CI, where it is known: `github`, `gitlab`, `jenkins`, `other`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci: Option<String>,
    /// Where the CI shows this run, and what was checked out: names and values, for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<(String, String)>,
}

/// The part that a run is, as its stream says.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct Shard {
    /// Which, from 1.
    pub index: u32,
    /// Of how many.
    pub total: u32,
    /// Hash of the whole plan and of how it was shared out: parts that have another one do not fit together.
    pub plan: String,
}

/// Which flows a run left out, because nothing that concerns them changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedSince {
    /// The commit or branch, as it was asked for.
    pub reference: String,
    /// The last commit that it shares with what was run, in full.
    pub base: String,
    /// How many files differ from that.
    pub files: usize,
    /// How many flows there were.
    pub found: usize,
    /// How many of them were left out.
    pub left_out: usize,
}

/// Why a run ends before its plan does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The user pressed Ctrl-C, or the process was asked to end.
    User,
    /// As many flows failed as `--max-failures` or `--fail-fast` allow.
    FailFast,
    /// A flow needs what no device of the run has.
    Unfit,
}

/// How many flows ended how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Passed at once.
    pub passed: u32,
    /// Passed after a failure.
    pub flaky: u32,
    /// Failed.
    pub failed: u32,
    /// Errors.
    pub errors: u32,
    /// Skipped.
    pub skipped: u32,
    /// Interrupted.
    pub interrupted: u32,
    /// Failed in quarantine.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub quarantined: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What fails a run, though it is the failure of no flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunFailure {
    /// Its kind.
    pub kind: RunFailureKind,
    /// A sentence for people.
    pub message: String,
}

impl RunFailure {
    pub fn new(kind: RunFailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

/// Kinds of failures of a run that are of no flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunFailureKind {
    /// Flows passed after a failure, under `--fail-on-flaky`.
    Flaky,
    /// More flows are in quarantine than `quarantine_limit` allows.
    QuarantineLimit,
    /// The user stopped the run when all of its flows had ended.
    Interrupted,
    /// A report cannot be written.
    Report,
    /// The parts of a run are not whole, or one was killed before it said what it would run.
    Parts,
    /// A kind of a later version.
    #[serde(other)]
    Unknown,
}

impl RunFailureKind {
    /// Returns the name used in the event stream, in snake case such as `quarantine_limit`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Flaky => "flaky",
            Self::QuarantineLimit => "quarantine_limit",
            Self::Interrupted => "interrupted",
            Self::Report => "report",
            Self::Parts => "parts",
            Self::Unknown => "unknown",
        }
    }
}
