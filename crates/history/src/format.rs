//! The format of a run's file: one JSON value a line.
//!
//! The first line says the version and the run, `planned` lines what was to be run. A flow that ended has a `flow`
//! line and, after it, a `steps` line and a `met` line. `end` is the last line of a run that was not killed. Files may stand one after
//! another in a single one: each `run` line begins a new run.

use serde::{Deserialize, Serialize};

/// The format's number, in the first line. Readers pass over runs of a higher one.
pub(super) const VERSION: u32 = 1;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    Run(RunLine),
    Planned(Vec<ResultId>),
    Flow(FlowResult),
    Steps(Vec<StepResult>),
    Met(Met),
    End(EndLine),
}

/// How lines of what was planned begin: those of a run that ended need not be parsed.
pub(super) const PLANNED: &[u8] = b"{\"planned\":";

/// How lines of steps begin, so that whoever does not want them need not parse them.
pub(super) const STEPS: &[u8] = b"{\"steps\":";

/// How lines of what a flow met begin.
pub(super) const MET: &[u8] = b"{\"met\":";

/// The run, as its first line describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLine {
    /// Number of the format.
    pub version: u32,
    /// Unique id of the run.
    pub id: String,
    /// When it began, RFC 3339 with offset.
    pub started: String,
    /// The program's version.
    pub program: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct EndLine {
    pub ms: u64,
    pub exit_code: u8,
    #[serde(default, skip_serializing_if = "is_false")]
    pub fail_on_flaky: bool,
}

/// What is compared from run to run: a flow, or one case of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CaseKey {
    /// The flow's path below the root, `/` as separator.
    pub flow: String,
    /// The case, of a flow with several.
    pub case: Option<String>,
}

/// One thing to run: a flow or a case of it, on a device.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ResultId {
    /// The flow's path below the root, `/` as separator.
    pub flow: String,
    /// The case, of a flow with several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// Which repetition, from 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub repeat: u32,
    /// Label of the device; none where any will do, or none was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

impl ResultId {
    /// What is compared from run to run.
    pub fn key(&self) -> CaseKey {
        CaseKey {
            flow: self.flow.clone(),
            case: self.case.clone(),
        }
    }

    /// The same without its device: flow, case, repetition.
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

/// How a flow ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// At the first attempt.
    Passed,
    /// Passed after a failure.
    Flaky,
    /// A step failed.
    Failed,
    /// It could not be run.
    Error,
    /// It was not to be run.
    Skipped,
    /// The run ended before it did.
    Interrupted,
}

impl Outcome {
    /// Passed, if need be after a failure.
    pub fn is_passed(self) -> bool {
        matches!(self, Self::Passed | Self::Flaky)
    }

    /// It came to its end, and so says something about the flow.
    pub fn is_verdict(self) -> bool {
        !matches!(self, Self::Skipped | Self::Interrupted)
    }

    /// As files and people have it.
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

/// Where and why a flow failed, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureNote {
    /// The innermost step that failed, as written or its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// `flows/a.yaml:12`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The first line of what it said.
    pub message: String,
}

/// What came of a flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowResult {
    /// What was run.
    #[serde(rename = "of")]
    pub id: ResultId,
    /// What came of it.
    pub outcome: Outcome,
    /// Milliseconds of the attempt that counts.
    pub ms: u64,
    /// How many attempts there were.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub attempts: u32,
    /// A failure did not fail the run.
    #[serde(default, skip_serializing_if = "is_false")]
    pub quarantined: bool,
    /// Why it did not pass at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureNote>,
}

/// What a flow met on the screens of the app. It is a part only: the writer limits it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Met {
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

impl Met {
    /// All of it.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.screens.iter().chain(&self.ids).chain(&self.texts)
    }
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    /// Passed.
    Passed,
    /// Failed, and the flow with it.
    Failed,
    /// Failed, but is optional.
    Warned,
    /// Its condition did not hold.
    Skipped,
    /// It never ended.
    Open,
}

/// One of a flow's own steps, as a list of three: title, milliseconds, how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    from = "(String, u64, StepOutcome)",
    into = "(String, u64, StepOutcome)"
)]
pub struct StepResult {
    /// As written, or its label.
    pub title: String,
    /// Milliseconds.
    pub ms: u64,
    /// How it ended.
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
