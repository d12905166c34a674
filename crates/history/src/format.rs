//! Format of a run's file: one JSON value a line.
//!
//! The first line holds the version and the run, `planned` lines hold the cases to run. A flow that ended has
//! a `flow` line, then a `steps` line and a `met` line. `end` is the last line of a run that was not killed.
//! One file may hold several runs: each `run` line begins a new one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the format, in the first line. Readers skip runs of a higher version. It grows when older
/// readers would misread a file.
pub(super) const VERSION: u32 = 1;

/// One line, written as an object with the variant's name as its only key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    Run(RunLine),
    Planned(Vec<ResultId>),
    Flow(FlowResult),
    Steps(Vec<StepResult>),
    Met(ScreenNames),
    End(EndLine),
}

/// First bytes of a `planned` line. Readers skip these lines for runs that ended.
pub(super) const PLANNED: &[u8] = b"{\"planned\":";

/// First bytes of a `steps` line. Readers who do not need steps skip these lines.
pub(super) const STEPS: &[u8] = b"{\"steps\":";

/// First bytes of a `met` line. Readers who do not need the screens' contents skip these lines.
pub(super) const MET: &[u8] = b"{\"met\":";

/// First line of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLine {
    /// Version of the format, now 1.
    pub version: u32,
    pub id: String,
    /// Time when the run began, RFC 3339 with offset.
    pub started: String,
    /// Version of the program that wrote the file.
    pub program: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct EndLine {
    pub ms: u64,
    pub exit_code: u8,
    #[serde(default, skip_serializing_if = "is_false")]
    pub fail_on_flaky: bool,
}

/// Identity of a flow, or of one case of it, across runs and devices.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CaseKey {
    /// Path of the flow relative to the root, with `/`.
    pub flow: String,
    /// Name of the case, if the flow has several.
    pub case: Option<String>,
}

/// One planned execution within a run: a flow or case, its repetition and its device.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ResultId {
    /// Path of the flow relative to the root, with `/`.
    pub flow: String,
    /// Name of the case, if the flow has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// Number of the repetition, from 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub repeat: u32,
    /// Label of the device. `None` if any device would do, or none was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

impl ResultId {
    /// Returns the part that is the same in all runs: flow and case, without repetition and device.
    pub fn key(&self) -> CaseKey {
        CaseKey {
            flow: self.flow.clone(),
            case: self.case.clone(),
        }
    }

    /// Returns flow, case and repetition. A case planned for any device matches its result by these.
    pub(super) fn without_device(&self) -> (&str, Option<&str>, u32) {
        (&self.flow, self.case.as_deref(), self.repeat)
    }
}

fn one() -> u32 {
    1
}

fn is_one(number: &u32) -> bool {
    *number == 1
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Result of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Passed at the first attempt.
    Passed,
    /// Passed after a failed attempt.
    Flaky,
    /// A step failed.
    Failed,
    /// The flow could not be run.
    Error,
    /// The flow was not to be run.
    Skipped,
    /// The run ended before the flow did.
    Interrupted,
}

impl Outcome {
    /// Returns true for `Passed` and `Flaky`.
    pub fn is_passed(self) -> bool {
        matches!(self, Self::Passed | Self::Flaky)
    }

    /// Returns true if the flow came to its end, so that the result says something about it: all but
    /// `Skipped` and `Interrupted`.
    pub fn is_verdict(self) -> bool {
        !matches!(self, Self::Skipped | Self::Interrupted)
    }

    /// Returns the name in files and tables, the same as serde writes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Flaky => "flaky",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Skipped => "skipped",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Place and first line of a flow's failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureNote {
    /// Innermost step that failed: its label, or its text in the flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Place in the flow's file, such as `flows/a.yaml:12`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// First line of the error message.
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowResult {
    #[serde(rename = "of")]
    pub id: ResultId,
    pub outcome: Outcome,
    /// Duration of the attempt that counts, in milliseconds.
    pub ms: u64,
    /// Number of attempts, the last one included.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub attempts: u32,
    /// True if the flow failed in quarantine, which does not fail the run. False for one that passed there.
    #[serde(default, skip_serializing_if = "is_false")]
    pub quarantined: bool,
    /// Failure of the last attempt that had one. A flaky flow has it too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureNote>,
}

// Events have it too, so these comments are also texts of their schema.
/// What a flow met on the screens of the app: a part of it, each once, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Met")]
pub struct ScreenNames {
    /// Names of activities, without their packages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub screens: Vec<String>,
    /// Names of elements, as code has them: `sign_in`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// Texts and descriptions of elements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
}

impl ScreenNames {
    /// Returns activities, ids and texts in one sequence.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.screens.iter().chain(&self.ids).chain(&self.texts)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    Passed,
    /// Failed, and made the flow fail.
    Failed,
    /// Failed, but the step is optional.
    Warned,
    /// Skipped, as its condition was false.
    Skipped,
    /// The attempt ended while the step ran.
    Open,
}

/// Result of one of the flow's own steps, not of a sub-flow's. Written as a list of three: title,
/// milliseconds, outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    from = "(String, u64, StepOutcome)",
    into = "(String, u64, StepOutcome)"
)]
pub struct StepResult {
    /// Label of the step, or its text in the flow.
    pub title: String,
    /// Duration in milliseconds.
    pub ms: u64,
    pub outcome: StepOutcome,
}

impl From<(String, u64, StepOutcome)> for StepResult {
    fn from((title, ms, outcome): (String, u64, StepOutcome)) -> Self {
        Self { title, ms, outcome }
    }
}

impl From<StepResult> for (String, u64, StepOutcome) {
    fn from(step: StepResult) -> Self {
        (step.title, step.ms, step.outcome)
    }
}
