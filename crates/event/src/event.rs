//! The event stream: a public format, one JSON object a line. The first line is [`EventKind::Start`].
//!
//! Readers ignore fields they do not know. Every report can be made again from the stream alone.

mod run;
mod snapshot;

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Artifact, FlowId, Trace, VideoPiece};
use runner_device::app_version::AppVersion;
use runner_device::remote::RemoteSession;
use runner_device::{Cost, DeviceInfo};
use runner_flow::StepPath;
use runner_history::ScreenNames;
use runner_text::diagnostic::{Source, line_column};
use runner_tools::Failure;

pub use run::{ChangedSince, Host, RunFailure, RunFailureKind, Shard, StopReason, Totals};
pub use snapshot::{SnapshotResult, SnapshotVerdict};

/// Schema number in the first line of a stream.
///
/// Schema 3 added steps of the list `on_failure`. Schema 2 added `case` and `repeat` to a flow's identity; a
/// reader of schema 1 would merge two cases into one.
pub const SCHEMA: u32 = 3;

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Rises by one from 0.
    pub seq: u64,
    /// Milliseconds since the run began.
    pub t_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// How a flow ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlowStatus {
    /// All steps passed.
    Passed,
    /// Passed after a failure.
    Flaky,
    /// A step failed.
    Failed,
    /// Could not be run: does not read, setup or teardown failed, device lost.
    Error,
    /// Not run.
    Skipped,
    /// Stopped by the user or by `--max-failures`.
    Interrupted,
    /// Failed, but is in quarantine: the run does not fail for it.
    Quarantined,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Passed.
    Passed,
    /// Failed, and the flow with it.
    Failed,
    /// Failed, but is optional.
    Warned,
    /// A condition did not hold: `when`, or that of an `if` or `repeat` without another step to run.
    Skipped,
}

/// A position in a source, for people and annotations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceLocation {
    /// File below the root.
    #[schemars(with = "String")]
    pub file: Utf8PathBuf,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// The source line, without its end.
    pub text: String,
}

impl SourceLocation {
    /// Converts a byte offset into line and column, both from 1, and the source line's text, which is empty for a line
    /// that does not exist. An offset behind the end counts as the end, one within a character as its begin.
    pub fn from_offset(source: &Source, offset: usize) -> Self {
        let (line, column) = line_column(&source.text, offset);
        let text = source.text.lines().nth(line - 1).unwrap_or_default();
        Self {
            file: source.path.clone(),
            line,
            column,
            text: text.to_owned(),
        }
    }
}

/// How much a line for people matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// Good to know.
    Info,
    /// Something is not as it should be.
    Warning,
}

impl LogLevel {
    /// Returns the name used in the event stream.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
        }
    }
}

/// The quarantine of a flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuarantineNote {
    /// Why; empty where nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// Its last day, as `2026-12-31`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Where its end is worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// It is over: the flow counts again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventKind {
    /// First line of a stream.
    Start {
        /// Number of this format; readers refuse a higher one than they know.
        schema: u32,
        /// Unique id of the run.
        run_id: String,
        /// This program's version.
        version: String,
        /// When it began, RFC 3339 with offset.
        started: String,
        /// The root, absolute.
        #[schemars(with = "String")]
        root: Utf8PathBuf,
        /// The artifacts folder, absolute.
        #[schemars(with = "String")]
        artifacts: Utf8PathBuf,
        /// Where it ran; streams of earlier versions have none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        host: Option<Host>,
        /// Which part of a plan this run is, where it was shared out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shard: Option<Shard>,
        /// By which the order of the flows was shuffled.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shuffle: Option<u64>,
        /// What changed since which commit, where only that was to be run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        changed_since: Option<ChangedSince>,
    },
    /// A file of a flow or sub-flow, as it was read, its secrets masked: once, before the first event that names a place
    /// in it. A flow that does not read has none: what is secret in it is not known.
    Source {
        /// Its path below the root.
        #[schemars(with = "String")]
        file: Utf8PathBuf,
        /// Its text.
        text: String,
    },
    /// The plan: which flows will run on which devices, in order.
    Plan {
        /// Each once, as its first attempt. A flow without a device runs once, on any of them: its attempts are of one
        /// result, whatever device they were on.
        flows: Vec<FlowId>,
        /// Labels of the run's devices, where flows run on any of them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        devices: Vec<String>,
        /// The flows' names by their paths, also of those that never begin; streams of earlier versions have none.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[schemars(with = "BTreeMap<String, String>")]
        names: BTreeMap<Utf8PathBuf, String>,
        /// What the headers of Maestro's flows tell reports, by their paths.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[schemars(with = "BTreeMap<String, BTreeMap<String, String>>")]
        properties: BTreeMap<Utf8PathBuf, BTreeMap<String, String>>,
    },
    /// A device is ready; again after it was lost.
    Device {
        /// Its label.
        label: String,
        /// What it says of itself.
        info: Box<DeviceInfo>,
    },
    /// A device was lost. It is asked again, and told to be ready when it is back.
    DeviceLost {
        /// Its label.
        label: String,
        /// What was seen.
        message: String,
    },
    /// A flow that does not read. It counts as an error of its own.
    Unreadable {
        /// The flow's path.
        #[schemars(with = "String")]
        flow: Utf8PathBuf,
        /// Rendered diagnostics without colour.
        message: String,
        /// Where the first one is.
        at: Option<SourceLocation>,
    },
    /// An attempt at a flow begins.
    FlowStarted {
        /// Which.
        id: FlowId,
        /// The flow's name.
        name: String,
        /// Tags.
        tags: Vec<String>,
        /// Package of the app it tests, where its header names one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        app: Option<String>,
        /// What the header of a flow of Maestro's tells reports: `properties`.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        properties: BTreeMap<String, String>,
        /// Number of steps at the top level: setup, steps and teardown.
        steps: usize,
    },
    /// The session in which a server lends the device for an attempt: told before its steps, and again where another
    /// session took the place of the first.
    Session {
        /// The attempt.
        id: FlowId,
        /// The session.
        session: RemoteSession,
    },
    /// A step begins.
    StepStarted {
        /// The flow.
        id: FlowId,
        /// The step. It begins with `"setup"` or `"teardown"` for the steps of those.
        step: StepPath,
        /// As written, or its label.
        title: String,
        /// Where it stands.
        at: SourceLocation,
    },
    /// A step ended.
    StepFinished {
        /// The flow.
        id: FlowId,
        /// The step.
        step: StepPath,
        /// As written, or its label.
        title: String,
        /// Where it stands.
        at: SourceLocation,
        /// How it ended.
        status: StepStatus,
        /// Milliseconds it took.
        duration_ms: u64,
        /// What it cost.
        cost: Cost,
        /// The failure, also of a warning.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
        /// Files it left.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        artifacts: Vec<Artifact>,
        /// Where on the screen it acted: left, top, right, bottom.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bounds: Option<runner_screen::Rect>,
        /// It was a soft assertion: the flow went on after its failure.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        soft: bool,
    },
    /// A snapshot was compared.
    Snapshot {
        /// The flow.
        id: FlowId,
        /// The step.
        step: StepPath,
        /// What came of it.
        result: SnapshotResult,
    },
    /// A dialog hid what a step looked for, and a rule of `on_dialog` answered it. It comes before the step ends.
    Dialog {
        /// The flow.
        id: FlowId,
        /// The step.
        step: StepPath,
        /// The rule's place in `runner.yaml`.
        at: SourceLocation,
        /// What the rule looks for.
        when: String,
        /// What it does: `click: Wait`.
        answer: String,
        /// Why that could not be done, where it could not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<String>,
    },
    /// A line for people: a note, a warning.
    Log {
        /// The flow, if of one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<FlowId>,
        /// How much it matters.
        level: LogLevel,
        /// The text.
        message: String,
    },
    /// What an attempt saw and did, kept to be walked through: told before the attempt's end, where it was asked for.
    Trace {
        /// The attempt.
        id: FlowId,
        /// What was kept.
        trace: Box<Trace>,
    },
    /// The video of an attempt, told before its end, where it was asked for.
    Video {
        /// The attempt.
        id: FlowId,
        /// Its parts, in order.
        pieces: Vec<VideoPiece>,
    },
    /// An attempt at a flow ended.
    FlowFinished {
        /// Which.
        id: FlowId,
        /// How. `Flaky` only for the attempt that passed after a failure.
        status: FlowStatus,
        /// Whether this was the last attempt: only then it counts.
        last: bool,
        /// When it began, RFC 3339 with offset.
        started: String,
        /// Milliseconds it took.
        duration_ms: u64,
        /// What it cost.
        cost: Cost,
        /// Why it failed, or why it was skipped (its message).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
        /// The step that failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed_at: Option<SourceLocation>,
        /// Files that belong to the failure: screen, picture, log lines.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        artifacts: Vec<Artifact>,
        /// Version of the app it tests, as the device had it at the end, where the device told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        app_version: Option<AppVersion>,
        /// Its quarantine, where it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        quarantine: Option<QuarantineNote>,
        /// What it met on the screens of the app, of the attempt that counts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        met: Option<Box<ScreenNames>>,
    },
    /// The run ends early: flows that have not begun are not run.
    Stopping {
        /// Why.
        because: StopReason,
    },
    /// Last line of a whole run; a killed run has none.
    Finish {
        /// How many ended how.
        totals: Totals,
        /// Milliseconds the run took.
        duration_ms: u64,
        /// The program's exit code.
        exit_code: u8,
        /// What fails the run beside its flows: each report shows it as a failure.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        because: Vec<RunFailure>,
    },
    /// An event of a later version: readers skip it, nobody emits it.
    #[serde(other, skip_serializing)]
    #[schemars(skip)]
    Unknown,
}
